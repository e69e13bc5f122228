#include "emulator/engine/control/trace.hpp"

#include <algorithm>
#include <utility>

#include <picklock/reply.hpp>

#include "emulator/base/numbers.hpp"

namespace picklock {

namespace {

constexpr std::size_t kWordBytes = 64;
constexpr std::size_t kWords = 16;
constexpr std::size_t kReplyBytes = 160;
constexpr std::size_t kEffects = 64;

const char* name_of(TraceEffect::Kind kind) {
  switch (kind) {
    case TraceEffect::Kind::changed:
      return "changed";
    case TraceEffect::Kind::deleted:
      return "deleted";
    case TraceEffect::Kind::expired:
      return "expired";
    case TraceEffect::Kind::flushed:
      return "flushed";
  }
  return "";
}

std::string quoted(std::string_view text) {
  std::string word = replies::bulk(text.substr(0, kWordBytes)).to_string();
  if (text.size() > kWordBytes) word += "+" + std::to_string(text.size() - kWordBytes) + " bytes";
  return word;
}

/// "; changed "a" "b"; expired "c" by the clock": in order, what one has done in the same way at
/// once.
std::string effects_text(const TraceLine& line) {
  std::string text;
  const TraceEffect* before = nullptr;
  const auto end_group = [&] {
    if (!before || before->client == line.client) return;
    text += before->client == 0 ? " by the clock" : " for " + std::to_string(before->client);
  };
  for (const TraceEffect& effect : line.effects) {
    if (!before || before->kind != effect.kind || before->client != effect.client) {
      end_group();
      text += std::string{"; "} + name_of(effect.kind);
    }
    const bool flushed = effect.kind == TraceEffect::Kind::flushed;
    if (flushed || effect.database != line.database) text += " db" + to_text(effect.database);
    if (!flushed) text += " " + quoted(effect.key);
    before = &effect;
  }
  end_group();
  if (line.more_effects > 0) text += " and " + std::to_string(line.more_effects) + " more";
  return text;
}

}  // namespace

void Trace::keep(std::size_t most) {
  most_ = most;
  if (most == 0) clear();
  while (lines_.size() > most_) lines_.pop_front(), ++dropped_;
}

void Trace::clear() {
  dropped_ += lines_.size();
  lines_.clear();
  waiting_.clear();
  take_effects(nullptr);
}

void Trace::note(TraceEffect effect) {
  if (std::ranges::find(noted_, effect) != noted_.end()) return;
  if (noted_.size() < kEffects)
    noted_.push_back(std::move(effect));
  else
    ++not_noted_;
}

void Trace::take_effects(TraceLine* line) {
  if (line) {
    line->effects = std::move(noted_);
    line->more_effects = not_noted_;
  }
  noted_.clear();
  not_noted_ = 0;
}

void Trace::add(TraceLine line, bool held_back) {
  if (held_back) waiting_[line.client] = dropped_ + lines_.size();
  lines_.push_back(std::move(line));
  if (lines_.size() > most_) lines_.pop_front(), ++dropped_;
}

void Trace::answered(std::uint64_t client, Instant now) {
  const auto found = waiting_.find(client);
  if (found == waiting_.end()) return;
  if (found->second >= dropped_)
    lines_[found->second - dropped_].reply = "(waited until " + to_text(to_unix_ms(now)) + ")";
  waiting_.erase(found);
}

std::string traced_words(Args words) {
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < kWords; ++i) {
    if (i > 0) text += ' ';
    text += quoted(words[i]);
  }
  if (words.size() > kWords) text += " and " + std::to_string(words.size() - kWords) + " words";
  return text;
}

std::string traced_reply(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  if (text.size() > kReplyBytes) text = text.substr(0, kReplyBytes) + "...";
  return text;
}

std::string to_text(const TraceLine& line) {
  std::string text = to_text(to_unix_ms(line.at)) + " [" + to_text(line.database) + " ";
  if (line.client == 0) return text + "clock]" + effects_text(line).substr(1);
  text += std::to_string(line.client) + " " + line.name + "] " + line.request + " -> " +
          line.reply + effects_text(line);
  if (!line.fault.empty()) text += "; struck by " + line.fault;
  return text;
}

}  // namespace picklock
