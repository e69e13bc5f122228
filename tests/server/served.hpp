// picklock-server or redis-server as a process on a Unix socket, with a client of it. One thread.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tests/server/program.hpp"
#include "tests/server/socket.hpp"

namespace picklock::test {

/// A server of either kind; it answers once this is made.
struct Served {
  Served(Words words, const std::string& socket) : process(std::move(words)) {
    // A real one listens before it has read all of its files.
    await("it answers", [&] {
      try {
        client.emplace(Socket::unix_path(socket));
        const Reply reply = client->call({"PING"});
        return reply == replies::status("PONG") || reply.text().starts_with("NO");
      } catch (const std::runtime_error&) {
        client.reset();
        return false;
      }
    });
  }
  Process process;
  std::optional<Socket> client;
};

}  // namespace picklock::test
