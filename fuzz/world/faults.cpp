// Faults: when each kind may strike, and what it does to workers, messages and servers; to clocks:
// clock_faults.cpp.
#include <algorithm>

#include "emulator/commands/script_errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/engine.hpp"
#include "fuzz/world/ids.hpp"
#include "fuzz/world/own_deeds.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

constexpr std::uint16_t kFaultWeight = 1;

// Redis 7.0, server.c: shared.loadingerr.
constexpr std::string_view kLoading = "LOADING Redis is loading the dataset in memory";

std::string_view text_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::loading:
      return kLoading;
    case Refusal::read_only:
      return errors::kReadOnlyReplica;
    case Refusal::out_of_memory:
      return errors::kOom;
    case Refusal::busy:
      break;
  }
  return errors::kBusyScript;
}

}  // namespace

void Simulation::spend(Fault fault) {
  --left_[static_cast<std::size_t>(fault)];
  ++faults_spent_;
  if (rules_.faults.most > 0 && faults_spent_ >= static_cast<std::uint32_t>(rules_.faults.most))
    left_.fill(0);
  faults_left_ = std::any_of(left_.begin(), left_.end(), [](int left) { return left > 0; });
}

void Simulation::offer_fault(Fault fault, Step step, std::size_t actor) {
  if (has_budget(fault)) offer_step(step, static_cast<std::uint32_t>(actor), kFaultWeight);
}

void Simulation::collect_worker_faults() {
  // Before its first step a worker has done nothing that a fault could spoil.
  for_each_bit(standing_.runnable(), [this](std::size_t i) { offer_worker_faults(i); });
}

void Simulation::offer_worker_faults(std::size_t worker) {
  offer_fault(Fault::pause, Step::freeze, worker);
  offer_fault(Fault::crash, Step::crash, worker);
  offer_fault(Fault::client_clock, Step::wall_clock, worker);
}

void Simulation::collect_message_faults() {
  for (const SimulatedConnection& link : connections_) {
    const bool subscribed = servers_[link.node()].has_subscribers && link.listener() != nullptr &&
                            !facts_[link.worker()].gone;
    if ((link.is_silent() && !subscribed) || link.stalled_until > now_) continue;
    const std::uint32_t actor = connection_actor(link.worker(), link.node());
    if (!link.requests.empty() && !facts_[link.worker()].gone) {
      offer_fault(Fault::lost_request, Step::lose_request, actor);
      // Not by a server that is down, nor before what it holds back has been answered.
      if (may_pass(link) && !link.held_back) {
        offer_fault(Fault::duplicate, Step::repeat, actor);
        offer_fault(Fault::refusal, Step::refuse, actor);
      }
    }
    if (!facts_[link.worker()].gone) {
      if (!link.is_silent()) offer_fault(Fault::lost_reply, Step::lose_reply, actor);
      offer_fault(Fault::reset, Step::reset, actor);
    }
    if (!link.is_silent()) offer_fault(Fault::partition, Step::partition, actor);
  }
}

void Simulation::collect_server_faults() {
  for (const Server& server : servers_) {
    if (!server.used || server.back_at > now_) continue;
    offer_fault(Fault::restart, Step::restart, server.index);
    if (server.has_scripts) offer_fault(Fault::script_flush, Step::flush_scripts, server.index);
    if (has_budget(Fault::clock) && server.goes_by_clock())
      offer_fault(Fault::clock, Step::server_clock, server.index);
  }
  if (!has_budget(Fault::eviction)) return;
  const auto& keys = oracles_.lock_keys();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].declared && keys[i].present) offer_fault(Fault::eviction, Step::evict, i);
  }
}

std::uint32_t Simulation::choose_variant(std::uint32_t count) {
  options_.clear();
  for (std::uint32_t id = 0; id < count; ++id) options_.push_back({.id = id});
  const std::size_t picked = choose(Kind::fault);
  if (picked >= options_.size()) return 0;
  mix(options_[picked].id);
  return options_[picked].id;
}

