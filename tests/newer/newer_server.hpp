// An emulator of a newer profile, for requests written as one line.
//
// The expected replies in this folder come from the documentation and the published tests of Redis
// 8.4 and Valkey 9.0: they were not recorded from a server, unlike the golden transcripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock::test {

using namespace std::chrono_literals;
using namespace picklock::replies;

inline const Reply kWrongType =
    error("WRONGTYPE Operation against a key holding the wrong kind of value");
inline const Reply kOk = status("OK");

class NewerServer {
 public:
  explicit NewerServer(const std::string& profile = "redis-8.4")
      : redis_([&] {
          Options options;
          options.profile = profile;
          return options;
        }()),
        client_(redis_.connect()) {}

  /// Sends the words of `line`, which blanks separate; '' is an empty word.
  Reply operator()(std::string_view line) { return ask(client_, line); }
  static Reply ask(Client& client, std::string_view line) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
      const auto end = std::min(line.find(' '), line.size());
      const std::string_view word = line.substr(0, end);
      words.push_back(word == "''" ? std::string_view{""} : word);
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return client.call(std::span<const std::string_view>{words});
  }

  Emulator& redis() { return redis_; }
  Client& client() { return client_; }
  std::int64_t now_ms() { return to_unix_ms(redis_.now()); }

  /// Subscribes another client to every keyevent.
  void watch_events() {
    (*this)("CONFIG SET notify-keyspace-events EA");
    listener_.emplace(redis_.connect());
    ask(*listener_, "PSUBSCRIBE __keyevent@0__:*");
  }
  /// What has happened since: "hset h, hexpire h".
  std::string events() {
    std::string text;
    while (const auto message = listener_->next_message()) {
      const std::string& channel = (*message)[2].text();
      text += (text.empty() ? "" : ", ") + channel.substr(channel.find(':') + 1) + " " +
              (*message)[3].text();
    }
    return text;
  }

 private:
  Emulator redis_;
  Client client_;
  std::optional<Client> listener_;
};

}  // namespace picklock::test
