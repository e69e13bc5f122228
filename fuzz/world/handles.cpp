// The public faces of the properties: Permits, ReadWrite, LockKey, Wait, Fence, Rest, and the
// declarations of the World.
#include <stdexcept>

#include "fuzz/world/baton.hpp"
#include "fuzz/world/own_deeds.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

/// A section that any number of readers fits into, or one writer.
constexpr std::int64_t kWholeRoom = std::int64_t{1} << 32;

}  // namespace

Permits World::permits(std::string_view name, std::int64_t limit) {
  const std::size_t index = simulation_->exclusive(name).index_;
  simulation_->oracles_.set_room(index, {limit, Oracle::permits});
  return {simulation_, index};
}
ReadWrite World::read_write(std::string_view name) {
  const std::size_t index = simulation_->exclusive(name).index_;
  simulation_->oracles_.set_room(index, {kWholeRoom, Oracle::read_write});
  return {simulation_, index};
}
Turn Permits::take(Worker& worker, std::int64_t count, std::optional<Instant> until) const {
  const Claim claim{.until = until};
  return Turn{simulation_,
              simulation_->enter(index_, worker.index_, until ? &claim : nullptr, count)};
}
Turn ReadWrite::read(Worker& worker, std::optional<Instant> until) const {
  const Claim claim{.until = until};
  return Turn{simulation_, simulation_->enter(index_, worker.index_, until ? &claim : nullptr, 1)};
}
Turn ReadWrite::write(Worker& worker, std::optional<Instant> until) const {
  const Claim claim{.until = until};
  return Turn{simulation_,
              simulation_->enter(index_, worker.index_, until ? &claim : nullptr, kWholeRoom)};
}

LockKey World::lock_key(Node& node, std::string_view key) {
  return {simulation_, simulation_->oracles_.lock_key(simulation_->node_index(node), key)};
}
const LockKey& LockKey::taken_within(Duration bound) const {
  simulation_->oracles_.properties().set_bound(index_, bound);
  return *this;
}
const LockKey& LockKey::overtaken_at_most(int times) const {
  simulation_->oracles_.properties().set_overtakes(index_, times);
  return *this;
}
Wait LockKey::wait(Worker& worker) const {
  ++simulation_->visible_events_;
  return {simulation_,
          simulation_->oracles_.properties().wait(index_, worker.index_, simulation_->now_)};
}
void LockKey::expect_count(Worker& worker, std::string_view token, std::int64_t count) const {
  ++simulation_->visible_events_;
  Simulation::Server& server =
      simulation_->servers_[simulation_->oracles_.lock_keys()[index_].node];
  simulation_->sync(server);
  simulation_->oracles_.properties().expect_count(index_, worker.index_, token, count,
                                                  server.redis.inspect());
}
void LockKey::over(Worker& worker, std::string_view token) const {
  ++simulation_->visible_events_;
  simulation_->oracles_.properties().over(index_, worker.index_, token);
}

Wait::~Wait() {
  if (simulation_ == nullptr || is_left_behind()) return;
  ++simulation_->visible_events_;
  simulation_->oracles_.properties().end_wait(slot_);
}
void Wait::taken() {
  if (simulation_ == nullptr) return;
  ++simulation_->visible_events_;
  std::exchange(simulation_, nullptr)->oracles_.properties().taken(slot_);
}

KeptWait Wait::keep() && { return {std::exchange(simulation_, nullptr), slot_}; }
void KeptWait::taken() {
  if (simulation_ == nullptr) return;
  ++simulation_->visible_events_;
  std::exchange(simulation_, nullptr)->oracles_.properties().taken(slot_);
}
void KeptWait::give_up() {
  if (simulation_ == nullptr) return;
  ++simulation_->visible_events_;
  std::exchange(simulation_, nullptr)->oracles_.properties().end_wait(slot_);
}

