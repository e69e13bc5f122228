// A replica of a real server that only listens: the commands that its primary sends it.
//
// Speaks PSYNC over the server's Unix socket, skips the data that come first, and what is no effect
// (PING, REPLCONF). One thread.
#pragma once

#include <string>
#include <vector>

#include "emulator/engine/effects.hpp"
#include "emulator/resp/reply_parser.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/real_redis.hpp"

namespace picklock::test {

class ListeningReplica {
 public:
  /// Returns once the server streams. Throws TargetDied when it does not take a replica.
  explicit ListeningReplica(const std::string& socket_path);
  /// The effects since the last call, up to one that PUBLISHes `marker`, which is left out.
  std::vector<Effect> read_until(std::string_view marker);

 private:
  bool next(Effect& effect);
  void fill();

  RawClient client_;
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace picklock::test
