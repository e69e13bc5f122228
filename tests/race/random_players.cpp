#include "tests/race/random_players.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "fuzz/world/digest.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;
using Does = PlannedStep::Kind;

constexpr milliseconds kPatience{6};  // For the replies to a pipeline.

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

/// W is Worker or BlockingWorker.
template <class W>
bool is_left_out(W& worker, const PlannedStep& step, const Told& told) {
  if (step.only_after_success && !told.succeeded) return true;
  return step.only_when_drawn && worker.random() % 2 != 0;
}

template <class W>
void judge(W& worker, const PlannedStep& step, Instant begun, Told& told) {
  if (step.limit.count() > 0 && worker.now() - begun > step.limit) told.be_late();
}

}  // namespace

void Told::hear(const Reply& reply) {
  log += reply.to_string() + ", ";
  succeeded = !reply.is_null() && reply != 0 && !reply.is_error();
}

void Told::lose() { log += "lost, "; }

void Told::be_late() {
  log += "late, ";
  succeeded = false;
}

std::uint64_t Told::digest() const { return race::digest(log) * 2 + (succeeded ? 1 : 0); }

/// A worker that is a coroutine.
class Player {
 public:
  Player(Worker& worker, const Stage& stage, Told& told)
      : worker_(worker), stage_(stage), told_(told) {}

  Task<> play(const PlannedStep& step) {
    if (is_left_out(worker_, step, told_)) co_return;
    told_.succeeded = false;
    const Instant begun = step.limit.count() > 0 ? worker_.now() : Instant{};
    std::optional<Turn> inside = std::exchange(turn_, std::nullopt);
    Node& node = *stage_.nodes[step.node];
    try {
      switch (step.kind) {
        case Does::request:
          told_.hear(co_await worker_.call(node, views(step.words)));
          break;
        case Does::pipeline:
          co_await pipeline(step, worker_.link(node));
          break;
        case Does::sleep:
          co_await worker_.sleep(step.time);
          break;
        case Does::pause:
          co_await worker_.pause(milliseconds{1}, step.time);
          break;
        case Does::hear:
          co_await hear(step.time, worker_.link(node));
          break;
      }
    } catch (const ConnectionLost&) {
      told_.lose();
    }
    inside.reset();
    judge(worker_, step, begun, told_);
    if (step.enters && told_.succeeded && stage_.room != nullptr)
      turn_.emplace(stage_.room->enter(worker_));
  }

  bool is_inside() const { return turn_.has_value(); }

 private:
  Task<> pipeline(const PlannedStep& step, Link& link) {
    const std::array<Link::Ticket, 2> tickets{link.send(views(step.words)),
                                              link.send(views(step.more))};
    const Instant end = worker_.now() + kPatience;
    std::size_t heard = 0;
    while (heard < tickets.size() && worker_.now() < end) {
      const Link::Ticket ticket = tickets.at(heard);
      if (const auto reply = link.reply(ticket)) {
        told_.hear(*reply);
        ++heard;
      } else if (link.is_lost(ticket)) {
        told_.lose();
        ++heard;
      } else {
        link.wake_at(end);
        co_await worker_.event();
      }
    }
  }

  Task<> hear(Duration time, Link& link) {
    const Instant end = worker_.now() + time;
    while (worker_.now() < end) {
      while (const auto message = link.message()) told_.hear(*message);
      link.wake_at(end);
      co_await worker_.event();
    }
    while (const auto message = link.message()) told_.hear(*message);
  }

  Worker& worker_;
  const Stage& stage_;
  Told& told_;
  std::optional<Turn> turn_;
};

Task<> play(Worker& worker, const Plan& plan, const Stage& stage, std::size_t index, Told& told) {
  Player player{worker, stage, told};
  const std::vector<PlannedStep>& steps = plan.workers[index];
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (plan.names_state) worker.digest((told.digest() * 31 + at) * 2 + player.is_inside());
    co_await player.play(steps[at]);
  }
}

