// A server whose scripts let others have their turns soon.
#pragma once

#include <picklock/server.hpp>

#include "tests/server/socket.hpp"

namespace picklock::test {

struct BusyServer {
  BusyServer() : redis(options()), server(redis) {}
  static Options options() {
    Options options;
    options.script_budget = 10'000;
    return options;
  }
  Socket connect() const { return Socket::tcp(server.port()); }
  /// Until a script is known to be slow.
  void await_script() const {
    Socket other = connect();
    await("BUSY", [&] { return other.call({"PING"}).text().starts_with("BUSY "); });
  }

  Emulator redis;
  Server server;
};

constexpr auto kKilled = "Script killed by user with SCRIPT KILL";

}  // namespace picklock::test
