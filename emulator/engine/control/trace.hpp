// The trace: the last requests of all clients with what came of them, for those who look for why a
// test has failed.
//
// A value of bounded size; not thread-safe. The engine fills it while it is on (steering.cpp), and
// PICKLOCK TRACE and Emulator::trace() read it.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include <picklock/steering.hpp>

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class Trace {
 public:
  bool is_on() const { return most_ > 0; }
  std::size_t most() const { return most_; }
  /// Keeps the last `most` requests from now on; 0 turns it off and forgets what there was.
  void keep(std::size_t most);
  /// `held_back`: the reply comes later, see answered().
  void add(TraceLine line, bool held_back);
  /// The request that `client` was waiting with has its answer.
  void answered(std::uint64_t client, Instant now);
  void clear();

  /// What has become of a key since take_effects().
  void note(TraceEffect effect);
  /// Puts what was noted into `line`, or drops it if that is null.
  void take_effects(TraceLine* line);
  bool in_request = false;  ///< A request is being carried out whose line comes behind it.

  /// The oldest first.
  const std::deque<TraceLine>& lines() const { return lines_; }

 private:
  std::size_t most_ = 0;
  std::deque<TraceLine> lines_;
  std::uint64_t dropped_ = 0;                       // Lines that there were before those.
  std::vector<TraceEffect> noted_;
  std::uint64_t not_noted_ = 0;
  std::map<std::uint64_t, std::uint64_t> waiting_;  // The number of a client's open line.
};

/// A request in the form of TraceLine::request.
std::string traced_words(Args words);
/// A reply in the form of TraceLine::reply.
std::string traced_reply(std::string text);
/// One line of PICKLOCK TRACE.
std::string to_text(const TraceLine& line);

}  // namespace picklock
