// What others can see of a server's work: MONITOR, keyspace events, the slow log, INFO's counters.
//
// Used by the test that plays golden transcripts and compares not the replies, but what they leave
// behind. Holds connections of its own to the target, which it borrows; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <picklock/reply.hpp>

#include "tests/support/target.hpp"

namespace picklock::test {

class Observer {
 public:
  /// Turns on all that can be seen.
  explicit Observer(Target& target);

  /// What was seen since the last call, one fact a line. Empty when the server does not answer now
  /// (CLIENT PAUSE).
  std::vector<std::string> look();

 private:
  std::vector<Reply> take(Channel& channel, const std::vector<std::string>& words = {});
  void reconnect();
  void add_seen(std::vector<std::string>& facts);
  void add_slow(std::vector<std::string>& facts);
  void add_counted(std::vector<std::string>& facts);

  Target& target_;
  std::unique_ptr<Channel> monitor_, events_, asker_;
  std::map<std::string, std::int64_t> counters_;
};

}  // namespace picklock::test
