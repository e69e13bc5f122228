// The public faces of the simulation: World, Worker, Exclusive, Turn, and what workers await.
#include <algorithm>
#include <stdexcept>

#include "emulator/base/short_text.hpp"
#include "fuzz/report/phrases.hpp"
#include "fuzz/world/baton.hpp"
#include "fuzz/world/own_deeds.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

/// Instant::max(), never, if it lies beyond that.
Instant sum_or_never(Instant instant, Duration by) {
  return by > Instant::max() - instant ? Instant::max() : instant + by;
}

}  // namespace

Node& World::redis(std::string_view name) { return simulation_->server(name, nullptr, nullptr); }
Node& World::redis_prepared(std::string_view name, void (*prepare)(const void*, Emulator&),
                            const void* context) {
  return simulation_->server(name, prepare, context);
}
Node& World::replica_of(Node& primary, std::string_view name) {
  return simulation_->replica(static_cast<Simulation::Server&>(primary), name);
}
Exclusive& World::exclusive(std::string_view name) { return simulation_->exclusive(name); }
Worker& World::add_worker(std::string_view name) { return simulation_->add_process(name).handle; }
void World::acts_for(std::string_view helper, std::string_view principal) {
  Simulation::Process* one = nullptr;
  std::size_t other = kNobody;
  for (std::size_t i = 0; i < simulation_->worker_count_; ++i) {
    if (simulation_->processes_[i].name == helper) one = &simulation_->processes_[i];
    if (simulation_->processes_[i].name == principal) other = i;
  }
  if (one == nullptr || other == kNobody)
    throw std::invalid_argument{"acts_for() needs two workers that were added before"};
  one->owner = other;
}
void World::shares(std::function<std::uint64_t(Instant)> digest) {
  if (!digest) throw std::invalid_argument{"World::shares() needs a function to call"};
  simulation_->shares_.push_back(std::move(digest));
}
Instant World::now() const { return simulation_->read_clock(); }

