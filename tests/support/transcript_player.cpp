#include "tests/support/transcript_player.hpp"

#include <stdexcept>
#include <utility>

#include "tests/support/transcript_match.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) {
    if (&line != &lines.front()) text += '\n';
    text += line;
  }
  return text;
}

bool speaks_of_now(const Step& step) {
  if (step.words.find("{now") != std::string::npos) return true;
  for (const auto* lines : {&step.expected, step.expected3 ? &*step.expected3 : nullptr})
    for (std::size_t i = 0; lines != nullptr && i < lines->size(); ++i)
      if ((*lines)[i].find("{now") != std::string::npos) return true;
  return false;
}

}  // namespace

Player::Client& Player::client(const std::string& name, bool raw) {
  const auto found = clients_.find(name);
  if (found != clients_.end()) return found->second;
  Client& fresh = clients_[name];
  fresh.channel = target_.connect();
  if (protocol_ == 3 && !raw) fresh.channel->exchange(encode_request({"HELLO", "3"}));
  return fresh;
}

std::vector<std::string> Player::expand_words(const Step& step, std::int64_t now_ms) const {
  auto words = split_words(step.words);
  if (!words)
    throw std::runtime_error("line " + std::to_string(step.line) + ": quotes do not balance");
  for (auto& word : *words) {
    if (word == "<script>") {
      word = join_lines(step.script);
    } else if (word == "{last}") {
      word = last_text_;
    } else if (word == "{last-integer}") {
      word = last_integer_;
    } else if (const auto instant = parse_instant(word, now_ms);
               word.starts_with("{now") && instant) {
      word = std::to_string(*instant);
    } else if (word.starts_with('{')) {
      expand_repetition(word);
    }
  }
  return *std::move(words);
}

void Player::collect(Client& client, std::string bytes, Outcome& outcome) {
  outcome.closed = client.channel->closed();
  if (outcome.raw) {
    outcome.bytes = std::move(bytes);
    return;
  }
  outcome.replies = std::exchange(client.early, {});
  client.parser.feed(bytes);
  while (auto reply = client.parser.next()) outcome.replies.push_back(*std::move(reply));
  if (!client.parser.error().empty())
    throw std::runtime_error("not RESP: " + client.parser.error());
  if (outcome.replies.size() == 1 && outcome.replies[0].type() == Reply::Type::bulk)
    last_text_ = outcome.replies[0].text();
  if (outcome.replies.size() == 1 && outcome.replies[0].type() == Reply::Type::integer)
    last_integer_ = std::to_string(outcome.replies[0].integer());
}

Outcome Player::play(const Step& step) {
  Outcome outcome;
  if (step.kind == Step::Kind::text) return outcome;
  if (step.kind == Step::Kind::wait) {
    target_.pass(step.duration);
    return outcome;
  }
  outcome.raw = step.kind == Step::Kind::raw;
  if (speaks_of_now(step)) outcome.now_ms = target_.now_ms();
  Client& from = client(step.client, outcome.raw);
  std::string bytes;
  if (step.kind != Step::Kind::read) {
    const auto words = expand_words(step, outcome.now_ms);
    if (outcome.raw)
      for (const auto& word : words) bytes += word;
    else
      bytes = encode_request(words);
  }
  collect(from, from.channel->exchange(bytes), outcome);
  const bool early =
      !step.expected.empty() && step.expected[0] == kBlocks && !target_.time_stands_still();
  if (early) from.early = std::exchange(outcome.replies, {});
  return outcome;
}

}  // namespace picklock::test
