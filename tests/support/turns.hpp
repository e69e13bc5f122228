// The lock of the comparisons: clients that try once a round, against a clock that ticks freely.
//
// Spin's model (tests/promela) is the same protocol under the same bound, and the benchmarks run it
// at the sizes that others publish. Immutable once made; scenarios keep what they need.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <picklock/race.hpp>

namespace picklock::race {

struct TurnSettings {
  int clients = 2;  ///< 1 to 8.
  int rounds = 1;   ///< Tries of each.
  int ticks = 2;    ///< Of the clock, a millisecond each.
  /// Frees the lock by GET, a comparison of its own and DEL, as no client should.
  bool gets_then_deletes = false;
  /// Does not give back what came too late to be used.
  bool keeps_late_locks = false;
};

/// Where a client is, between two requests.
enum class Phase : std::uint8_t { fresh, acquiring, inside, reading, deleting, releasing, done };

/// A script that was run, and how it ended: enough to run it again without a server.
struct ScriptRun {
  bool acquires = false;
  bool succeeded = false;
  const std::string* token = nullptr;
};

/// What a run shows of its clients while it goes on. Reset by the scenario.
struct TurnsView {
  struct Client {
    Phase phase = Phase::fresh;
    int rounds_left = 0;
  };
  std::vector<Client> clients;
  Node* redis = nullptr;
  bool overlapped = false;         ///< Two were inside at once.
  std::vector<ScriptRun> scripts;  ///< Of all runs together.
};

/// The name of client `index`, with which its tokens begin: "alice:1".
std::string_view turns_client(std::size_t index);
inline constexpr std::string_view kTurnsKey = "lock";
inline constexpr std::chrono::milliseconds kTurnsTtl{2};

/// Each client: try to take the lock; if that worked and the reply came in time, be inside; give it
/// back; the next round. The worker after the clients is the clock. `view` may be null.
Scenario make_turns(const TurnSettings& settings, std::shared_ptr<TurnsView> view = nullptr);

/// Without faults; messages are as late as the clock lets them.
ExploreOptions turns_options(const TurnSettings& settings);

}  // namespace picklock::race
