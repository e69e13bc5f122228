// A real server for the tests that want one of their own kind, and questions to it.
#pragma once

#include <string>
#include <vector>

#include <picklock/endpoint.hpp>

#include "tests/support/real_redis.hpp"

namespace picklock::test {

/// A redis-server of this test's own, with `options`.
struct OneServer {
  explicit OneServer(const std::vector<std::string>& options = {}) : redis(options) {}

  Endpoint endpoint() const { return {.unix_socket = redis.socket_path()}; }
  /// By a connection of its own, each time.
  Reply ask(std::initializer_list<std::string_view> words) {
    return RawClient{redis.socket_path()}.call(words);
  }

  RealRedis redis;
};

/// The server that the cases of this program share; empty for each that asks for it.
inline OneServer& shared_server() {
  static OneServer server;
  server.ask({"FLUSHALL"});
  return server;
}

}  // namespace picklock::test
