// The trace: the last requests of all clients with what came of them, for those who look for why a
// test has failed.
//
// A value of bounded size; not thread-safe. The engine fills it while it is on (steering.cpp), and
// PICKLOCK TRACE and Emulator::trace() read it.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/steering.hpp>

#include "emulator/keyspace/key_effects.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// A TraceLine before anybody reads it: what takes time is left to do. Used again and again.
struct TraceEntry {
  Instant at;
  std::uint64_t client = 0;
  std::string name;
  int database = 0;
  std::string words;         ///< The beginnings of the first words, see pack_words().
  std::size_t all_words = 0;
  std::string reply;         ///< At least the part of it that is shown.
  std::uint64_t changes = 0;
  std::string fault;
  KeyEffects effects;
  std::uint64_t more_effects = 0;
};

class Trace {
 public:
  using Entry = std::unique_ptr<TraceEntry>;

  bool is_on() const { return most_ > 0; }
  std::size_t most() const { return most_; }
  /// Keeps the last `most` requests from now on; 0 turns it off and forgets what there was.
  void keep(std::size_t most);
  /// An entry to fill in, with strings that may still hold those of an old one.
  Entry make_entry();
  /// `held_back`: the reply comes later, see answered().
  void add(Entry entry, bool held_back);
  /// The request that `client` was waiting with has its answer.
  void answered(std::uint64_t client, Instant now);
  void clear();

  /// What has become of a key since take_effects().
  void note(const KeyEffects::Effect& effect);
  /// Puts what was noted into `entry`, or drops it if that is null.
  void take_effects(TraceEntry* entry);
  bool in_request = false;  ///< A request is being carried out whose line comes behind it.

  std::size_t size() const { return entries_.size(); }
  /// The last `count`, the oldest first.
  std::vector<TraceLine> last(std::size_t count) const;

 private:
  void drop_first();

  std::size_t most_ = 0;
  std::deque<Entry> entries_;
  std::vector<Entry> spare_;  // One, or more while requests lead to others.
  std::uint64_t dropped_ = 0;                       // Entries that there were before those.
  KeyEffects noted_;
  std::size_t noted_count_ = 0;
  std::uint64_t not_noted_ = 0;
  std::map<std::uint64_t, std::uint64_t> waiting_;  // The number of a client's open line.
};

/// Notes of a request what TraceLine::request shows.
void pack_words(TraceEntry& entry, Args words);
/// As much of a reply as TraceLine::reply shows.
inline constexpr std::size_t kTracedReplyBytes = 160;
/// One line of PICKLOCK TRACE.
std::string to_text(const TraceLine& line);

}  // namespace picklock
