// The lock client's scripts on an emulator, by themselves: runs them, and writes down what they
// have left in a form that a test can state in one line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/emulator.hpp>

#include "lockclient/machine/protocol.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {

/// Times stand as milliseconds since the start, which is no whole one: scripts must round down.
/// Late in the second, so that it shows by what they divide.
struct ScriptServer {
  explicit ScriptServer(const char* channel = "over") : channel_(channel) {
    redis.advance(std::chrono::microseconds{998'700});
    start_ms = to_unix_ms(redis.now());
    listener.call("HELLO", "3");
    listener.call("SUBSCRIBE", channel_);
  }

  template <class... Words>
  Reply run(const char* script, int keys, const Words&... words) {
    return client.call("EVAL", lock::embedded_script(script)->source, keys, words...);
  }
  template <class... Words>
  Reply ask(const Words&... words) {
    return client.call(words...);
  }
  std::string time(std::int64_t ms) const { return std::to_string(start_ms + ms); }
  /// PEXPIRETIME of `key`; -1 without a ttl, -2 if it is not there.
  std::int64_t deadline(std::string_view key) {
    const std::int64_t at = client.call("PEXPIRETIME", key).integer();
    return at < 0 ? at : at - start_ms;
  }
  /// "field=value field=value", in order of the fields.
  std::string hash(const char* key) { return pairs(client.call("HGETALL", key)); }
  /// "member=score member=score", in order of the members.
  std::string scores(const char* key) {
    return pairs(client.call("ZRANGE", key, 0, -1, "WITHSCORES"));
  }
  /// What has been announced since the last time: "[text][text]".
  std::string announced() {
    std::string all;
    while (const auto message = listener.next_message()) all += '[' + (*message)[2].text() + ']';
    return all;
  }
  /// Everything at the server, to see that nothing changes.
  std::string everything() { return redis.dump(); }

  Emulator redis;
  Client client = redis.connect();
  Client listener = redis.connect();
  std::int64_t start_ms = 0;

 private:
  /// Numbers of Unix times are written as times since the start.
  std::string relative(const std::string& text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t end = std::min(text.find(' ', i), text.size());
      const std::string word = text.substr(i, end - i);
      const bool is_time = word.size() == 13 && word.find_first_not_of("0123456789") == word.npos;
      out += is_time ? '@' + std::to_string(std::stoll(word) - start_ms) : word;
      if (end < text.size()) out += ',';
      i = end + 1;
    }
    return out;
  }
  std::string pairs(const Reply& reply) const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i + 1 < reply.size(); i += 2)
      all.push_back(reply[i].text() + '=' + relative(reply[i + 1].text()));
    std::sort(all.begin(), all.end());
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "" : " ") + one;
    return text;
  }

  const char* channel_;
};

}  // namespace picklock::test
