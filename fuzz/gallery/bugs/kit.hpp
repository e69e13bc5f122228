// What the scenarios of the bug suite share: a stage with one lock, a client as it should be, three
// nodes that vote.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/gallery/bugs.hpp"

namespace picklock::race::bugs {

using namespace std::chrono_literals;

inline constexpr std::string_view kKey = "lock";
inline constexpr Duration kTtl = 100ms;
/// How often a watchdog renews.
inline constexpr Duration kTick = 33ms;

/// KEYS[1] the lock, ARGV[1] the token: the lock goes if it is the token's.
inline constexpr std::string_view kReleaseScript =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
/// The same with a ttl in ARGV[2], which the lock gets.
inline constexpr std::string_view kExtendScript =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
    "end return 0";

constexpr Faults only(int Faults::*kind) {
  Faults faults = Faults::none();
  faults.*kind = 1;
  return faults;
}

/// A server, a section, and the key that is its lock. Cheap to copy.
struct Stage {
  Node* redis;
  Exclusive* section;
  LockKey lock;
};
Stage make_stage(World& world);

inline std::int64_t in_ms(Duration duration) { return duration / std::chrono::milliseconds{1}; }
/// A token for this worker's hold number `hold`.
std::string token_of(Worker& worker, int hold = 1);

inline Call set_nx(Worker& worker, Node& node, std::string_view token, Duration ttl = kTtl,
                   std::string_view key = kKey) {
  return worker.call(node, "SET", key, token, "NX", "PX", in_ms(ttl));
}
inline Call release(Worker& worker, Node& node, std::string_view token,
                    std::string_view key = kKey) {
  return worker.call(node, "EVAL", kReleaseScript, 1, key, token);
}
inline Call extend(Worker& worker, Node& node, std::string_view token, Duration ttl = kTtl) {
  return worker.call(node, "EVAL", kExtendScript, 1, kKey, token, in_ms(ttl));
}

/// Asks, and once more if the connection breaks.
Task<Reply> insist(Worker& worker, Node& node, std::vector<std::string> words);
/// SET NX until it succeeds or `patience` is over, with pauses in between.
Task<bool> acquire(Worker& worker, Node& node, std::string_view token, Duration ttl = kTtl,
                   Duration patience = 3 * kTtl);

/// A client that does everything right, but for what is given.
struct Habits {
  Task<bool> (*acquire)(Worker& worker, Node& node, std::string_view token) = nullptr;
  Task<> (*release)(Worker& worker, Node& node, std::string_view token) = nullptr;
  Duration ttl = kTtl;             ///< What it takes for the ttl.
  std::string_view token{};        ///< Empty: one of its own.
  bool counts_from_reply = false;  ///< Its validity begins when the answer comes.
  Duration clock_grain{1};         ///< It reads its clock so coarsely.
};
Task<> take_turn(Worker& worker, Stage stage, Habits habits);
/// One that holds the lock nearly to its end.
Task<> hold_for_long(Worker& worker, Stage stage);
/// `count` workers that take turns so.
void spawn_turns(World& world, Stage stage, Habits habits, int count = 2);

/// Three independent servers.
using Nodes = std::array<Node*, 3>;
Nodes make_nodes(World& world);
/// Asks every node for its vote and returns how many gave it. A broken connection is none.
Task<int> vote(Worker& worker, Nodes nodes, std::string_view token, Duration ttl = kTtl);
/// Takes the votes back, each asked for twice if need be.
Task<> give_back(Worker& worker, Nodes nodes, std::string_view token);

// The groups of the catalogue.
std::span<const Bug> ownership_bugs();
std::span<const Bug> clock_bugs();
std::span<const Bug> lost_reply_bugs();
std::span<const Bug> watchdog_bugs();
std::span<const Bug> identity_bugs();
std::span<const Bug> read_write_bugs();
std::span<const Bug> queue_bugs();
std::span<const Bug> wake_up_bugs();
std::span<const Bug> quorum_bugs();
std::span<const Bug> fence_bugs();

}  // namespace picklock::race::bugs
