// The hash of a world's state: equal when nothing that can still happen could tell two runs apart.
#include <algorithm>
#include <utility>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/state_digest.hpp"
#include "fuzz/world/digest.hpp"
#include "fuzz/world/ids.hpp"
#include "fuzz/world/own_deeds.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

class Hash {
 public:
  void add(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 32;
  }
  /// An instant, as far as it matters: by its distance from `origin`.
  void add(Instant instant, Instant origin) {
    add(static_cast<std::uint64_t>((instant - origin).count()));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243f6a8885a308d3;
};

/// What a worker with a digest of its own has sent and not read: its history would tell.
std::uint64_t contents(const SimulatedConnection& link) {
  Hash hash;
  link.requests.for_each([&](const Request& request) {
    hash.add(digest(request.bytes));
    hash.add(link.age(request.ticket));
  });
  link.orphans.for_each([&](const Request& request) { hash.add(digest(request.bytes)); });
  for (const auto& [ticket, reply] : link.arrived) {
    hash.add(digest(reply));
    hash.add(link.age(ticket));
  }
  link.messages.for_each([&](const Reply& message) { hash.add(digest(message)); });
  hash.add(link.last_ticket - link.lost_up_to);
  return hash.value();
}

}  // namespace

/// When a command that blocks gives up, by its server's clock: it may have been long on its way.
std::uint64_t Simulation::waiting_until(const SimulatedConnection& link) const {
  const Server& server = far_end(link);
  const auto session = server.engine.sessions().find(session_of(link));
  if (session == server.engine.sessions().end() || !session->second->blocked) return 1;
  const std::optional<Instant>& deadline = session->second->blocked->deadline;
  if (!deadline) return 2;
  const Instant origin = rules_.timeless ? server.local_clock.wall(now_) : Instant{};
  return static_cast<std::uint64_t>((*deadline - origin).count()) * 4 + 3;
}

/// How many came before it, of those that a server holds back: it serves them in that order.
std::uint64_t Simulation::place_in_line(const SimulatedConnection& link) const {
  const auto& sessions = far_end(link).engine.sessions();
  const auto own = sessions.find(session_of(link));
  if (own == sessions.end() || !own->second->blocked) return 0;
  std::uint64_t place = 1;
  for (const auto& [id, session] : sessions)
    place += session->blocked && session->blocked->order < own->second->blocked->order;
  return place;
}

/// What a session's WATCH has come to: no reply tells before that to EXEC.
std::uint64_t Simulation::watching(const SimulatedConnection& link) const {
  const Server& server = far_end(link);
  const auto session = server.engine.sessions().find(session_of(link));
  if (session == server.engine.sessions().end() || session->second->watches.empty()) return 0;
  Hash hash;
  hash.add(is_touched(server.engine.keyspace, *session->second));
  for (const Watch& watch : session->second->watches) {
    hash.add(digest(watch.key));
    hash.add(look(server.engine.keyspace, watch).of_expired);
  }
  return hash.value();
}

/// False: its history stands for it. No std::optional, which g++ 12 would pass on through memory.
bool Simulation::has_digest(const Process& process, std::uint64_t& digest) const {
  if (process.value == nullptr) return false;
  const std::optional<std::uint64_t> own = process.value->digest(process.clock.monotonic(now_));
  digest = own ? *own : 0;
  return own.has_value();
}

std::vector<std::uint64_t> Simulation::worker_digests() const {
  std::vector<std::uint64_t> digests;
  for (std::size_t i = 0; i < worker_count_; ++i) {
    std::uint64_t digest = 0;
    digests.push_back(has_digest(processes_[i], digest) ? digest : processes_[i].history);
  }
  return digests;
}

/// Now, for a worker that looks.
Instant Simulation::read_clock() {
  if (current_ != kNobody) processes_[current_].read_clock(now_);
  return now_;
}

std::uint64_t Simulation::shared() const {
  Hash hash;
  for (const auto& digest : shares_) hash.add(digest(now_));
  return hash.value();
}

/// Worked out once for all states between two of its commands: most steps are others'. Where
/// distances count, the server's own clock may still show when it was last asked.
std::uint64_t Simulation::Server::digest(bool timeless) const {
  const Instant at = timeless ? local_clock.wall(simulation.now_) : engine.now();
  if (!known.valid || known.at != at) known = {true, at, digest_of_state(engine, at, timeless)};
  return known.value;
}

