// Replicas in the world: how far each has come, when that matters, and how one takes its primary's
// place.
//
// The server that a scenario calls by the primary's name is always the one that is primary now:
// when a replica takes over, the two exchange their data, and who stays with the old primary is led
// to where that now is. How many writes get lost is chosen when it happens; until then a replica
// follows at most a few units behind.
#include <algorithm>
#include <stdexcept>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/engine.hpp"
#include "fuzz/world/digest.hpp"
#include "fuzz/world/ids.hpp"
#include "fuzz/world/own_deeds.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

/// How many units a failover may lose.
constexpr std::size_t kMostLag = 4;

std::string joined(const ReplicaLink::Unit& unit) {
  std::string text;
  for (const Effect& effect : unit) {
    if (effect[0] == "SELECT") continue;
    if (!text.empty()) text += "; ";
    for (std::size_t i = 0; i < effect.size(); ++i) text += (i > 0 ? " " : "") + effect[i];
  }
  return text;
}

/// Of an instant, as the stream has it, how far away it is.
std::uint64_t digest_of_word(const std::string& word, std::int64_t origin_ms) {
  constexpr std::int64_t kFirstInstant = 1'000'000'000'000;  // In 2001; no test counts so far.
  const auto number = parse_int64(word);
  if (!number || *number < kFirstInstant) return digest(word);
  return static_cast<std::uint64_t>(*number - origin_ms);
}

Replication::Primary address(std::size_t index) {
  return {"127.0.0.1", static_cast<int>(6379 + index)};
}

}  // namespace

Simulation::Server& Simulation::replica(Server& primary, std::string_view name) {
  for (Follower& follower : followers_) {
    if (servers_[follower.server].label != name) continue;
    if (follower.primary != primary.index)
      throw std::invalid_argument{"'" + std::string{name} + "' follows another server"};
    follower.used = true;
    use(servers_[follower.server]);
    return servers_[follower.server];
  }
  for (const Server& server : servers_) {
    if (server.label == name)
      throw std::invalid_argument{"'" + std::string{name} +
                                  "' is a server already: a replica needs a name of its own"};
  }
  Server& standby = server(name, nullptr, nullptr);
  standby.engine.config = primary.engine.config;
  standby.engine.review_guards();
  Follower& follower = followers_.emplace_back(primary.index, standby.index);
  follower.link = std::make_unique<ReplicaLink>(
      primary.engine, standby.engine,
      ReplicaLink::Addresses{address(primary.index), address(standby.index)});
  follower.start = follower.link->save();
  follower.used = true;
  for (Server* one : {&primary, &standby}) one->present = one->pristine = one->redis.snapshot();
  return standby;
}

void Simulation::clear_followers() {
  for (Follower& follower : followers_) {
    follower.used = false;
    follower.stalled_until = Instant{};
    follower.link->restore(follower.start);
  }
}

std::size_t Simulation::index_of(const Follower& follower) const {
  std::size_t index = 0;
  while (&followers_[index] != &follower) ++index;
  return index;
}

bool Simulation::can_flow(const Follower& follower) const {
  const Server& standby = servers_[follower.server];
  return follower.link->is_connected() && follower.stalled_until <= now_ &&
         servers_[follower.primary].back_at <= now_ && standby.back_at <= now_ &&
         paused_until(standby.engine, standby.local_clock) <= now_;
}

/// Whether somebody waits for a replica to confirm, or looks at what it has.
bool Simulation::is_watched(const Follower& follower) const {
  if (servers_[follower.primary].blocked > 0) return true;
  for (const SimulatedConnection& link : connections_) {
    if (link.node() == follower.server && link.last_ticket > 0) return true;
  }
  return false;
}

/// Lets through what no choice to come can tell from what has got through.
void Simulation::settle(Server& server) {
  for (Follower& follower : followers_) {
    if (!follower.used || follower.primary != server.index || !can_flow(follower)) continue;
    const std::size_t behind = follower.link->pending().size();
    const bool may_lag = has_budget(Fault::failover) || is_watched(follower);
    const std::size_t most = may_lag ? kMostLag : 0;
    if (behind > most) let_through(follower, behind - most);
  }
}

void Simulation::let_through(Follower& follower, std::size_t units) {
  Server& standby = servers_[follower.server];
  sync(standby);
  standby.touch();
  servers_[follower.primary].touch();
  follower.link->apply(units);
  look_ahead(standby);
  if (standby.has_subscribers) publish(standby);
}

void Simulation::replicate(Follower& follower) {
  let_through(follower, follower.link->pending().size());
  Server& primary = servers_[follower.primary];
  if (recorder_ != nullptr)
    recorder_->add({.kind = Event::Kind::fault,
                    .at = now_,
                    .on_server = true,
                    .actor = follower.server,
                    .text = "has caught up"});
  if (primary.blocked > 0) serve_blocked(primary);
}

void Simulation::collect_replication() {
  for (const Follower& follower : followers_) {
    if (!follower.used || follower.link->pending().empty() || !can_flow(follower)) continue;
    if (is_watched(follower))
      offer_step(Step::replicate, static_cast<std::uint32_t>(index_of(follower)));
  }
}

