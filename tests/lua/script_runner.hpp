// Runs one script at a time against a small fake server, and prints replies as redis-cli's raw
// bytes.
//
// The expected texts in these tests come from redis-server 7.0.15. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/sha1.hpp"
#include "emulator/resp/resp_writer.hpp"
#include "lua/interpreter.hpp"

namespace picklock::lua {

/// A server of few commands: GET, SET, DEL, PING, ECHO, one reply of every kind, and errors.
class FakeHost final : public CallHost {
 public:
  void call(Args words, int resp_version, ReplyWriter& reply) override {
    ++calls;
    last_version = resp_version;
    const std::string name{words[0]};
    if (throws) throw std::runtime_error("from the host");
    if (name == "get" && data.contains(std::string{words[1]}))
      reply.bulk(data[std::string{words[1]}]);
    else if (name == "get")
      reply.null();
    else if (name == "set")
      data[std::string{words[1]}] = words[2], reply.ok();
    else if (name == "del")
      reply.integer(static_cast<std::int64_t>(data.erase(std::string{words[1]})));
    else if (name == "echo")
      reply.bulk(words[1]);
    else if (name == "wrongtype")
      reply.error("WRONGTYPE Operation against a key holding the wrong kind of value");
    else if (name == "kinds")
      write_kinds(reply);
    else if (name == "deep")
      write_deep(reply);
    else if (name != "silent")
      reply.error("ERR Unknown Redis command called from script");
  }
  void log(LogLevel level, std::string_view text) override {
    logged.push_back(std::to_string(static_cast<int>(level)) + " " + std::string{text});
  }
  bool acl_allows(Args words) override { return words[0] != "flushall"; }
  bool command_exists(Args words) override { return words[0] != "nosuch"; }
  bool must_stop() override {
    ++asked;
    return asked >= stop_at;
  }

  std::map<std::string, std::string> data;
  std::vector<std::string> logged;
  int calls = 0;
  int asked = 0;
  int stop_at = 1;
  int last_version = 0;
  bool throws = false;

 private:
  static void write_kinds(ReplyWriter& reply) {
    reply.array(9);
    reply.map(1);
    reply.bulk("k");
    reply.integer(1);
    reply.set(1);
    reply.bulk("m");
    reply.boolean(true);
    reply.real(1.5);
    reply.big_number("123");
    reply.verbatim("txt", "hi");
    reply.array(0);
    reply.status("fine");
    reply.error("ERR inside");
  }
  static void write_deep(ReplyWriter& reply) {
    for (int i = 0; i < 100'000; ++i) reply.array(1);
    reply.integer(1);
  }
};

class ScriptRunner {
 public:
  ScriptRunner() = default;
  explicit ScriptRunner(Interpreter::Options options) : interpreter(options) {}

  /// The reply as protocol bytes, with the line breaks of the protocol as spaces and the script's
  /// SHA-1 as SHA.
  std::string operator()(std::string_view body, int version = 2) {
    std::string bytes;
    RespWriter writer{bytes, version};
    const auto digest = sha1_hex(body);
    const std::string sha1{digest.data(), digest.size()};
    std::string error;
    const Interpreter::Handle script = interpreter.compile(sha1, body, error);
    if (script == 0) {
      writer.error(error);
    } else {
      interpreter.run(script, keys, argv, host, writer);
      interpreter.forget(script);
    }
    return readable(bytes, sha1);
  }

  Interpreter interpreter;
  FakeHost host;
  std::vector<std::string_view> keys{"k1"};
  std::vector<std::string_view> argv{"a1", "a2"};

 private:
  static std::string readable(std::string text, const std::string& sha1) {
    for (std::size_t at; (at = text.find("\r\n")) != std::string::npos;) text.replace(at, 2, " ");
    if (const std::size_t at = text.find(sha1); at != std::string::npos)
      text.replace(at, sha1.size(), "SHA");
    if (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  }
};

}  // namespace picklock::lua