void Simulation::perform_fault(Step step, std::uint32_t actor) {
  const auto link = [&]() -> SimulatedConnection& {
    return connection(actor % kMostWorkers, actor / kMostWorkers);
  };
  switch (step) {
    case Step::crash:
      spend(Fault::crash);
      if (recorder_ != nullptr)
        recorder_->add({.kind = Event::Kind::crash, .at = now_, .actor = actor});
      return end_task(actor, State::crashed);
    case Step::freeze:
      return freeze(actor);
    case Step::lose_request:
      return lose_request(link());
    case Step::lose_reply:
      return lose_reply(link());
    case Step::repeat:
      return repeat_request(link());
    case Step::reset:
      spend(Fault::reset);
      note_fault(false, link().worker(), "connection reset");
      return break_connection(link());
    case Step::partition:
      return partition(link());
    case Step::restart:
      return restart(servers_[actor]);
    case Step::flush_scripts:
      return flush_scripts(servers_[actor]);
    case Step::server_clock:
      return jump(servers_[actor]);
    case Step::wall_clock:
      return jump_wall(actor);
    case Step::evict:
      return evict(actor);
    case Step::refuse:
      return refuse_request(link());
    case Step::failover:
      return fail_over(followers_[actor]);
    case Step::lag:
      return lag(followers_[actor]);
    default:
      break;
  }
}

void Simulation::note_fault(bool on_server, std::size_t actor, std::string text, Instant until) {
  if (recorder_ == nullptr) return;
  recorder_->add({.kind = Event::Kind::fault,
                  .at = now_,
                  .on_server = on_server,
                  .actor = actor,
                  .text = std::move(text),
                  .until = until});
}

