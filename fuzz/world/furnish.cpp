#include <stdexcept>

#include "emulator/base/short_text.hpp"
#include "emulator/engine/engine.hpp"
#include "fuzz/world/ids.hpp"
#include "fuzz/world/own_deeds.hpp"
#include "fuzz/world/script_budget.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {

Simulation::Server::Server(Simulation& its_simulation, std::size_t server_index,
                           std::string_view server_name)
    : simulation(its_simulation),
      index(server_index),
      label(server_name),
      redis(Options{.script_budget = kScriptBudget}),
      own_client(redis.connect()),
      engine(redis.engine()) {}

Client& Simulation::Server::control() {
  revive(redis, own_client);
  Session& session = *engine.sessions().find(own_client.id())->second;
  session.authenticated = session.unrestricted = true;
  return own_client;
}

Emulator& Simulation::Server::emulator() {
  simulation.read_clock();  // Who looks at it may see the time.
  touch();
  return redis;
}

/// Furnishes once more when the pool has just learnt how many connections the scenario takes: they
/// belong to the pristine state, so that every run begins with the same sessions.
void Simulation::furnish(const Scenario& scenario) {
  do {
    if (stage_ != Stage::clear) clear();
    stage_ = Stage::furnished;
    for (Server& server : servers_) {
      if (server.touched) reset(server);  // By somebody who has kept it.
    }
    choices_.clear();
    World world{*this};
    begin_turn(kScenario);
    scenario(world);
    end_turn();
  } while (open_connections());
  for (Server& server : servers_) {
    if (!server.used) continue;
    if (!oracles_.lock_keys().empty()) oracles_.adopt(server.index, server.redis.inspect());
    find_deadline(server);  // Of what it was prepared with.
  }
  if (recorder_ == nullptr) return;
  recorder_->start = start_;
  for (std::size_t i = 0; i < worker_count_; ++i) recorder_->workers.push_back(processes_[i].name);
  for (const Server& server : servers_) {
    if (server.used) recorder_->servers.push_back(server.label);
  }
}

/// Ends the last run and makes everything ready for the next. Frames go first: what stands in them
/// may still speak to the oracles.
void Simulation::clear() {
  current_ = kNobody;
  const std::uint64_t events = visible_events_;  // Ends of stays are none of the run's.
  for (std::size_t i = 0; i < worker_count_; ++i) {
    Process& process = processes_[i];
    facts_[i].gone = true;
    process.task.reset();
    if (process.destroy_body != nullptr) std::exchange(process.destroy_body, nullptr)(process.body);
    process.value = nullptr;
    process.wakes = false;
    process.alarm.reset();
  }
  for (SimulatedConnection& link : connections_) link.clear();
  for (Server& server : servers_) {
    server.used = false;
    server.saved.reset();
    server.back_at = Instant{};
    server.has_scripts = true;  // It may have been prepared with some.
    server.has_watchers = false;
    if (std::exchange(server.has_subscribers, false)) {
      for (SimulatedConnection& link : connections_) {
        while (link.node() == server.index && link.client->next_message()) {
        }
      }
    }
    if (server.touched) reset(server);
  }
  clear_followers();
  oracles_.clear();
  shares_.clear();
  visible_events_ = events;
  worker_count_ = 0;
  standing_.clear();
  in_flight_.clear();
  steps_ = time_steps_ = 0;
  hash_ = 0;
  stopped_ = false;
  start_ = now_ = kDefaultStart;
  faults_spent_ = 0;
  new_edges_ = 0;
  abstract_ = 0;
  left_ = budgets_;
  faults_left_ = budgets_ != Budgets{};
  stage_ = Stage::clear;
}

void Simulation::reset(Server& server) {
  server.redis.restore(*server.pristine);
  if (!server.present || &server.present->state() != &server.pristine->state())
    server.present = server.pristine;
  server.known.valid = false;
  server.deadline.reset();
  server.blocked = 0;
  server.touched = false;
  for (SimulatedConnection& link : connections_) {  // Some may be closed: by QUIT, by CLIENT KILL.
    if (link.node() == server.index && link.client && !link.client->is_connected())
      reopen(server.redis, *link.client);
  }
}