/// Of every kind; a budget is at most 1,000.
std::uint64_t Simulation::budgets_left() const {
  constexpr unsigned kBits = 10;
  Hash hash;
  for (std::size_t i = 0; i < left_.size();) {
    std::uint64_t packed = 0;
    for (unsigned at = 0; at + kBits <= 64 && i < left_.size(); at += kBits)
      packed |= static_cast<std::uint64_t>(left_[i++]) << at;
    hash.add(packed);
  }
  return hash.value();
}

std::uint64_t Simulation::state(Times times) const {
  Hash hash;
  const Instant origin = rules_.timeless ? now_ : Instant{};
  hash.add(now_, origin);
  if (rules_.time_steps > 0) hash.add(time_steps_);
  hash.add(budgets_left());
  const bool nobody_asks = oracles_.properties().at_rest().empty();
  std::uint32_t sending = 0;  // A bit for each worker with something on its way to a server.
  for (const SimulatedConnection& link : connections_)
    sending |= static_cast<std::uint32_t>(!link.requests.empty() || !link.orphans.empty())
               << link.worker();
  std::uint32_t digested = 0;  // A bit for each worker with a digest of its own.
  for (std::size_t i = 0; i < worker_count_; ++i) {
    const Process& process = processes_[i];
    std::uint64_t digest = 0;
    Hash part;  // Of its own: a processor works on several at once.
    const bool has_own = has_digest(process, digest);
    digested |= static_cast<std::uint32_t>(has_own) << i;
    if (facts_[i].gone && (sending >> i & 1) == 0 && times == Times::read && nobody_asks) continue;
    // Whoever is gone does nothing any more, and has said that nobody will ask what it was told.
    if (facts_[i].gone && (sending >> i & 1) == 0 && (has_own || process.digested)) {
      hash.add(has_own ? digest : times == Times::told ? process.history : process.heard);
      continue;
    }
    if (has_own || times == Times::told) {
      part.add(has_own ? digest : process.history);
      if (!has_own) part.add(process.told_at, origin);
    } else {
      part.add(process.heard);
      if (process.read_at) part.add(*process.read_at, origin);
    }
    part.add(process.drawn);  // What it will draw is told by nothing else.
    if (process.wakes) part.add(process.wake, origin);
    if (process.alarm) part.add(*process.alarm, origin);
    const State state = standing_.state(i);
    part.add(static_cast<std::uint64_t>(state) << 2 |
             static_cast<std::uint64_t>(standing_.has_started(i)) << 1 |
             static_cast<std::uint64_t>(standing_.has_news(i)));
    if (state == State::sleeping) part.add(process.wake, origin);
    part.add(std::max(facts_[i].frozen_until, now_), origin);
    if (!facts_[i].ran_since_pause) part.add(facts_[i].frozen_from, origin);
    if (facts_[i].last_deadline) part.add(*facts_[i].last_deadline, origin);
    if (oracles_.properties().waits_within_bound(i))
      part.add(std::max(facts_[i].hindered_until, facts_[i].frozen_until), origin);
    part.add(static_cast<std::uint64_t>(process.clock.skew().count()));
    part.add(static_cast<std::uint64_t>(process.clock.ppm()));
    if (const auto frozen = process.clock.frozen()) part.add(*frozen, origin);
    hash.add(part.value());
  }
  const bool may_be_late = rules_.max_delay > Duration{};
  for (const SimulatedConnection& link : connections_) {
    if (!servers_[link.node()].used || link.worker() >= worker_count_) continue;
    Hash part;
    if (link.at != link.node()) part.add(link.at + 1);
    if (followers_.size() > 0) part.add(unconfirmed(link));
    if (link.held_back) {
      part.add(waiting_until(link));
      if (far_end(link).blocked > 1) part.add(place_in_line(link));
    }
    if (far_end(link).has_watchers) part.add(watching(link));
    if (may_cut_idle_) {
      const Instant zero = rules_.timeless ? far_end(link).local_clock.wall(now_) : Instant{};
      part.add(idle_since(far_end(link).engine, session_of(link), zero));
    }
    part.add(link.requests.size() << 20 | link.answers.size() << 10 | link.orphans.size());
    if (link.is_repeated()) part.add(1);  // No reply tells what became of its session.
    part.add(std::max(link.stalled_until, now_), origin);
    // By when it must have arrived, where messages may be late: see message_limit().
    const Instant open = std::max(link.stalled_until, far_end(link).back_at);
    const auto add_due = [&](Instant sent) {
      if (may_be_late) part.add(std::max(std::max(sent, open) + rules_.max_delay, now_), origin);
    };
    if ((digested >> link.worker() & 1) != 0) part.add(contents(link));
    if (may_be_late) link.requests.for_each([&](const Request& r) { add_due(r.sent); });
    link.answers.for_each([&](const Answer& answer) {
      part.add(answer.digest + link.age(answer.ticket));
      add_due(answer.sent);
    });
    link.orphans.for_each([&](const Request& request) {
      part.add(digest(request.bytes));  // Its sender may have named another state since.
      part.add(link.age(request.ticket));
      add_due(request.sent);
    });
    hash.add(part.value());
  }
  for (const Server& server : servers_) {
    if (!server.used) continue;
    hash.add(server.digest(rules_.timeless));
    if (rules_.timeless) {  // A server goes by whole milliseconds of its own clock.
      const Instant wall = server.local_clock.wall(now_);
      hash.add(wall, std::chrono::floor<std::chrono::milliseconds>(wall));
    }
    if (may_cut_idle_) {  // In whole seconds, and the world's own session as well.
      const Instant wall = server.local_clock.wall(now_);
      hash.add(wall, std::chrono::floor<std::chrono::seconds>(wall));
      const Instant zero = rules_.timeless ? wall : Instant{};
      hash.add(idle_since(server.engine, server.own_client.id(), zero));
    }
    hash.add(static_cast<std::uint64_t>(server.local_clock.skew().count()));
    hash.add(static_cast<std::uint64_t>(server.local_clock.ppm()));
    hash.add(std::max(server.back_at, now_), origin);
    if (const Pause& pause = server.engine.pause(); pause.kind != Pause::Kind::none) {
      hash.add(static_cast<std::uint64_t>(pause.kind));
      hash.add(std::max(paused_until(server.engine, server.local_clock), now_), origin);
    }
    if (has_budget(Fault::clock)) hash.add(server.goes_by_clock());
    if (has_budget(Fault::script_flush)) hash.add(server.has_scripts);
    if (has_budget(Fault::reset) || has_budget(Fault::failover)) hash.add(server.has_subscribers);
    // A second is saved once, at its first change: time has a beat then.
    if (server.saves || has_budget(Fault::restart)) {
      hash.add(server.saved ? server.saved_digest : 0);
      const auto second = std::chrono::floor<std::chrono::seconds>(now_);
      hash.add(now_, second);
      hash.add(server.saved && server.saved_second == second.time_since_epoch().count());
    }
    if (const auto frozen = server.local_clock.frozen()) hash.add(*frozen, origin);
  }
  for (const Follower& follower : followers_)
    if (follower.used) hash.add(digest_of(follower));
  hash.add(oracles_.state(origin));
  if (!shares_.empty()) hash.add(shared());
  return hash.value();
}

