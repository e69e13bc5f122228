// Two clients of a lock in simulated time, each with its own links to the same servers.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "tests/support/catch.hpp"

namespace picklock::test {

/// Two clients of one server or of several.
struct TwoClients {
  explicit TwoClients(std::size_t size) : servers(size) {
    for (LockClient* client : {&alice.emplace(links()), &bob.emplace(links())})
      CHECK(client->nodes() == size);
  }
  std::vector<Link*> links() {
    std::vector<Link*> made;
    for (Emulator& server : servers) {
      owned.push_back(loop.connect(server));
      made.push_back(owned.back().get());
    }
    return made;
  }
  /// On how many servers the lock is held.
  std::size_t votes() const {
    std::size_t count = 0;
    for (const Emulator& server : servers) count += server.inspect().exists("lock") ? 1 : 0;
    return count;
  }

  std::deque<Emulator> servers;
  LocalLoop loop;
  std::vector<std::unique_ptr<Link>> owned;
  std::optional<LockClient> alice, bob;
};

}  // namespace picklock::test