Simulation::Server& Simulation::server(std::string_view name,
                                       void (*prepare)(const void*, Emulator&),
                                       const void* context) {
  Server* known = nullptr;
  for (Server& server : servers_) {
    if (is_same(server.label, name)) known = &server;
  }
  if (known != nullptr && known->pristine) {
    use(*known);
    return *known;
  }
  // One that is known and not pristine is one whose preparation threw.
  const bool is_new = known == nullptr;
  Server& server = is_new ? servers_.emplace_back(*this, servers_.size(), name) : *known;
  if (is_new && covers_scripts_) server.redis.cover_scripts();
  if (prepare != nullptr) {
    const Snapshot empty = server.redis.snapshot();
    try {
      prepare(context, server.redis);
    } catch (...) {
      server.redis.restore(empty);
      throw;
    }
  }
  // Made now and not by the first command, it belongs to the pristine state and keeps its memory.
  static_cast<void>(server.redis.engine().keyspace[0]);
  server.pristine = server.redis.snapshot();
  use(server);
  return server;
}

ScriptReport Simulation::script_report() const {
  ScriptReport sum;
  for (const Server& server : servers_) sum.add(server.redis.script_report());
  return sum;
}

void Simulation::use(Server& server) {
  server.used = true;
  server.saves = false;
  server.cuts_idle = false;
  note_idle_cuts(server);
  server.local_clock.start(start_);
  oracles_.set_clock(server.index, server.local_clock);
}

/// By scripts, in instructions.
std::uint64_t Simulation::executed() const {
  std::uint64_t sum = 0;
  for (const Server& server : servers_)
    sum += server.engine.scripts.executed() + server.engine.functions.executed();
  return sum;
}

bool Simulation::open_connections() {
  bool opened = false;
  for (Server& server : servers_) {
    if (!server.used) continue;
    bool reset_done = false;
    for (std::size_t i = 0; i < worker_count_; ++i) {
      const std::size_t place = connection_actor(i, server.index);
      if (place >= links_.size()) links_.resize(place + 1, nullptr);
      if (links_[place] != nullptr) continue;
      if (!std::exchange(reset_done, true)) reset(server);
      SimulatedConnection& link =
          connections_.emplace_back(*this, connections_.size(), i, server.index);
      in_flight_.make_room(connections_.size());
      link.client.emplace(server.redis.connect());
      links_[place] = &link;
      opened = true;
    }
    if (reset_done) server.present = server.pristine = server.redis.snapshot();
  }
  return opened;
}

SimulatedConnection& Simulation::connection(std::size_t worker, std::size_t node) {
  const std::size_t place = connection_actor(worker, node);
  if (place >= links_.size() || links_[place] == nullptr)
    throw std::logic_error{"the scenario must name its servers before its workers run"};
  return *links_[place];
}

Exclusive& Simulation::exclusive(std::string_view name) {
  for (Section& section : sections_) {
    if (is_same(section.name, name)) return section.handle;
  }
  const Exclusive handle{*this, sections_.size()};
  return sections_.emplace_back(Section{std::string{name}, handle}).handle;
}

Simulation::Process& Simulation::add_process(std::string_view name) {
  if (worker_count_ == kMostWorkers) throw std::invalid_argument{"a world has at most 16 workers"};
  if (worker_count_ == processes_.size()) {
    processes_.emplace_back(Worker{*this, worker_count_}).random.reseed(worker_count_ + 1);
    facts_.emplace_back();
  }
  Process& process = processes_[worker_count_];
  if (!is_same(process.name, name)) process.name = name;
  process.owner = worker_count_;
  if (std::exchange(process.drawn, 0) > 0) process.random.reseed(worker_count_ + 1);
  process.clock.start(start_);
  process.history = 0;
  process.digested = false;
  process.heard = 0;
  process.read_at.reset();
  process.told_at = start_;
  facts_[worker_count_] = WorkerFacts{};
  standing_.add(worker_count_);
  ++worker_count_;
  return process;
}

}  // namespace picklock::race