/// All that is a server's own, names aside; nullopt if it cannot be told.
std::optional<std::uint64_t> Simulation::part_of(const Server& server) const {
  if (server.has_watchers || server.blocked > 0 || !shares_.empty()) return std::nullopt;
  Hash hash;
  for (std::size_t i = 0; i < worker_count_; ++i) {
    const Process& process = processes_[i];
    const std::optional<std::uint64_t> digest =
        process.value != nullptr ? process.value->node_digest(server) : std::nullopt;
    if (!digest) return std::nullopt;
    hash.add(*digest);
  }
  for (const SimulatedConnection& link : connections_) {
    if (link.node() != server.index || link.worker() >= worker_count_) continue;
    hash.add(link.worker());
    hash.add(contents(link));
    hash.add(link.is_repeated());
    hash.add(std::max(link.stalled_until, now_), now_);
    link.answers.for_each([&](const Answer& answer) {
      hash.add(answer.digest + link.age(answer.ticket));
      hash.add(answer.sent, now_);
    });
  }
  hash.add(server.redis.inspect().digest(false));
  hash.add(static_cast<std::uint64_t>(server.engine.pause().kind));
  hash.add(std::max(paused_until(server.engine, server.local_clock), now_), now_);
  hash.add(static_cast<std::uint64_t>(server.local_clock.skew().count()));
  hash.add(static_cast<std::uint64_t>(server.local_clock.ppm()));
  if (const auto frozen = server.local_clock.frozen()) hash.add(*frozen, Instant{});
  hash.add(std::max(server.back_at, now_), now_);
  hash.add(server.saved && (server.saves || has_budget(Fault::restart)) ? server.saved_digest : 0);
  for (const Oracles::LockKey& key : oracles_.lock_keys()) {
    if (key.declared && key.node == server.index) hash.add(key.present ? key.writer + 2 : 1);
  }
  return hash.value();
}