Fence World::fence(std::string_view name) {
  return {simulation_, simulation_->oracles_.properties().fence(name, kNobody)};
}
Fence World::fence(std::string_view name, const LockKey& lock) {
  return {simulation_, simulation_->oracles_.properties().fence(name, lock.index_)};
}
History World::history(std::string_view name, const LockModel& model) {
  return {simulation_, simulation_->oracles_.histories().add(name, model)};
}
LockCallHandle History::begin(LockCall::Kind kind, Worker& worker, std::int64_t permits) const {
  ++simulation_->visible_events_;
  return {simulation_, simulation_->oracles_.histories().begin(index_, worker.index_, kind, permits,
                                                               simulation_->now_)};
}
LockCallHandle History::acquire(Worker& worker, std::int64_t permits) const {
  return begin(LockCall::Kind::acquire, worker, permits);
}
LockCallHandle History::release(Worker& worker, std::int64_t permits) const {
  return begin(LockCall::Kind::release, worker, permits);
}
void LockCallHandle::granted(std::optional<Instant> until) const {
  ++simulation_->visible_events_;
  Histories& histories = simulation_->oracles_.histories();
  if (until) until = simulation_->processes_[histories.worker_of(place_)].clock.world_until(*until);
  histories.answer(place_, LockCall::Answer::granted, until, simulation_->now_);
}
void LockCallHandle::refused() const {
  ++simulation_->visible_events_;
  simulation_->oracles_.histories().answer(place_, LockCall::Answer::refused, {},
                                           simulation_->now_);
}

bool Fence::write(Worker& worker, FencingToken token) const {
  ++simulation_->visible_events_;
  const bool taken = simulation_->oracles_.properties().write(index_, worker.index_, token);
  simulation_->processes_[worker.index_].hear(taken ? 0xfe1 : 0xfe0);
  return taken;
}
void Fence::write_unchecked(Worker& worker, std::int64_t token) const {
  ++simulation_->visible_events_;
  simulation_->oracles_.properties().write_unchecked(index_, worker.index_, {0, token});
}

void Worker::expect(bool condition, std::string_view sentence) {
  simulation_->oracles_.properties().expect(index_, condition, sentence);
}
void World::at_most_commands(int count) {
  simulation_->oracles_.properties().set_most_commands(count);
}
void World::leaves_nothing(Node& node, Duration within,
                           std::initializer_list<std::string_view> kept) {
  Properties::Clean clean;
  clean.node = simulation_->node_index(node);
  clean.within = within;
  clean.kept = simulation_->servers_[clean.node].redis.inspect().keys();
  clean.kept.insert(clean.kept.end(), kept.begin(), kept.end());
  simulation_->oracles_.properties().leaves_nothing(std::move(clean));
}
void World::at_rest(std::function<void(Rest&)> check) {
  if (!check) throw std::invalid_argument{"World::at_rest() needs a function to call"};
  simulation_->oracles_.properties().at_rest().push_back(std::move(check));
}

void Rest::later(Duration duration) { simulation_->now_ += duration; }
Reply Rest::call(Node& node, std::span<const std::string_view> words) {
  Simulation::Server& server = simulation_->servers_[simulation_->node_index(node)];
  simulation_->sync(server);
  server.touch();
  const OutOfPause scope{server.engine};
  return server.control().call(words);
}
void Rest::expect(bool condition, std::string_view sentence) {
  simulation_->oracles_.properties().expect(kNobody, condition, sentence);
}

/// Nothing can happen any more: is everything as it should be at rest?
void Simulation::check_rest() {
  for (std::size_t i = 0; i < worker_count_; ++i) {
    if (!facts_[i].gone)
      oracles_.report({.verdict = Class::violation, .oracle = Oracle::stuck, .subject = i});
  }
  if (oracles_.finding().verdict < Class::violation) oracles_.histories().judge();
  if (oracles_.finding().verdict < Class::violation) check_endings();
}

/// All workers have gone: what was declared about the end is checked.
void Simulation::check_endings() {
  Properties& properties = oracles_.properties();
  for (const Properties::Clean& clean : properties.clean()) {
    Server& server = servers_[clean.node];
    sync(server);
    properties.check_clean(clean, server.redis.inspect(), server.local_clock.wall(now_));
  }
  Rest rest{this};
  begin_turn(kScenario);
  for (const std::function<void(Rest&)>& check : properties.at_rest()) check(rest);
  end_turn();
}

}  // namespace picklock::race