void play(BlockingWorker& worker, const Plan& plan, const Stage& stage, std::size_t index,
          Told& told) {
  std::optional<Turn> turn;
  for (const PlannedStep& step : plan.workers[index]) {
    if (is_left_out(worker, step, told)) continue;
    told.succeeded = false;
    const Instant begun = step.limit.count() > 0 ? worker.now() : Instant{};
    std::optional<Turn> inside = std::exchange(turn, std::nullopt);
    Node& node = *stage.nodes[step.node];
    try {
      switch (step.kind) {
        case Does::request:
          told.hear(worker.call(node, views(step.words)));
          break;
        case Does::pipeline:
          told.hear(worker.call(node, views(step.words)));
          told.hear(worker.call(node, views(step.more)));
          break;
        case Does::pause:
          worker.pause(milliseconds{1}, step.time);
          break;
        case Does::sleep:
        case Does::hear:
          worker.sleep(step.time);
          break;
      }
    } catch (const ConnectionLost&) {
      told.lose();
    }
    inside.reset();
    judge(worker, step, begun, told);
    if (step.enters && told.succeeded && stage.room != nullptr)
      turn.emplace(stage.room->enter(worker.worker()));
  }
}

std::optional<Next> Machine::go_on(Worker& worker) {
  if (busy_) {
    if (std::optional<Next> next = wait(worker)) return next;
    finish(worker);
  }
  while (at_ < plan_->workers[index_].size()) {
    if (is_left_out(worker, step(), told_)) {
      ++at_;
      continue;
    }
    told_.succeeded = false;
    begun_ = step().limit.count() > 0 ? worker.now() : Instant{};
    busy_ = true;
    if (std::optional<Next> next = begin(worker)) return next;
    finish(worker);
  }
  return std::nullopt;
}

/// nullopt: there is nothing to wait for.
std::optional<Next> Machine::begin(Worker& worker) {
  switch (step().kind) {
    case Does::request:
      call_ = worker.call(node(), views(step().words));
      return *call_;
    case Does::sleep:
      return worker.sleep(step().time);
    case Does::pause:
      return worker.pause(milliseconds{1}, step().time);
    case Does::pipeline: {
      Link& link = worker.link(node());
      tickets_ = {link.send(views(step().words)), link.send(views(step().more))};
      heard_ = 0;
      end_ = worker.now() + kPatience;
      return hear_replies(worker);
    }
    case Does::hear:
      end_ = worker.now() + step().time;
      return hear_messages(worker);
  }
  return std::nullopt;
}

/// It runs again. nullopt: the step is over.
std::optional<Next> Machine::wait(Worker& worker) {
  switch (step().kind) {
    case Does::request:
      try {
        told_.hear(call_->reply());
      } catch (const ConnectionLost&) {
        told_.lose();
      }
      return std::nullopt;
    case Does::pipeline:
      return hear_replies(worker);
    case Does::hear:
      return hear_messages(worker);
    default:
      return std::nullopt;
  }
}

std::optional<Next> Machine::hear_replies(Worker& worker) {
  Link& link = worker.link(node());
  while (heard_ < tickets_.size() && worker.now() < end_) {
    if (const auto reply = link.reply(tickets_.at(heard_))) {
      told_.hear(*reply);
    } else if (link.is_lost(tickets_.at(heard_))) {
      told_.lose();
    } else {
      link.wake_at(end_);
      return worker.event();
    }
    ++heard_;
  }
  return std::nullopt;
}

std::optional<Next> Machine::hear_messages(Worker& worker) {
  Link& link = worker.link(node());
  while (const auto message = link.message()) told_.hear(*message);
  if (worker.now() >= end_) return std::nullopt;
  link.wake_at(end_);
  return worker.event();
}

void Machine::finish(Worker& worker) {
  turn_.leave();
  judge(worker, step(), begun_, told_);
  inside_ = step().enters && told_.succeeded && stage_->room != nullptr;
  if (inside_) turn_ = stage_->room->enter(worker).keep();
  busy_ = false;
  ++at_;
}

std::optional<std::uint64_t> Machine::digest(Instant now) const {
  if (!plan_->names_state) return std::nullopt;
  std::uint64_t sum = told_.digest();
  const auto add = [&sum](std::uint64_t value) { sum = sum * 0x100000001b3 + value; };
  add(at_);
  add(busy_);
  add(inside_);
  add(heard_);
  if (busy_ && step().limit.count() > 0) add(static_cast<std::uint64_t>((now - begun_).count()));
  if (busy_) add(static_cast<std::uint64_t>(std::max(end_ - now, Duration{}).count()));
  return sum;
}

}  // namespace picklock::race
