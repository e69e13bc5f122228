// A client of the world that is a value: the lock client's Core, driven over the world's links.
//
// It asks for the lock, is inside for as long as the search chooses, and gives it back, as often as
// there are rounds. An exhaustive search copies it where it forks. Used by the gallery and by
// tests.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <picklock/race.hpp>

#include "lockclient/machine/core.hpp"

namespace picklock::race {

/// What a CoreWorker is to do.
struct CoreTask {
  std::vector<Node*> nodes;
  Exclusive* section = nullptr;
  std::string_view key;
  lock::ProtocolRef protocol{};
  lock::Terms terms;
  int rounds = 1;
  std::uint64_t seed = 0;
};

class CoreWorker {
 public:
  explicit CoreWorker(CoreTask task);

  Next operator()(Worker& worker);
  std::uint64_t digest(Instant now) const;
  std::uint64_t node_digest(const Node& node) const;

 private:
  struct Flight {
    std::uint64_t tag = 0;
    std::size_t node = 0;
    Link::Ticket ticket = 0;
  };

  Next go_on(Worker& worker);
  void begin_round(Instant now);
  void hear(Worker& worker, Instant now);
  bool hear_answers(Link& link, std::size_t node, Instant now);
  void send(Worker& worker);
  bool was_acquired();
  Next stay(Worker& worker);

  std::shared_ptr<const CoreTask> task_;
  int rounds_ = 0;
  bool inside_ = false;
  lock::Core core_;
  lock::SlotId slot_ = 0;
  std::deque<Flight> flights_;
  std::vector<std::uint64_t> connections_;
  KeptTurn turn_;
  std::uint64_t digest_ = 0;
};

}  // namespace picklock::race