void* World::body_memory(Worker& worker, std::size_t size_bytes) {
  auto& memory = simulation_->processes_[worker.index_].memory;
  memory.resize((size_bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  return memory.data();
}

void World::keep(Worker& worker, void* body, void (*destroy)(void*)) {
  Simulation::Process& process = simulation_->processes_[worker.index_];
  process.task = Task<>{};
  process.resume_at = nullptr;
  process.value = nullptr;
  process.body = body;
  process.destroy_body = destroy;
}

void World::start(Worker& worker, Task<> task) {
  Simulation::Process& process = simulation_->processes_[worker.index_];
  process.task = std::move(task);
  process.resume_at = process.task.handle();
  if (!process.task.handle())
    throw std::invalid_argument{"'" + process.name +
                                "' is no coroutine: its body has returned a Task<> of nothing"};
}

void World::start(Worker& worker, ValueBody* value) {
  simulation_->processes_[worker.index_].value = value;
}

std::string_view Worker::name() const { return simulation_->processes_[index_].name; }
Instant Worker::now() const {
  Simulation::Process& process = simulation_->processes_[index_];
  process.read_clock(simulation_->now_);
  return process.clock.monotonic(simulation_->now_);
}
Instant Worker::wall_clock() const {
  Simulation::Process& process = simulation_->processes_[index_];
  process.read_clock(simulation_->now_);
  return process.clock.wall(simulation_->now_);
}
std::uint64_t Worker::random() { return simulation_->processes_[index_].draw(); }
void Worker::digest(std::uint64_t value) {
  Simulation::Process& process = simulation_->processes_[index_];
  process.history = process.heard = value;
  process.read_at.reset();
  process.told_at = simulation_->now_;
  process.tell(simulation_->now_, 0xd16e57);
  process.digested = true;
}
Worker::Past Worker::past() const {
  const Simulation::Process& process = simulation_->processes_[index_];
  Past past;
  past.history = process.history;
  past.told_at = process.told_at;
  past.heard = process.heard;
  past.read_at = process.read_at;
  return past;
}
void Worker::digest(const Past& past, std::uint64_t value) {
  digest(past.history * 0x9e3779b97f4a7c15 + value);
  Simulation::Process& process = simulation_->processes_[index_];
  process.digested = false;
  process.tell(past.told_at, 0);
  process.told_at = simulation_->now_;
  process.heard = past.heard;
  process.hear(value);
  process.read_at = past.read_at;
}
FramePool& Worker::frames() const { return simulation_->frames_; }
Link& Worker::link(Node& node) {
  return simulation_->connection(index_, simulation_->node_index(node));
}

Call Worker::call(Node& node, std::span<const std::string_view> words) {
  Link& target = link(node);
  return Call{*this, target, target.send(words)};
}
Suspension Worker::sleep(Duration duration) {
  return {*this, Suspension::What::sleep, duration, duration};
}
Suspension Worker::pause(Duration least, Duration most) {
  return {*this, Suspension::What::pause, least, most};
}
Suspension Worker::event() { return {*this, Suspension::What::event, {}, {}}; }

void Call::await_suspend(std::coroutine_handle<> awaiting) const {
  worker_->simulation_->processes_[worker_->index_].resume_at = awaiting;
  begin();
}

void Call::begin() const {
  Simulation::Process& process = worker_->simulation_->processes_[worker_->index_];
  process.connection = static_cast<const SimulatedConnection*>(link_);
  process.ticket = ticket_;
  process.wakes = false;
  const bool settled = process.connection->has_arrived(ticket_) || link_->is_lost(ticket_);
  worker_->simulation_->standing_.set_state(
      worker_->index_, settled ? Simulation::State::ready : Simulation::State::waiting);
}

Reply Call::reply() const {
  std::optional<Reply> reply = link_->reply(ticket_);
  if (!reply) throw ConnectionLost{};
  return std::move(*reply);
}

void Suspension::await_suspend(std::coroutine_handle<> awaiting) const {
  worker_->simulation_->processes_[worker_->index_].resume_at = awaiting;
  begin();
}

void Suspension::begin() const {
  Simulation& simulation = *worker_->simulation_;
  Simulation::Process& process = simulation.processes_[worker_->index_];
  const auto set = [&](WorkerState state) {
    simulation.standing_.set_state(worker_->index_, state);
  };
  switch (what_) {
    case What::sleep:
      process.wake =
          process.clock.world_at(sum_or_never(process.clock.monotonic(simulation.now_), least_));
      set(least_ > Duration{} ? WorkerState::sleeping : WorkerState::ready);
      break;
    case What::pause:
      process.least = std::clamp(least_, Duration{}, Instant::max() - simulation.now_);
      process.most = std::min(most_, Instant::max() - simulation.now_);
      set(WorkerState::pausing);
      break;
    case What::event:
      process.connection = nullptr;
      if (process.wakes && process.wake <= simulation.now_) {
        process.wakes = false;  // As whenever that instant has come.
        set(WorkerState::ready);
      } else {
        set(WorkerState::waiting);
      }
      break;
  }
}

bool Next::begin() const {
  if (const auto* call = std::get_if<Call>(&what_)) {
    call->begin();
  } else if (const auto* suspension = std::get_if<Suspension>(&what_)) {
    suspension->begin();
  } else {
    return false;
  }
  return true;
}

SimulatedConnection::Ticket SimulatedConnection::send(std::span<const std::string_view> words) {
  if (words.empty()) throw std::invalid_argument{"a request needs at least one word"};
  // Destructors of what a crashed worker held say nothing to the servers any more.
  if (simulation_->facts_[worker_].gone) return ++last_ticket;
  Request& request = requests.push();
  request.sent = simulation_->now_;
  request.ticket = ++last_ticket;
  std::size_t size = 0;
  for (const std::string_view word : words) size += word.size();
  request.bytes.resize(size);
  request.sizes.resize(words.size());
  char* to = request.bytes.data();
  for (std::size_t i = 0; i < words.size(); ++i) {
    request.sizes[i] = words[i].size();
    to = copy_text(to, words[i]);
  }
  simulation_->note_traffic(*this);
  simulation_->oracles_.properties().sent(worker_, words, simulation_->now_);
  if (simulation_->recorder_ != nullptr)
    simulation_->recorder_->add({.kind = Event::Kind::send,
                                 .at = simulation_->now_,
                                 .actor = worker_,
                                 .text = phrase_request(words),
                                 .message = message_id(last_ticket),
                                 .node = node_});
  return last_ticket;
}

bool SimulatedConnection::has_arrived(Ticket ticket) const {
  for (const auto& [arrived_ticket, ignored] : arrived) {
    if (arrived_ticket == ticket) return true;
  }
  return false;
}

std::optional<Reply> SimulatedConnection::reply(Ticket ticket) {
  for (auto it = arrived.begin(); it != arrived.end(); ++it) {
    if (it->first != ticket) continue;
    std::optional<Reply> result{std::move(it->second)};
    arrived.erase(it);
    return result;
  }
  return std::nullopt;
}

void SimulatedConnection::lose_all() {
  requests.clear();
  answers.clear();
  messages.clear();
  lost_up_to = last_ticket;
  ++generation;
}

Instant SimulatedConnection::now() const {
  Simulation::Process& process = simulation_->processes_[worker_];
  process.read_clock(simulation_->now_);
  return process.clock.monotonic(simulation_->now_);
}

std::optional<Reply> SimulatedConnection::message() {
  if (messages.empty()) return std::nullopt;
  std::optional<Reply> message{std::move(messages.front())};
  messages.pop();
  return message;
}

/// What a client library does when it connects is no step of its own.
void SimulatedConnection::speak_resp3() {
  simulation_->servers_[node_].touch();
  const OutOfPause scope{simulation_->servers_[node_].engine};
  client->call("HELLO", "3");
}

std::uint64_t SimulatedConnection::random() { return simulation_->processes_[worker_].draw(); }

void SimulatedConnection::wake_at(Instant local) {
  Simulation::Process& process = simulation_->processes_[worker_];
  const Instant instant = process.clock.world_at(local);
  if (listener() != nullptr) {
    const bool none = instant == Instant::max() || simulation_->facts_[worker_].gone;
    return simulation_->set_alarm(
        worker_, none ? std::nullopt : std::optional{std::max(instant, simulation_->now_)});
  }
  process.wake = process.wakes ? std::min(process.wake, instant) : instant;
  process.wakes = true;
}

void SimulatedConnection::clear() {
  end_listening();
  requests.clear();
  answers.clear();
  orphans.clear();
  arrived.clear();
  messages.clear();
  held_back.reset();
  stalled_until = Instant{};
  at = node_;
  last_ticket = lost_up_to = repeated = 0;
  generation = 1;
}

Turn Exclusive::enter(std::string_view) {
  if (simulation_->current_ == kNobody) throw std::logic_error{"only a running worker can enter"};
  return Turn{simulation_, simulation_->enter(index_, simulation_->current_, nullptr)};
}
Turn Exclusive::enter(Worker& worker) {
  return Turn{simulation_, simulation_->enter(index_, worker.index_, nullptr)};
}
Turn Exclusive::enter(Worker& worker, const Claim& claim) {
  return Turn{simulation_, simulation_->enter(index_, worker.index_, &claim)};
}
void Turn::leave() {
  if (simulation_ == nullptr || is_left_behind()) return;
  std::exchange(simulation_, nullptr)->leave(slot_);
}

KeptTurn Turn::keep() && { return {std::exchange(simulation_, nullptr), slot_}; }
void KeptTurn::leave() {
  if (simulation_ == nullptr || is_left_behind()) return;
  std::exchange(simulation_, nullptr)->leave(slot_);
}

std::size_t Simulation::enter(std::size_t exclusive, std::size_t worker, const Claim* claim,
                              std::int64_t weight) {
  ++visible_events_;
  if (recorder_ != nullptr) {
    recorder_->add({.kind = Event::Kind::enter,
                    .at = now_,
                    .actor = worker,
                    .text = phrase_entry(sections_[exclusive].name, claim, start_),
                    .token = claim != nullptr && !claim->token.empty() ? std::string{claim->token}
                                                                       : processes_[worker].name});
  }
  standing_.set_inside(worker, true);
  std::optional<Instant> until = claim == nullptr ? std::nullopt : claim->until;
  if (until) until = processes_[worker].clock.world_until(*until);
  if (claim == nullptr || claim->node == nullptr)
    return oracles_.enter(exclusive, worker, now_, facts_, weight, until);
  Server& server = servers_[node_index(*claim->node)];
  sync(server);
  const Inspector inspector = server.redis.inspect();
  const std::size_t key = oracles_.claimed_key(server.index, claim->key, worker, now_, inspector);
  return oracles_.enter(exclusive, worker, key, claim->token, until, now_, facts_, inspector);
}

void Simulation::leave(std::size_t slot) {
  ++visible_events_;
  const Oracles::Stay& stay = oracles_.stay(slot);
  if (recorder_ != nullptr && current_ == stay.worker)
    recorder_->add({.kind = Event::Kind::leave,
                    .at = now_,
                    .actor = stay.worker,
                    .text = sections_[stay.exclusive].name});
  oracles_.leave(slot);
  standing_.set_inside(stay.worker, oracles_.is_inside(stay.worker));
}

std::string Simulation::resource_name(const Finding& finding) const {
  switch (finding.oracle) {
    case Oracle::mutual_exclusion:
    case Oracle::permits:
    case Oracle::read_write:
      return sections_[finding.resource].name;
    case Oracle::belief:
    case Oracle::ownership:
    case Oracle::no_ttl:
    case Oracle::hold_count:
    case Oracle::waiting:
    case Oracle::fairness:
    case Oracle::quiescence:
      return oracles_.lock_keys()[finding.resource].name;
    case Oracle::fencing:
    case Oracle::leaked:
    case Oracle::property:
    case Oracle::linearizability:
      return oracles_.properties().text(finding.resource);
    default:
      return finding.oracle == Oracle::threw ? thrown_ : "";
  }
}

std::string Simulation::busy_name(std::uint64_t pulse) const {
  const std::uint64_t runner = pulse & kRunner;
  return runner == kScenario ? "the scenario" : processes_[runner - 1].name;
}

std::string Simulation::describe_finding(const Finding& finding) const {
  const auto name = [this](std::size_t worker) {
    return worker == kNobody ? std::string{"nobody"} : processes_[worker].name;
  };
  return phrase_finding(finding, resource_name(finding), name(finding.subject),
                        name(finding.other));
}

}  // namespace picklock::race
