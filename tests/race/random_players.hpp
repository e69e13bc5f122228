// Workers that do what a plan says: coroutines, code that blocks, and values.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <picklock/race.hpp>
#include <picklock/race/blocking.hpp>

#include "tests/race/random_plan.hpp"

namespace picklock::race {

/// What the workers of one run share with it.
struct Stage {
  std::vector<Node*> nodes;
  Exclusive* room = nullptr;
};

/// All that a worker was told, in words.
struct Told {
  std::string log;
  bool succeeded = true;  ///< By the last step that told anything.

  void hear(const Reply& reply);
  void lose();
  void be_late();
  std::uint64_t digest() const;
};

/// Does one step after the other, as a coroutine.
Task<> play(Worker& worker, const Plan& plan, const Stage& stage, std::size_t index, Told& told);

/// The same as code that blocks; a pipeline is one request after the other, and nothing is heard.
void play(BlockingWorker& worker, const Plan& plan, const Stage& stage, std::size_t index,
          Told& told);

/// The same as a value, for World::spawn_value().
class Machine {
 public:
  /// All three must outlive it.
  Machine(const Plan& plan, const Stage& stage, std::size_t index)
      : plan_(&plan), stage_(&stage), index_(index) {}

  /// nullopt: it has come to its end.
  std::optional<Next> go_on(Worker& worker);
  const Told& told() const { return told_; }
  /// nullopt unless the plan has workers name their state.
  std::optional<std::uint64_t> digest(Instant now) const;

 private:
  const PlannedStep& step() const { return plan_->workers[index_][at_]; }
  Node& node() const { return *stage_->nodes[step().node]; }
  std::optional<Next> begin(Worker& worker);
  std::optional<Next> wait(Worker& worker);
  std::optional<Next> hear_replies(Worker& worker);
  std::optional<Next> hear_messages(Worker& worker);
  void finish(Worker& worker);

  const Plan* plan_;
  const Stage* stage_;
  std::size_t index_;
  std::size_t at_ = 0;
  bool busy_ = false;  ///< With a step that it has begun.
  Told told_;
  KeptTurn turn_;
  bool inside_ = false;
  std::optional<Call> call_;
  std::array<Link::Ticket, 2> tickets_{};
  std::size_t heard_ = 0;
  Instant begun_{};
  Instant end_{};
};

}  // namespace picklock::race