bool Simulation::is_done_elsewhere(std::uint32_t option) const {
  const Step step = step_of(option);
  const bool at_server =
      step == Step::restart || step == Step::flush_scripts || step == Step::server_clock;
  if ((!at_server && !is_of_connection(step)) || followers_.size() > 0 || steered_) return false;
  const std::size_t node = at_server ? actor_of(option) : actor_of(option) / kMostWorkers;
  if (node == 0) return false;
  const std::optional<std::uint64_t> part = part_of(servers_[node]);
  for (std::size_t i = 0; part && i < node; ++i) {
    if (servers_[i].used && part_of(servers_[i]) == part) return true;
  }
  return false;
}

/// Whether another's request may have the server send something: to who waits in a command that
/// blocks, or has asked for messages.
bool Simulation::may_hear(const SimulatedConnection& link) const {
  if (link.held_back) return true;
  if (!far_end(link).has_subscribers) return false;
  const auto& sessions = far_end(link).engine.sessions();
  const auto session = sessions.find(session_of(link));
  return session != sessions.end() &&
         (session->second->subscriptions.any() || session->second->tracking);
}

/// Whether somebody is to hear of what expires there, though nobody sends a request.
bool Simulation::may_tell_expiry(const Server& server) const {
  if (server.has_subscribers && tells_expiry(server.engine)) {
    for (const SimulatedConnection& link : connections_)
      if (link.at == server.index && link.worker() < worker_count_ && !facts_[link.worker()].gone &&
          may_hear(link))
        return true;
  }
  for (const Follower& follower : followers_)
    if (follower.used && follower.primary == server.index &&
        hears_expiry(servers_[follower.server]))
      return true;
  return false;
}

/// While messages cannot be late, a reply can only arrive now; while nothing is on its way to or
/// from a ready worker, nothing but its own step can happen to it. Faults that could are in the
/// budget, or not.
std::size_t Simulation::local_option() const {
  const auto none = [this](std::initializer_list<Fault> faults) {
    return std::none_of(faults.begin(), faults.end(), [this](Fault f) { return has_budget(f); });
  };
  // Where nobody is slow, a replica may lag before a step and not behind it.
  if (steered_ || (rules_.prompt && has_budget(Fault::lag))) return options_.size();
  const bool replies =
      rules_.max_delay == Duration{} &&
      none({Fault::lost_reply, Fault::reset, Fault::partition, Fault::restart, Fault::failover});
  // What breaks connections breaks a request that has been sent, and not one that has yet to be; of
  // what workers share, one's step is another's affair.
  const bool steps = shares_.empty() && none({Fault::pause, Fault::crash, Fault::client_clock,
                                              Fault::restart, Fault::failover});
  for (std::size_t i = 0; i < options_.size() && (replies || steps); ++i) {
    const Step step = step_of(options_[i].id);
    const std::size_t worker = actor_of(options_[i].id) % kMostWorkers;
    // Who can run may do so before the reply is there.
    const bool candidate = (step == Step::reply && replies && !facts_[worker].gone &&
                            (standing_.runnable() >> worker & 1) == 0) ||
                           (step == Step::resume && steps && standing_.has_started(worker));
    if (!candidate) continue;
    bool alone = true;
    for (const SimulatedConnection& link : connections_) {
      if (link.worker() != worker) continue;
      const std::size_t others = link.requests.size() + link.answers.size() + link.orphans.size();
      const bool own =
          step == Step::reply && link.node() == actor_of(options_[i].id) / kMostWorkers;
      alone &= link.listener() == nullptr && others == (own ? 1U : 0U) && !may_hear(link);
    }
    if (alone) return i;
  }
  return options_.size();
}

/// As collect() has it, or a little less.
bool Simulation::servers_can_be_struck() const {
  if (!faults_left_ || standing_.runnable() != 0) return true;
  for (const SimulatedConnection& link : connections_)
    if (link.has_traffic() && !link.held_back && may_pass(link)) return true;
  return false;
}

/// The event is who does what, or which fault strikes whom; the state is who has what.
void Simulation::mark_coverage(std::uint32_t event) {
  Hash hash;
  standing_.pack([&hash](std::uint64_t word) { hash.add(word); });
  hash.add(oracles_.owners());
  const std::uint64_t after = hash.value();
  settle_coverage();
  last_edge_ = Coverage::bit_of((abstract_ * 31 + event) * 31 + after);
  coverage_->prefetch(last_edge_);
  abstract_ = after;
}

/// Sets the last edge, a step after it was known: the set does not fit the processor's first cache,
/// and its word comes meanwhile.
void Simulation::settle_coverage() {
  if (last_edge_ != Coverage::kBits) new_edges_ += coverage_->set(last_edge_);
}

}  // namespace picklock::race
