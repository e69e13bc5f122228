// The reviewed table of what may differ between two real servers, and so between the real one and
// ours.
//
// Replies are compared as bytes first. Only when these differ is the table asked, and each row
// counts how often it was needed. A Normalisers object belongs to one thread.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/reply.hpp>

#include "tests/differential/message_runs.hpp"
#include "tests/differential/sequence.hpp"

namespace picklock::test {

/// One row: for which requests it speaks, and when two replies then count as equal.
struct Normaliser {
  std::string_view name;
  std::string_view reason;
  bool (*applies)(const Words& request);
  bool (*equal)(const Reply& theirs, const Reply& ours);
};

class Normalisers {
 public:
  Normalisers();
  /// Whether some row makes the replies to `request`, given as bytes, equal.
  bool excuse(const Words& request, std::string_view theirs, std::string_view ours);
  /// How many of the replies, the first of which belongs to `request` (null: to none), are equal as
  /// a run of messages may be; 0 for none.
  std::size_t excuse_run(const Words* request, Replies theirs, Replies ours);
  /// What a client hears, without what a line of MONITOR tells of the server itself.
  std::string mark_monitored(std::string_view stream);
  void print(std::ostream& out) const;

 private:
  std::vector<std::size_t> hits_;
  std::vector<std::size_t> run_hits_;
  std::size_t monitored_ = 0;
};

}  // namespace picklock::test
