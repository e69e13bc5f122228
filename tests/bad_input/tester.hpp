// Plays the command lines of golden transcripts, each followed by its spoilt versions, on the real
// server and on the emulator, and collects where their bytes differ.
//
// What the servers hold then drifts away from what the transcript speaks of; it drifts in the same
// way on both. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/bad_input/mutants.hpp"
#include "tests/differential/side_by_side.hpp"
#include "tests/support/transcript.hpp"

namespace picklock::test {

struct BadInputDifference {
  std::string where;    // The transcript and line that the request was made of.
  std::string request;  // As one would type it.
  std::string theirs;
  std::string ours;
};

class BadInputTester {
 public:
  using MakeCandidate = SideBySide::MakeCandidate;

  BadInputTester(RealRedis& real, MakeCandidate make_candidate, int resp)
      : real_(real), make_candidate_(std::move(make_candidate)), resp_(resp) {}

  /// Plays one transcript on emptied servers. Of the steps every `stride`-th, from `offset` on,
  /// is spoilt. Throws TargetDied when the real server dies.
  void play(const Transcript& transcript, std::size_t stride, std::size_t offset);

  const std::vector<BadInputDifference>& differences() const { return differences_; }
  std::size_t requests() const { return requests_; }
  Normalisers& normalisers() { return normalisers_; }

 private:
  struct Pair {
    std::unique_ptr<Channel> theirs;
    std::unique_ptr<Channel> ours;
  };

  Pair connect();
  void spoil(const Words& words);
  void exchange(Pair& pair, const std::vector<Words>& requests);
  void differ(const Words& request, std::string_view theirs, std::string_view ours);

  RealRedis& real_;
  MakeCandidate make_candidate_;
  int resp_;
  Candidate candidate_;
  Normalisers normalisers_;
  std::string where_;
  std::size_t requests_ = 0;
  std::vector<BadInputDifference> differences_;
};

}  // namespace picklock::test
