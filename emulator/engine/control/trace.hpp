// The trace: the last requests of all clients with what came of them, for those who look for why a
// test has failed.
//
// A value of bounded size; not thread-safe. The engine fills it while it is on (steering.cpp), and
// PICKLOCK TRACE and Emulator::trace() read it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/steering.hpp>

#include "emulator/engine/control/trace_row.hpp"

namespace picklock {

class Trace {
 public:
  bool is_on() const { return most_ > 0; }
  std::size_t most() const { return most_; }
  /// Keeps the last `most` requests from now on; 0 turns it off and forgets what there was.
  void keep(std::size_t most);
  /// A row to begin; it comes back with add().
  TraceRow new_row();
  /// Ends the row, with the effects that were noted. `held_back`: the reply comes later, see
  /// answered().
  void add(TraceRow&& row, std::uint64_t changes, bool held_back);
  /// The request that `client` was waiting with has its answer.
  void answered(std::uint64_t client, Instant now);
  void clear();

  /// What has become of keys there by that client's doing, for the next row that ends: `effects` is
  /// empty afterwards.
  void take(KeyEffects& effects, int database, std::uint64_t client);
  bool has_effects() const { return noted_count_ > 0; }
  void drop_effects();
  bool in_request = false;  ///< A request is being carried out whose line comes behind it.

  std::size_t size() const { return rows_.size(); }
  /// The last `count`, the oldest first.
  std::vector<TraceLine> last(std::size_t count) const;

 private:
  void note(const KeyEffects::Effect& effect);
  /// Where the row stands that has so many older ones before it.
  std::size_t place_of(std::size_t index) const { return (first_ + index) % rows_.size(); }

  std::size_t most_ = 0;
  std::vector<TraceRow> rows_;
  std::size_t first_ = 0;  // The oldest of them, once there are `most_`: they stand in a ring.
  TraceRow spare_;
  std::uint64_t dropped_ = 0;  // Rows that there were before those.
  KeyEffects noted_;
  std::size_t noted_count_ = 0;
  std::uint64_t not_noted_ = 0;
  std::map<std::uint64_t, std::uint64_t> waiting_;  // The number of a client's open line.
};

/// One line of PICKLOCK TRACE.
std::string to_text(const TraceLine& line);

}  // namespace picklock
