// A lock by scripts or commands of your own: what you run in production, used, tested and searched
// unchanged.
//
// A ScriptProtocol says what to send and which replies mean what; a ScriptLock acquires, waits,
// renews and releases by it like any other lock. Replies are compared exactly: the string "1" is
// not the integer 1. A reply that is not listed is a protocol error, never "held".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <picklock/lock/locks.hpp>
#include <picklock/reply.hpp>

namespace picklock {

/// One request. In `keys` and `arguments` these stand for their values: {name} the lock's name,
/// {owner} the id of this acquisition, {client} the id of the client (for scripts that count
/// re-entry), {ttl_ms} and {ttl_s} the ttl (in seconds rounded up).
struct ScriptStep {
  /// Lua source; empty: `arguments` is a whole command.
  std::string script{};
  std::vector<std::string> keys{};
  std::vector<std::string> arguments{};
  /// Replies that mean: taken, extended, freed.
  std::vector<Reply> success{};
  /// Replies that mean: somebody else's, not ours.
  std::vector<Reply> failure{};
  /// Of a release: a level was given back, the lock is still held.
  std::vector<Reply> still_held{};

  bool is_empty() const { return script.empty() && arguments.empty(); }
};

struct ScriptProtocol {
  ScriptStep acquire;
  ScriptStep release;
  ScriptStep extend{};  ///< May be empty: then there is no extending and no watchdog.
  /// Where your releases are announced by PUBLISH; empty: waiters poll.
  std::string channel{};
  /// Whether asking again does no harm when an answer was lost: acquire then says that it is ours
  /// already, release that it was ours. If not, a doubtful acquisition is released and tried anew,
  /// and a doubtful release is Released::unknown.
  bool repeats_acquire = false;
  bool repeats_release = false;
};

class ScriptLock : public AnyLock {
 public:
  ScriptLock(LockClient client, std::string name, ScriptProtocol protocol,
             LockOptions options = {});
  ScriptLock(Link& link, std::string name, ScriptProtocol protocol, LockOptions options = {});
};

/// The well-known protocols, by the names that the gallery of picklock-fuzz gives them. Throws
/// std::out_of_range, listing the names, if there is none of this name.
ScriptProtocol well_known_protocol(std::string_view name);
/// Their names, in order.
std::vector<std::string_view> well_known_protocols();

}  // namespace picklock
