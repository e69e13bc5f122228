#include "fuzz/gallery/core_worker.hpp"

#include <algorithm>

namespace picklock::race {

CoreWorker::CoreWorker(CoreTask task)
    : task_(std::make_shared<const CoreTask>(std::move(task))),
      core_(task_->nodes.size()),
      connections_(task_->nodes.size(), 1) {}

Next CoreWorker::operator()(Worker& worker) {
  Next next = go_on(worker);
  digest_ = core_.slots() == 0 ? 0 : core_.state_digest();
  for (const std::uint64_t connection : connections_) digest_ = digest_ * 31 + connection;
  digest_ = digest_ * 1000 + static_cast<std::uint64_t>(rounds_) * 2 + (inside_ ? 1 : 0);
  return next;
}

Next CoreWorker::go_on(Worker& worker) {
  const Instant now = worker.now();
  if (rounds_ == 0) begin_round(now);
  if (std::exchange(inside_, false)) {
    turn_.leave();
    core_.release(slot_, now);
  }
  hear(worker, now);
  for (auto wake = core_.wake(); wake && *wake <= now; wake = core_.wake()) core_.time(now);
  const bool enters = was_acquired();
  send(worker);
  if (enters) return stay(worker);
  if (core_.slots() == 0) {
    if (rounds_ == task_->rounds) return Next::end();
    begin_round(now);
    send(worker);
  }
  if (const auto wake = core_.wake()) worker.link(*task_->nodes.front()).wake_at(*wake);
  return worker.event();
}

void CoreWorker::begin_round(Instant now) {
  ++rounds_;
  slot_ = core_.add(task_->protocol, lock::Terms{task_->terms}, task_->seed, now);
}

void CoreWorker::hear(Worker& worker, Instant now) {
  for (std::size_t node = 0; node < task_->nodes.size(); ++node) {
    Link& link = worker.link(*task_->nodes[node]);
    while (hear_answers(link, node, now)) continue;
    if (link.connections() != connections_[node]) core_.reconnected(node, now);
    connections_[node] = link.connections();
    while (const std::optional<Reply> message = link.message()) core_.messaged(node, *message, now);
  }
}

/// In the order of the requests; a lost connection ends all that is not answered. False if nothing
/// has come.
bool CoreWorker::hear_answers(Link& link, std::size_t node, Instant now) {
  const auto flight = std::find_if(flights_.begin(), flights_.end(),
                                   [node](const Flight& one) { return one.node == node; });
  if (flight == flights_.end()) return false;
  const bool lost = link.is_lost(flight->ticket);
  const std::optional<Reply> reply = lost ? std::nullopt : link.reply(flight->ticket);
  if (!lost && !reply) return false;
  const std::uint64_t tag = flight->tag;
  flights_.erase(flight);
  core_.answered(tag, reply ? &*reply : nullptr, now);
  return true;
}

void CoreWorker::send(Worker& worker) {
  while (const auto send = core_.take_send()) {
    Link& link = worker.link(*task_->nodes[send->node]);
    flights_.push_back({send->tag, send->node, link.send(send->words())});
    core_.sent(send->tag, flights_.back().ticket, link.connections());
  }
}

bool CoreWorker::was_acquired() {
  bool acquired = false;
  for (const lock::Notice& notice : core_.take_news())
    acquired |= notice.kind == lock::Notice::Kind::acquired;
  return acquired;
}

Next CoreWorker::stay(Worker& worker) {
  const lock::HoldMachine& hold = *core_.hold(slot_);
  turn_ = task_->section
              ->enter(worker, {.node = task_->nodes.size() == 1 ? task_->nodes.front() : nullptr,
                               .key = task_->key,
                               .token = hold.owner(),
                               .until = hold.valid_until()})
              .keep();
  inside_ = true;
  return worker.pause(Duration{}, hold.valid_until() - worker.now());
}

/// What it has heard of does not change while others run: computed once a run.
std::uint64_t CoreWorker::digest(Instant now) const {
  std::uint64_t hash = digest_;
  const auto add = [&hash](std::uint64_t value) { hash = hash * 0x9e3779b97f4a7c15 + value; };
  add(static_cast<std::uint64_t>(now.time_since_epoch().count()));
  return hash;
}

std::uint64_t CoreWorker::node_digest(const Node& node) const {
  const auto found = std::find(task_->nodes.begin(), task_->nodes.end(), &node);
  if (found == task_->nodes.end()) return 0;  // A server of others.
  const auto index = static_cast<std::size_t>(found - task_->nodes.begin());
  return core_.node_digest(index) * 31 + connections_[index];
}

}  // namespace picklock::race
