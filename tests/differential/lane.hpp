// One client of a run: its connections to both servers, and the requests whose replies are to come.
//
// What both servers sent is compared reply by reply; who has none yet on one of them must have none
// on the other. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tests/differential/claims.hpp"
#include "tests/differential/normalisers.hpp"
#include "tests/support/target.hpp"

namespace picklock::test {

/// A disagreement of the two servers, for people to read.
struct Mismatch {
  std::string request;
  std::string theirs;
  std::string ours;
};

class Lane {
 public:
  /// Opens connections that speak protocol `resp`.
  Lane(Target& theirs, Target& ours, int resp);

  /// A request that both connections are about to get.
  void expect(const Words& request) { claims_.expect(request); }
  /// Sends what was expected, as each server is to read it.
  void send(std::string_view to_theirs, std::string_view to_ours);
  /// Compares what has come since the last time.
  std::optional<Mismatch> hear(Normalisers& normalisers);

  /// The requests that are not answered yet.
  std::size_t waiting() const { return claims_.waiting(); }
  bool closed() const { return theirs_->closed(); }
  const std::string& their_id() const { return their_id_; }
  const std::string& our_id() const { return our_id_; }

 private:
  std::optional<Mismatch> compare(std::string_view theirs, std::string_view ours,
                                  Normalisers& normalisers);

  std::unique_ptr<Channel> theirs_;
  std::unique_ptr<Channel> ours_;
  std::string their_id_;
  std::string our_id_;
  std::string their_answer_;  // Not compared yet.
  std::string our_answer_;
  Claims claims_;
};

/// A reply as people and as machines read it.
std::string readable(std::string_view reply);
std::string typed(const Words& words);

}  // namespace picklock::test
