// How time goes on: where it stops, and what servers do by themselves on the way.
#include <algorithm>

#include "fuzz/world/ids.hpp"
#include "fuzz/world/own_deeds.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

}  // namespace

/// Gives a server its own time. What expires on the way is no command's doing.
void Simulation::sync(Server& server) {
  const Instant now = server.local_clock.wall(now_);
  if (server.engine.now() != now) {
    const std::size_t sessions = server.engine.sessions().size();
    note_idle_cuts(server);
    server.redis.set_time(now);
    server.touch();
    if (!server.cuts_idle && server.engine.sessions().size() < sessions) connect_killed(server);
  }
  oracles_.expire(server.index, now_);
}

/// Before it is known that a server cuts off who sends nothing, for how long is in no state.
void Simulation::note_idle_cuts(Server& server) {
  server.cuts_idle |= cuts_idle(server.engine);
  may_cut_idle_ |= server.cuts_idle;
}

/// Who waits there gives up at last, and who listens is told what has expired.
void Simulation::tell_what_came_by_itself(Server& server) {
  const bool tells = hears_expiry(server);
  sync(server);
  serve_blocked(server);
  if (tells) publish(server);
}

/// To be called when its keys may have changed.
void Simulation::look_ahead(Server& server) {
  if (recorder_ != nullptr) record_keys(server);
  find_deadline(server);
}

/// When the server will change by itself, in world time.
void Simulation::find_deadline(Server& server) {
  const std::optional<Instant> event = server.redis.next_event();
  server.deadline = std::nullopt;
  if (!event) return;
  const Instant world = server.local_clock.world_at_wall(*event);
  if (world != Instant::max()) server.deadline = world - milliseconds{1};
}

/// How far time may go before the oldest message of a connection must have arrived, or may pass
/// again.
Instant Simulation::message_limit(const SimulatedConnection& link) const {
  const Instant open = std::max(link.stalled_until, far_end(link).back_at);
  Instant limit = Instant::max();
  const auto bound = [&](Instant sent) {
    limit = std::min(limit, open > now_ ? open : std::max(sent, open) + rules_.max_delay);
  };
  if (!link.requests.empty() && !link.held_back) bound(link.requests.front().sent);
  if (!link.answers.empty()) bound(link.answers.front().sent);
  if (!link.orphans.empty() && !link.held_back) bound(link.orphans.front().sent);
  return limit;
}

void Simulation::set_alarm(std::size_t worker, std::optional<Instant> instant) {
  processes_[worker].alarm = instant;
  standing_.set_alarmed(worker, instant.has_value());
}

/// Where time goes next. While messages are in flight or workers have yet to start, it also stops
/// where their order with an expiry matters; it never goes beyond what the oldest message may be
/// late: the `limit` of all connections. Instant::max(): nowhere.
Instant Simulation::next_instant(Instant limit) const {
  constexpr Instant kNever = Instant::max();
  Instant next = kNever;
  for_each_bit(standing_.busy(),
               [&](std::size_t i) { next = std::min(next, facts_[i].frozen_until); });
  for_each_bit(standing_.in(State::sleeping),
               [&](std::size_t i) { next = std::min(next, processes_[i].wake); });
  for_each_bit(standing_.in(State::waiting), [&](std::size_t i) {
    if (processes_[i].wakes) next = std::min(next, processes_[i].wake);
  });
  for_each_bit(standing_.alarmed(),
               [&](std::size_t i) { next = std::min(next, *processes_[i].alarm); });
  for (const Server& server : servers_) {
    if ((server.blocked > 0 || hears_expiry(server)) && server.deadline)
      next = std::min(next, std::max(*server.deadline + milliseconds{1}, now_ + Duration{1}));
  }
  const Instant heard = followers_.size() > 0 ? replication_limit() : kNever;
  if (in_flight_.empty() && !late_starters_ && heard == kNever) return next;
  limit = std::min(heard, limit);
  if (limit <= now_) return kNever;
  next = std::min(next, limit);
  for (const Server& server : servers_) {
    if (!server.used || !server.deadline) continue;
    for (const Instant instant : {*server.deadline, *server.deadline + milliseconds{1}})
      if (instant > now_) next = std::min(next, instant);
  }
  return next > now_ ? next : kNever;
}

void Simulation::pass_time() {
  ++time_steps_;
  now_ = next_time_;
  mix(static_cast<std::uint64_t>((now_ - start_).count()));
  for_each_bit(standing_.in(State::sleeping) | standing_.in(State::waiting), [this](std::size_t i) {
    Process& process = processes_[i];
    const bool is_timed = process.wakes || standing_.is(State::sleeping, i);
    if (!is_timed || process.wake > now_) return;
    standing_.set_state(i, State::ready);
    process.wakes = false;
  });
  for_each_bit(standing_.alarmed(), [this](std::size_t i) {
    if (*processes_[i].alarm > now_) return;
    set_alarm(i, std::nullopt);
    standing_.set_news(i, true);
  });
  if (recorder_ != nullptr) {
    for_each_bit(standing_.in(State::ready), [this](std::size_t i) {
      if (facts_[i].frozen_until == now_)
        recorder_->add({.kind = Event::Kind::resume, .at = now_, .actor = i});
    });
  }
  for_each_bit(standing_.frozen(),
               [this](std::size_t i) { standing_.set_frozen(i, facts_[i].frozen_until > now_); });
  oracles_.time_passed(now_, facts_);  // Before they are told what has expired.
  for (Server& server : servers_) {
    if (server.blocked > 0 || hears_expiry(server)) tell_what_came_by_itself(server);
  }
  if (followers_.size() > 0) expire_replicated();
  for (Server& server : servers_) {
    if (!server.used || !server.deadline || *server.deadline + milliseconds{1} > now_) continue;
    sync(server);
    find_deadline(server);
  }
}

void Simulation::offer_until(std::uint32_t id, Instant instant) {
  if (std::find(untils_.begin(), untils_.end(), instant) != untils_.end()) return;
  options_.push_back({.id = id});
  untils_.push_back(instant);
}

void Simulation::offer_deadlines(Instant least, Instant most) {
  for (const Server& server : servers_) {
    if (!server.used || !server.deadline) continue;
    for (std::uint32_t offset = 3; offset-- > 0;) {
      const Instant instant = *server.deadline + milliseconds{static_cast<int>(offset) - 1};
      if (instant > least && instant < most)
        offer_until(deadline_id(server.index, offset), instant);
    }
  }
}

/// Now if the run has been stopped.
Instant Simulation::choose_until() {
  const std::size_t picked = choose(Kind::duration);
  if (picked >= untils_.size()) return now_;
  mix(options_[picked].id);
  return untils_[picked];
}

}  // namespace picklock::race
