// Runs one sequence on two servers and says where they first differ.
//
// Starts from empty: the real server is flushed, the emulator is new, all connections are. The
// emulator's clock is set to the real server's time before each exchange. One thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tests/differential/normalisers.hpp"
#include "tests/differential/sequence.hpp"
#include "tests/support/real_redis.hpp"

namespace picklock::test {

struct Difference {
  std::size_t action =
      0;  // The index of the action whose replies differ; the length for the keyspace.
  std::string request;
  std::string theirs;
  std::string ours;
};

/// The server under test; `follow` sets its clock.
struct Candidate {
  std::unique_ptr<Target> target;
  std::function<void(std::int64_t now_ms)> follow;
};

class SideBySide {
 public:
  using MakeCandidate = std::function<Candidate(std::int64_t now_ms)>;

  SideBySide(RealRedis& real, MakeCandidate make_candidate, Normalisers& normalisers)
      : real_(real), make_candidate_(std::move(make_candidate)), normalisers_(normalisers) {}

  /// Connections start in protocol `resp`. Throws TargetDied, with the sequence in
  /// its text, when the real server dies.
  std::optional<Difference> run(const Sequence& sequence, int resp);

 private:
  RealRedis& real_;
  MakeCandidate make_candidate_;
  Normalisers& normalisers_;
};

}  // namespace picklock::test
