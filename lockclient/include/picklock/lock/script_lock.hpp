// A lock by scripts or commands of your own: what you run in production, used, tested and searched
// unchanged.
//
// A ScriptProtocol says what to send and which replies mean what; a ScriptLock acquires, waits,
// renews and releases by it like any other lock. Replies are compared exactly: the string "1" is
// not the integer 1. A reply that is not listed is a protocol error, never "held".
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/clock.hpp>
#include <picklock/lock/locks.hpp>
#include <picklock/reply.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// One request, or several in a row. In `keys`, `arguments` and the texts of listed replies these
/// stand for their values: {name} the lock's name, {owner} the id of this acquisition, by a
/// majority another one at each server, {acquisition} the same at all of them, {client} the id of
/// the client (for scripts that count re-entry), {ttl_ms} and {ttl_s} the ttl (in seconds rounded
/// up), {until_ms} the client's clock when this attempt began, plus the ttl, {heard} what the step
/// before was answered (empty: nil).
struct ScriptStep {
  /// Lua source; empty: `arguments` is a whole command.
  std::string script{};
  std::vector<std::string> keys{};       ///< KEYS of the script.
  std::vector<std::string> arguments{};  ///< ARGV of the script.
  /// Replies that mean: taken, extended, freed.
  std::vector<Reply> success{};
  /// Replies that mean: somebody else's, not ours.
  std::vector<Reply> failure{};
  /// Of a release: a level was given back, the lock is still held.
  std::vector<Reply> still_held{};
  /// Replies after which the first of `then` is sent.
  std::vector<Reply> goes_on{};
  /// So does a string that is an instant (ms) which the client's clock has passed.
  bool past_goes_on = false;
  /// Every reply that is neither listed nor an error means the same as those of `failure`.
  bool otherwise_fails = false;
  /// The steps after this one, in order. They have no `then` of their own.
  std::vector<ScriptStep> then{};

  /// Whether there is nothing to send.
  bool is_empty() const { return script.empty() && arguments.empty(); }
};

/// How a lock is taken, given back and prolonged by scripts or commands of your own.
struct ScriptProtocol {
  ScriptStep acquire;  ///< Must not be empty.
  ScriptStep release;  ///< Must not be empty.
  /// May be empty: then there is no extending, no watchdog and no adopting.
  ScriptStep extend{};
  /// Whether all servers of the client are asked at once, and the lock is held by a majority of at
  /// least three (Redlock); if not, the client must have one server.
  bool by_majority = false;
  /// Where releases are announced; empty: waiters poll. {name} stands for the lock's name. A
  /// channel that your release publishes on; or, where the server sends keyspace events (CONFIG SET
  /// notify-keyspace-events Kgx), "__keyspace@0__:{name}": it hears of every end, expiry included.
  std::string channel{};
  /// Whether asking again does no harm when an answer was lost: acquire then says that it is ours
  /// already, release that it was ours. If not, a doubtful acquisition is released and tried anew,
  /// and a doubtful release is Released::unknown.
  bool repeats_acquire = false;
  /// The same of release.
  bool repeats_release = false;
  /// A doubtful acquisition is left to its ttl, for releasing it could end another's hold.
  bool leaves_doubtful = false;
  /// The client's wall clock, given the time of its link, for {until_ms} and `past_goes_on`; empty:
  /// the time of its link.
  std::function<Instant(Instant)> clock{};
  // What published clients do wrong; never set these in a lock that is to be relied on.
  /// acquire_within(limit) takes the limit for the ttl.
  bool takes_wait_for_ttl = false;
  /// acquire_within(limit) waits for so small a part of the limit.
  int wait_divisor = 1;
  /// The timer of a renewed hold is not stopped by its release: it goes on for as long as the
  /// server says that the lock is held.
  bool renews_after_release = false;
};

/// A lock by your own scripts, unchanged. Errors as of AnyLock; invalid_argument for a protocol
/// that makes no sense.
class ScriptLock : public AnyLock {
 public:
  /// `name` is what {name} stands for.
  ScriptLock(LockClient client, std::string name, ScriptProtocol protocol,
             LockOptions options = {});
  /// The same over one link.
  ScriptLock(Link& link, std::string name, ScriptProtocol protocol, LockOptions options = {});
};

/// A protocol that people run, by the name that the gallery of picklock-fuzz gives it.
struct WellKnownProtocol {
  /// As `picklock-fuzz list` shows it.
  std::string_view name;
  std::string_view summary;  ///< How it takes and frees the lock.
  /// What goes wrong with it, in a sentence; empty: nothing but what no lock without fencing
  /// survives, a pause beyond the ttl.
  std::string_view weakness;
  /// The name of a protocol that lacks the weakness; empty if there is none to mend.
  std::string_view twin;
  /// Makes the protocol.
  ScriptProtocol (*make)();
  /// Whether its users have a watchdog: LockOptions::renew.
  bool renewed = false;
  /// Whether a lock of it can be taken at all (a release that does not compile: never freed).
  bool usable = true;
};
/// All of them, in order of their names.
std::span<const WellKnownProtocol> well_known_protocols();
/// The one called `name`. Throws std::out_of_range, listing the names, if there is none.
ScriptProtocol well_known_protocol(std::string_view name);

}  // namespace picklock

#pragma GCC visibility pop