void Simulation::collect_replica_faults() {
  for (const Follower& follower : followers_) {
    if (!follower.used || !follower.link->is_connected()) continue;
    if (servers_[follower.primary].back_at > now_) continue;
    offer_fault(Fault::failover, Step::failover, index_of(follower));
    if (follower.stalled_until <= now_) offer_fault(Fault::lag, Step::lag, index_of(follower));
  }
}

/// How far time may go before a replica on whom somebody waits has heard what there is.
Instant Simulation::replication_limit() const {
  Instant limit = Instant::max();
  for (const Follower& follower : followers_) {
    if (!follower.used || follower.link->pending().empty()) continue;
    const Server& primary = servers_[follower.primary];
    if (!follower.link->is_connected() || primary.blocked == 0) continue;
    const Server& standby = servers_[follower.server];
    limit = std::min(limit, std::max({follower.stalled_until, primary.back_at, standby.back_at,
                                      paused_until(standby.engine, standby.local_clock), now_}));
  }
  return limit;
}

void Simulation::lag(Follower& follower) {
  spend(Fault::lag);
  options_.clear();
  untils_.clear();
  offer_deadlines(now_, Instant::max());
  offer_until(static_cast<std::uint32_t>(Until::middle_menu), now_ + milliseconds{100});
  offer_until(static_cast<std::uint32_t>(Until::long_menu), now_ + milliseconds{10'000});
  follower.stalled_until = choose_until();
  note_fault(true, follower.server, "hears nothing of " + servers_[follower.primary].label,
             follower.stalled_until);
}

/// The old primary's end: dead, made a replica, or cut off together with a worker that cannot know.
std::uint32_t Simulation::choose_failover(const Follower& follower) {
  options_.clear();
  options_.push_back({.id = static_cast<std::uint32_t>(Failover::dead)});
  options_.push_back({.id = static_cast<std::uint32_t>(Failover::demoted)});
  const Server& primary = servers_[follower.primary];
  for (std::size_t i = 0; i < worker_count_ && !primary.has_subscribers; ++i) {
    const SimulatedConnection& link = connection(i, follower.primary);
    if (standing_.has_started(i) && !facts_[i].gone && link.listener() == nullptr &&
        !link.held_back && can_move(primary.engine, session_of(link)))
      options_.push_back(
          {.id = static_cast<std::uint32_t>(Failover::cut_off) + static_cast<std::uint32_t>(i)});
  }
  const std::size_t picked = choose(Kind::fault);
  if (picked >= options_.size()) return 0;
  mix(options_[picked].id);
  return options_[picked].id;
}

void Simulation::fail_over(Follower& follower) {
  spend(Fault::failover);
  const auto behind = static_cast<std::uint32_t>(follower.link->pending().size());
  const std::uint32_t lost = choose_variant(behind + 1);
  const std::uint32_t way = choose_failover(follower);
  promote(follower, lost, way);
}

void Simulation::promote(Follower& follower, std::size_t lost, std::uint32_t way) {
  Server& server = servers_[follower.primary];
  Server& standby = servers_[follower.server];
  sync(server);
  sync(standby);
  server.touch();
  standby.touch();
  follower.link->apply(follower.link->pending().size() - lost);
  // No failover takes no time: an instant must part what was before it from what comes.
  server.back_at = now_ + milliseconds{1};
  if (recorder_ != nullptr) record_promotion(follower, way);
  constexpr auto kCutOff = static_cast<std::uint32_t>(Failover::cut_off);
  const std::size_t stays = way >= kCutOff ? way - kCutOff : kNobody;
  for (SimulatedConnection& link : connections_) {
    if (link.node() != server.index || link.worker() == stays) continue;
    link.orphans.clear();
    break_connection(link);
    Instant& hindered = facts_[link.worker()].hindered_until;
    hindered = std::max(hindered, server.back_at);
  }
  // What is under way to the standby is for who it was.
  for (SimulatedConnection& link : connections_) {
    if (link.node() != standby.index) continue;
    link.orphans.clear();
    break_connection(link);
  }
  follower.link->cut();
  server.engine.swap_data(standby.engine);
  const std::string old_id = server.engine.replication.ids->first;
  server.engine.replication.begin_history(/*remembers=*/true);
  const Instant before = server.local_clock.wall(now_);
  std::swap(server.local_clock, standby.local_clock);   // Each machine keeps its own...
  exchange_pauses(server.engine, standby.engine);       // ...and is paused for itself.
  const Instant after = server.local_clock.wall(now_);  // Of who takes over: see clock_changed().
  if (after < before) oracles_.properties().clock_went_back();
  sync(server);
  sync(standby);
  server.engine.run_due();  // A primary deletes what has expired.
  {
    const OutOfPause scope{server.engine};
    server.control().call("SCRIPT", "FLUSH");
  }
  server.has_scripts = server.has_subscribers = false;
  if (way == static_cast<std::uint32_t>(Failover::demoted)) {
    follower.link->connect();
  } else {
    follower.link->promote();
    standby.engine.replication.ids.edit().first = old_id;
    standby.engine.run_due();
  }
  if (stays != kNobody) {
    SimulatedConnection& link = connection(stays, server.index);
    const std::uint64_t there = connection(stays, standby.index).client->id();
    move_session(*server.engine.sessions().find(link.client->id())->second,
                 *standby.engine.sessions().find(there)->second);
    begin_anew(server.redis, *link.client);
    link.at = standby.index;
  }
  // Others follow whoever is primary now.
  for (Follower& other : followers_) {
    if (!other.used || &other == &follower || other.primary != server.index) continue;
    servers_[other.server].touch();
    other.link->connect();
  }
  oracles_.disturbed(server.index, now_, server.redis.inspect(),
                     lost > 0 || stays != kNobody || after > before);
  for (Server* each : {&server, &standby}) {
    each->saved.reset();  // That is the other's.
    save(*each);
  }
  look_ahead(server);
  look_ahead(standby);
}

void Simulation::record_promotion(const Follower& follower, std::uint32_t way) {
  const std::string& name = servers_[follower.server].label;
  note_fault(true, follower.primary, name + " takes over");
  for (const ReplicaLink::Unit& unit : follower.link->pending())
    note_fault(true, follower.primary, "lost: " + joined(unit));
  std::string end = "the old one is dead";
  if (way == static_cast<std::uint32_t>(Failover::demoted)) end = "the old one follows it";
  if (way >= static_cast<std::uint32_t>(Failover::cut_off))
    end = "the old one goes on, cut off with " +
          processes_[way - static_cast<std::uint32_t>(Failover::cut_off)].name;
  note_fault(true, follower.primary, std::move(end));
}

/// Whoever followed it takes over what it has come back with.
void Simulation::resynchronise(Server& server) {
  for (Follower& follower : followers_) {
    const bool concerned = follower.primary == server.index || follower.server == server.index;
    if (!follower.used || !concerned || !follower.link->is_connected()) continue;
    servers_[follower.server].touch();
    servers_[follower.primary].touch();
    follower.link->connect();
    look_ahead(servers_[follower.server]);
  }
}

/// What has expired goes when it does, not when somebody looks: the stream tells of it.
void Simulation::expire_replicated() {
  for (const Follower& follower : followers_) {
    if (!follower.used) continue;
    sync(servers_[follower.primary]);
    sync(servers_[follower.server]);
    settle(servers_[follower.primary]);
  }
}

/// How far behind a session's last command the replica is; nothing but WAIT asks.
std::uint64_t Simulation::unconfirmed(const SimulatedConnection& link) const {
  const Replication& replication = far_end(link).engine.replication;
  const auto& sessions = far_end(link).engine.sessions();
  const auto session = sessions.find(session_of(link));
  if (session == sessions.end()) return 0;
  const Rare<Blocked>& blocked = session->second->blocked;
  std::uint64_t sum = 0;
  for (const Replication::Replica& replica : replication.replicas) {
    const auto missing = [&](std::int64_t written) {
      return static_cast<std::uint64_t>(std::max<std::int64_t>(written - replica.acknowledged, 0));
    };
    sum = sum * 31 + missing(session->second->written);
    if (blocked && blocked->wants_replicas) sum = sum * 31 + missing(blocked->written) + 1;
  }
  return sum;
}

/// A connection is another session, of which no replica has anything to confirm.
void Simulation::forget_written(SimulatedConnection& link) {
  const auto& sessions = far_end(link).engine.sessions();
  const auto session = sessions.find(session_of(link));
  if (session != sessions.end()) session->second->written = 0;
}

std::uint64_t Simulation::digest_of(const Follower& follower) const {
  std::uint64_t sum = follower.link->is_connected() ? 2 : 1;
  const auto add = [&sum](std::uint64_t value) {
    sum = (sum ^ value) * 0x9e3779b97f4a7c15;
    sum ^= sum >> 32;
  };
  add(static_cast<std::uint64_t>(servers_[follower.primary].engine.replication.selected));
  const std::int64_t origin_ms = rules_.timeless ? to_unix_ms(now_) : 0;
  for (const ReplicaLink::Unit& unit : follower.link->pending()) {
    add(unit.size());
    for (const Effect& effect : unit)
      for (const std::string& word : effect) add(digest_of_word(word, origin_ms));
  }
  const Instant origin = rules_.timeless ? now_ : Instant{};
  add(static_cast<std::uint64_t>((std::max(follower.stalled_until, now_) - origin).count()));
  return sum;
}

/// The server that a connection leads to, and the session there.
Simulation::Server& Simulation::far_end(const SimulatedConnection& link) {
  return servers_[link.at];
}

Client& Simulation::client_of(SimulatedConnection& link) {
  return link.at == link.node() ? *link.client : *connection(link.worker(), link.at).client;
}

std::uint64_t Simulation::session_of(const SimulatedConnection& link) const {
  const std::size_t place = connection_actor(link.worker(), link.at);
  return link.at == link.node() ? link.client->id() : links_[place]->client->id();
}

}  // namespace picklock::race