void Simulation::freeze(std::size_t worker) {
  spend(Fault::pause);
  options_.clear();
  untils_.clear();
  offer_deadlines(now_, Instant::max());
  offer_until(static_cast<std::uint32_t>(Until::short_menu), now_ + milliseconds{10});
  offer_until(static_cast<std::uint32_t>(Until::middle_menu), now_ + milliseconds{100});
  offer_until(static_cast<std::uint32_t>(Until::long_menu), now_ + milliseconds{10'000});
  if (std::exchange(facts_[worker].ran_since_pause, false)) facts_[worker].frozen_from = now_;
  facts_[worker].frozen_until = choose_until();
  standing_.set_frozen(worker, facts_[worker].frozen_until > now_);
  if (recorder_ == nullptr) return;
  recorder_->add({.kind = Event::Kind::pause,
                  .at = now_,
                  .actor = worker,
                  .until = facts_[worker].frozen_until});
}

void Simulation::lose_request(SimulatedConnection& link) {
  spend(Fault::lost_request);
  note_fault(false, link.worker(), "request lost, connection broken");
  break_connection(link);
}

/// A reply on its way vanishes; a request on its way is still carried out, but nobody hears of it:
/// at once, if it means something else on another connection.
void Simulation::lose_reply(SimulatedConnection& link) {
  spend(Fault::lost_reply);
  note_fault(false, link.worker(), "reply lost, connection broken");
  if (link.answers.empty()) {
    if (far_end(link).cuts_idle && may_pass(link)) receive(link);
    if (link.requests.empty()) return;  // In vain: the server had ended the connection.
    const auto& sessions = far_end(link).engine.sessions();
    const auto session = sessions.find(session_of(link));
    const bool is_own = session != sessions.end() && has_own_state(*session->second);
    if (!is_own && link.at == link.node()) {
      Request& orphan = link.orphans.push();
      std::swap(orphan, link.requests.front());
    } else if (may_pass(link) && !link.held_back) {
      sync(far_end(link));
      carry_out_for_nobody(link, client_of(link), link.requests.front());
    }
  }
  break_connection(link);
}

/// Its connection is over: it finds nothing of the next one's state, and leaves nothing there.
void Simulation::deliver_orphan(SimulatedConnection& link) {
  Server& server = far_end(link);
  sync(server);
  carry_out_for_nobody(link, server.control(), link.orphans.front());
  begin_anew(server.redis, server.control());
  link.orphans.pop();
  note_traffic(link);
  check_gone(link.worker());
}

/// What is carried out so is answered to nobody.
void Simulation::carry_out_for_nobody(SimulatedConnection& link, Client& as,
                                      const Request& request) {
  Server& server = far_end(link);
  if (!carry_out(link, as, request) && link.held_back) {
    stop_waiting(server.engine, as.id());
    link.held_back.reset();
    --server.blocked;
    look_ahead(server);
  }
  if (server.has_subscribers) publish(server);
}

void Simulation::repeat_request(SimulatedConnection& link) {
  spend(Fault::duplicate);
  note_fault(false, link.worker(), "request carried out twice");
  receive(link);
  if (link.requests.empty()) return;  // The server has ended the connection meanwhile.
  link.repeated = link.requests.front().ticket;
  carry_out_for_nobody(link, client_of(link), link.requests.front());
}

void Simulation::refuse_request(SimulatedConnection& link) {
  spend(Fault::refusal);
  const std::string_view text = text_of(static_cast<Refusal>(choose_variant(kRefusals)));
  note_fault(true, link.node(), "refuses: " + std::string{text.substr(0, text.find(' '))});
  const Link::Ticket ticket = link.requests.front().ticket;
  link.requests.pop();
  put_answer(link, ticket, replies::error(text));
}

void Simulation::connect_anew(SimulatedConnection& link) {
  Server& server = far_end(link);
  const OutOfPause scope{server.engine};
  begin_anew(server.redis, client_of(link));
  server.engine.sessions().find(session_of(link))->second->last_used_at =
      server.local_clock.wall(now_);
  if (followers_.size() > 0) forget_written(link);
  link.at = link.node();  // Who connects anew is led to the primary.
  if (link.listener() != nullptr && !facts_[link.worker()].gone) link.client->call("HELLO", "3");
}

/// Those whose session the server has ended (CLIENT KILL, `timeout`) have lost their connection, as
/// by a reset.
void Simulation::connect_killed(Server& server) {
  steer();           // A request has touched others than its sender.
  server.control();  // Commands count it: it is there at all times, as the workers' are.
  for (SimulatedConnection& own : connections_) {
    if (own.node() != server.index || !revive(server.redis, *own.client)) continue;
    if (!facts_[own.worker()].gone)
      note_fault(false, own.worker(), "connection closed by " + server.label);
    for (SimulatedConnection& link : connections_) {
      if (link.at == server.index && link.worker() == own.worker()) break_connection(link);
    }
  }
  if (server.cuts_idle) find_deadline(server);  // Those that begin anew are idle from now on.
}

/// Whoever waits for an answer hears at once that there will be none.
void Simulation::break_connection(SimulatedConnection& link) {
  if (recorder_ != nullptr)
    recorder_->add({.kind = Event::Kind::cut,
                    .at = now_,
                    .actor = link.worker(),
                    .text = "",
                    .node = link.node()});
  Server& server = far_end(link);
  server.touch();
  if (link.held_back) {
    stop_waiting(server.engine, session_of(link));
    link.held_back.reset();
    --server.blocked;
    look_ahead(server);
  }
  link.lose_all();
  note_traffic(link);
  connect_anew(link);
  if (facts_[link.worker()].gone) return;
  processes_[link.worker()].tell(now_, 0xb7ea + link.node());
  if (link.listener() != nullptr) standing_.set_news(link.worker(), true);
  wake_for(link, link.last_ticket);
}

void Simulation::partition(SimulatedConnection& link) {
  spend(Fault::partition);
  options_.clear();
  untils_.clear();
  offer_deadlines(now_, Instant::max());
  offer_until(static_cast<std::uint32_t>(Until::middle_menu), now_ + milliseconds{100});
  offer_until(static_cast<std::uint32_t>(Until::long_menu), now_ + milliseconds{10'000});
  link.stalled_until = choose_until();
  Instant& hindered = facts_[link.worker()].hindered_until;
  hindered = std::max(hindered, link.stalled_until);
  note_fault(false, link.worker(), "cut off from " + servers_[link.node()].label,
             link.stalled_until);
}

void Simulation::save(Server& server) {
  if (!server.saves && !has_budget(Fault::restart)) return;
  const std::int64_t second = to_unix_ms(now_) / 1000;
  if (server.saved && server.saved_second == second) return;
  server.saved = server.redis.snapshot();
  server.saved_second = second;
  server.saved_digest = server.redis.inspect().digest() + static_cast<std::uint64_t>(second);
}

void Simulation::restart(Server& server) {
  spend(Fault::restart);
  const std::uint32_t variant = choose_variant(6);
  const bool late = variant >= 3 && server.deadline;
  restart(server, static_cast<Restart>(variant % 3), late ? *server.deadline : now_);
}

void Simulation::restart(Server& server, Restart keeps, Instant back_at) {
  // Nothing starts in no time: an instant must part what it did from what it will do.
  server.back_at = back_at + milliseconds{1};
  constexpr const char* kKeeps[] = {"with all data", "without the last second", "without data"};
  note_fault(true, server.index, std::string{"restarts "} + kKeeps[static_cast<int>(keeps)],
             server.back_at);
  for (SimulatedConnection& link : connections_) {
    if (link.at != server.index) continue;
    Instant& hindered = facts_[link.worker()].hindered_until;
    hindered = std::max(hindered, server.back_at);
    link.orphans.clear();
    break_connection(link);
  }
  sync(server);
  Replication& replication = server.engine.replication;
  const std::string id = replication.ids->first;
  if (keeps == Restart::keeps_synced && server.saved) server.redis.restore(*server.saved);
  replication.ids.edit().first = id;
  replication.begin_history(/*remembers=*/false);  // By which scripts know that it restarted.
  server.redis.set_time(server.local_clock.wall(now_));
  for (const SimulatedConnection& link : connections_)  // Saved while it was blocked, or paused.
    if (link.node() == server.index) stop_waiting(server.engine, link.client->id());
  server.engine.resume_clients();
  if (keeps == Restart::loses_all) server.control().call("FLUSHALL");
  server.control().call("SCRIPT", "FLUSH");
  server.has_scripts = server.has_subscribers = false;
  for (SimulatedConnection& link : connections_) {
    if (link.node() != server.index) continue;
    begin_anew(server.redis, *link.client);
    if (link.listener() != nullptr) link.client->call("HELLO", "3");
  }
  oracles_.disturbed(server.index, now_, server.redis.inspect(), keeps != Restart::keeps_all);
  resynchronise(server);
  look_ahead(server);
}

void Simulation::flush_scripts(Server& server) {
  spend(Fault::script_flush);
  note_fault(true, server.index, "SCRIPT FLUSH");
  server.touch();
  const OutOfPause scope{server.engine};
  server.control().call("SCRIPT", "FLUSH");
  server.has_scripts = false;
}

void Simulation::evict(std::size_t index) {
  spend(Fault::eviction);
  const Oracles::LockKey& key = oracles_.lock_keys()[index];
  Server& server = servers_[key.node];
  note_fault(true, server.index, key.name + " is evicted");
  sync(server);
  server.touch();
  {
    const OutOfPause scope{server.engine};
    server.control().call("DEL", key.name);
  }
  oracles_.disturbed(server.index, now_, server.redis.inspect(), true);
  look_ahead(server);
}

}  // namespace picklock::race
