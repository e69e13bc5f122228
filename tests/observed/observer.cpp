#include "tests/observed/observer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "emulator/resp/reply_parser.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

// What this observer asks, and what the tests ask to know that a real server has come to rest.
constexpr std::array kOwn{"info"sv,          "slowlog"sv, "config|get"sv, "slowlog|get"sv,
                          "slowlog|reset"sv, "time"sv,    "monitor"sv};
constexpr std::array kCounters{
    "keyspace_hits"sv,       "keyspace_misses"sv,     "expired_keys"sv,
    "total_error_replies"sv, "pubsub_channels"sv,     "pubsubshard_channels"sv,
    "tracking_clients"sv,    "tracking_total_keys"sv, "tracking_total_prefixes"sv,
    "blocked_clients"sv};

/// "1700000000.123456 [0 unix:/tmp/x:0] "get" "k"" without the time and the address; numbers as
/// long as an instant are one.
std::string without_origin(std::string_view line) {
  const auto begin = line.find('[');
  const auto blank = line.find(' ', begin);
  const auto end = line.find(']', blank);
  if (end == std::string_view::npos) return std::string{line};
  const bool by_script = line.substr(blank + 1, end - blank - 1) == "lua";
  return std::string{line.substr(begin + 1, blank - begin)} + (by_script ? "lua" : "client") +
         std::string{line.substr(end + 1)};
}

std::string without_instants(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find_first_not_of("0123456789", at), text.size());
    if (end == at) {
      result += text[at++];
    } else {
      const bool instant = end - at == 13 || (end - at == 10 && text[at] == '1');
      result += instant ? "<instant>" : text.substr(at, end - at);
      at = end;
    }
  }
  return result;
}

std::string printed(const Reply& reply) {
  if (reply.is_aggregate()) {
    std::string text;
    for (const Reply& element : reply.elements())
      text += (text.empty() ? "" : " ") + printed(element);
    return text;
  }
  return reply.to_string();
}

bool is_own(std::string_view name) { return std::ranges::find(kOwn, name) != kOwn.end(); }

std::int64_t number_of(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The numbers of a line of INFO that are to be the same, by name.
void read_line(std::string_view line, std::map<std::string, std::int64_t>& counters) {
  const auto colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (std::ranges::find(kCounters, name) != kCounters.end())
    counters[std::string{name}] = number_of(value);
  if (name.starts_with("errorstat_")) counters[std::string{name}] = number_of(value.substr(6));
  if (!name.starts_with("cmdstat_") || is_own(name.substr(8))) return;
  for (const auto part : {"calls="sv, "rejected_calls="sv, "failed_calls="sv}) {
    const auto at = value.find(part);
    if (at != std::string_view::npos)
      counters[std::string{name.substr(8)} + " " + std::string{part}] =
          number_of(value.substr(at + part.size()));
  }
}

}  // namespace

Observer::Observer(Target& target) : target_(target) {
  reconnect();
  take(*asker_, {"CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "1000000",
                 "notify-keyspace-events", "AKEmn"});
  look();
}

void Observer::reconnect() {
  if (!monitor_ || monitor_->closed()) {
    monitor_ = target_.connect();
    take(*monitor_, {"MONITOR"});
  }
  if (!events_ || events_->closed()) {
    events_ = target_.connect();
    take(*events_, {"PSUBSCRIBE", "__key*__:*"});
  }
  if (!asker_ || asker_->closed()) asker_ = target_.connect();
}

std::vector<Reply> Observer::take(Channel& channel, const std::vector<std::string>& words) {
  ReplyParser parser;
  parser.feed(channel.exchange(words.empty() ? std::string{} : encode_request(words)));
  std::vector<Reply> replies;
  while (auto reply = parser.next()) replies.push_back(*std::move(reply));
  return replies;
}

std::vector<std::string> Observer::look() {
  std::vector<std::string> facts;
  add_seen(facts);
  add_slow(facts);
  add_counted(facts);
  reconnect();
  take(*monitor_);
  return facts;
}

void Observer::add_seen(std::vector<std::string>& facts) {
  for (const Reply& line : take(*monitor_)) {
    const std::string shown = without_instants(without_origin(line.text()));
    if (!shown.ends_with("client \"TIME\"")) facts.push_back("monitor: " + shown);
  }
  for (const Reply& message : take(*events_))
    facts.push_back("event: " + without_instants(printed(message)));
}

void Observer::add_slow(std::vector<std::string>& facts) {
  const auto replies = take(*asker_, {"SLOWLOG", "GET", "-1"});
  if (replies.empty() || !replies[0].is_aggregate()) return;
  std::vector<std::string> lines;
  for (const Reply& entry : replies[0].elements()) {
    const std::string words = printed(entry[3]);
    if (words.starts_with("\"CONFIG\" \"GET\" \"port\"") || words == "\"TIME\"" ||
        words.starts_with("\"SLOWLOG\"") || words.starts_with("\"INFO\" \"everything\""))
      continue;
    lines.push_back("slow log: " + without_instants(words));
  }
  std::ranges::copy(lines.rbegin(), lines.rend(), std::back_inserter(facts));
  take(*asker_, {"SLOWLOG", "RESET"});
}

void Observer::add_counted(std::vector<std::string>& facts) {
  const auto replies = take(*asker_, {"INFO", "everything"});
  if (replies.empty() || replies[0].type() != Reply::Type::bulk) return;
  std::map<std::string, std::int64_t> counters;
  std::string_view rest = replies[0].text();
  while (!rest.empty()) {
    const auto end = rest.find("\r\n");
    read_line(rest.substr(0, end), counters);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
  }
  for (const auto& [name, value] : counters)
    if (const auto change = value - counters_[name]; change != 0)
      facts.push_back("counted: " + name + " " + std::to_string(change));
  counters_ = std::move(counters);
}

}  // namespace picklock::test
