// How far a search is, for people: one line on standard error, written over and over.
//
// Reads a clock, as does main(), which tells how long a table takes; nothing of it reaches the
// search. On a terminal the line is rewritten; elsewhere it is a line a second, if asked for. Not
// thread-safe.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include <picklock/race/verdict.hpp>

namespace picklock::race {

/// "1200 of 5000 schedules, 600 a second, 31 edges (2 new), unseen 0.0017, 6 s left".
/// `since`: the progress that was shown before.
std::string describe(const Progress& progress, const Progress& since,
                     std::chrono::duration<double> elapsed);

class Meter {
 public:
  /// `rewrites`: the output is a terminal.
  Meter(std::ostream& out, bool rewrites);
  void show(const Progress& progress);

 private:
  /// Takes the line away from a terminal, for the report that comes.
  void clear();

  std::ostream& out_;
  bool rewrites_;
  bool dirty_ = false;
  Progress last_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace picklock::race
