#include "emulator/engine/sentinel/sentinel.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/publish.hpp"

namespace picklock {

namespace {

std::int64_t priority_of(const SentinelWorld::Server& server) {
  return server.engine->config.number("replica-priority");
}

// Redis 7.0, compareSlavesForPromotion: the lowest priority, the furthest, the lowest run id.
bool is_better(const SentinelWorld::Server& a, const SentinelWorld::Server& b) {
  if (priority_of(a) != priority_of(b)) return priority_of(a) < priority_of(b);
  const std::int64_t offset_a = a.engine->replication.offset;
  const std::int64_t offset_b = b.engine->replication.offset;
  return offset_a != offset_b ? offset_a > offset_b : a.engine->run_id < b.engine->run_id;
}

}  // namespace

std::string to_text(const ServerAddress& address) {
  return address.host + ":" + std::to_string(address.port);
}

std::string Sentinel::describe(const Master& master) {
  return "master " + master.name + " " + master.address.host + " " +
         std::to_string(master.address.port);
}

std::string Sentinel::describe(const Master& master, const ServerAddress& replica) {
  return "slave " + to_text(replica) + " " + replica.host + " " + std::to_string(replica.port) +
         " @ " + master.name + " " + master.address.host + " " +
         std::to_string(master.address.port);
}

void Sentinel::tell(std::string_view event, std::string_view text, std::string_view more) {
  publish(engine_, event, std::string{text} + (more.empty() ? "" : " ") + std::string{more});
}

const std::string& Sentinel::id() const { return engine_.cluster.self.id; }

Sentinel::Master* Sentinel::find(std::string_view name) {
  const auto found = masters_.find(name);
  return found == masters_.end() ? nullptr : &found->second;
}

Sentinel::Master* Sentinel::find(const ServerAddress& address) {
  for (auto& [name, master] : masters_)
    if (master.address == address) return &master;
  return nullptr;
}

void Sentinel::monitor(Master master) {
  const std::string quorum = "quorum " + std::to_string(master.quorum);
  master.seen.is_primary = true;
  master.seen.role_since = engine_.clock.now();
  tell("+monitor", describe(master), quorum);
  masters_.insert_or_assign(master.name, std::move(master));
}

void Sentinel::remove(const std::string& name) {
  tell("-monitor", describe(masters_.at(name)));
  masters_.erase(name);
}

void Sentinel::reset(Master& master) {
  tell("+reset-master", describe(master));
  master.seen = {.is_primary = true, .role_since = engine_.clock.now()};
  master.objectively_down_since.reset();
  master.not_before.reset();
  master.replicas.clear();
  master.fails_over = master.forced = false;
}

void Sentinel::look() {
  for (auto& [name, master] : masters_) {
    discover(master);
    judge(master);
    carry_out_failover(master);
    convert_those_astray(master);
  }
}

void Sentinel::discover(Master& master) {
  for (const auto& server : world_.replicas_of(master.address)) {
    const auto [at, is_new] = master.replicas.try_emplace(to_text(server.address));
    if (!is_new) continue;
    at->second.role_since = engine_.clock.now();
    tell("+slave", describe(master, server.address));
  }
}

void Sentinel::note_role(Seen& seen, bool is_primary, const std::string& description) {
  if (seen.is_primary == is_primary) return;
  seen.is_primary = is_primary;
  seen.role_since = engine_.clock.now();
  const bool as_expected = description.starts_with("master") == is_primary;
  tell(as_expected ? "+role-change" : "-role-change", description,
       is_primary ? "new reported role is master" : "new reported role is slave");
}

/// Returns whether it is down.
bool Sentinel::look_at(Master& master, Seen& seen, const SentinelWorld::Server& server,
                       const std::string& description) {
  const Instant now = engine_.clock.now();
  if (server.runs) {
    note_role(seen, !server.engine->replication.primary, description);
    seen.silent_since.reset();
    if (seen.down_since) tell("-sdown", description);
    seen.down_since.reset();
    return false;
  }
  if (!seen.silent_since) seen.silent_since = now;
  if (!seen.down_since &&
      now - *seen.silent_since > std::chrono::milliseconds{master.down_after_ms}) {
    seen.down_since = now;
    tell("+sdown", description);
  }
  return seen.down_since.has_value();
}

void Sentinel::judge(Master& master) {
  for (const auto& server : world_.replicas_of(master.address))
    look_at(master, master.replicas[to_text(server.address)], server,
            describe(master, server.address));
  const auto server = world_.find(master.address);
  const bool down =
      look_at(master, master.seen, server.value_or(SentinelWorld::Server{}), describe(master)) &&
      master.quorum <= 1;
  if (down == master.objectively_down_since.has_value()) return;
  if (!down) {
    master.objectively_down_since.reset();
    return tell("-odown", describe(master));
  }
  master.objectively_down_since = engine_.clock.now();
  tell("+odown", describe(master), "#quorum 1/" + std::to_string(master.quorum));
}

std::optional<ServerAddress> Sentinel::choose(const Master& master) const {
  std::vector<SentinelWorld::Server> candidates = world_.replicas_of(master.address);
  std::erase_if(candidates, [](const auto& server) {
    return !server.runs || !server.engine->replication.primary || priority_of(server) == 0;
  });
  const auto best = std::ranges::min_element(candidates, is_better);
  if (best == candidates.end()) return std::nullopt;
  return best->address;
}

bool Sentinel::has_candidate(const Master& master) const { return choose(master).has_value(); }

void Sentinel::begin_failover(Master& master, bool forced) {
  master.fails_over = true;
  master.forced = forced;
}

void Sentinel::carry_out_failover(Master& master) {
  const Instant now = engine_.clock.now();
  if (!master.fails_over && master.objectively_down_since &&
      (!master.not_before || now > *master.not_before))
    begin_failover(master, /*forced=*/false);
  if (!master.fails_over) return;
  if (const auto chosen = choose(master)) {
    fail_over_to(master, *chosen);
    return;
  }
  // Redis 7.0: the next attempt comes after twice failover-timeout.
  master.not_before = now + 2 * std::chrono::milliseconds{master.failover_timeout_ms};
  master.fails_over = master.forced = false;
  const std::string watched = describe(master);
  tell("+new-epoch", std::to_string(++epoch_));
  tell("+try-failover", watched);
  tell("+vote-for-leader", id(), std::to_string(epoch_));
  tell("+elected-leader", watched);
  tell("+failover-state-select-slave", watched);
  tell("-failover-abort-no-good-slave", watched);
}

bool Sentinel::fail_over_to(Master& master, const ServerAddress& chosen) {
  if (!world_.promote(chosen)) return false;  // Once the script has ended.
  tell_of_switch(master, chosen);
  return true;
}

// In the order of Redis 7.0.15, whose steps are seconds apart.
void Sentinel::tell_of_switch(Master& master, const ServerAddress& chosen) {
  const std::string watched = describe(master);
  const std::string promoted = describe(master, chosen);
  const ServerAddress old = master.address;
  tell("+new-epoch", std::to_string(++epoch_));
  tell("+try-failover", watched);
  tell("+vote-for-leader", id(), std::to_string(epoch_));
  tell("+elected-leader", watched);
  tell("+failover-state-select-slave", watched);
  for (const char* step :
       {"+selected-slave", "+failover-state-send-slaveof-noone", "+failover-state-wait-promotion"})
    tell(step, promoted);
  tell("-role-change", promoted, "new reported role is master");
  tell("+promoted-slave", promoted);
  tell("+failover-state-reconf-slaves", watched);
  const std::vector<SentinelWorld::Server> replicas = world_.replicas_of(chosen);
  for (const auto& server : replicas)
    if (server.address != old && server.follows)
      for (const char* step : {"+slave-reconf-sent", "+slave-reconf-inprog", "+slave-reconf-done"})
        tell(step, describe(master, server.address));
  tell("+failover-end", watched);
  tell("+switch-master", master.name + " " + old.host + " " + std::to_string(old.port),
       chosen.host + " " + std::to_string(chosen.port));

  const Instant now = engine_.clock.now();
  master.address = chosen;
  master.config_epoch = epoch_;
  master.fails_over = master.forced = false;
  master.objectively_down_since.reset();
  master.not_before.reset();
  master.seen = {.is_primary = true, .role_since = now};
  master.replicas.clear();
  // The old master last.
  for (const bool is_old : {false, true})
    for (const auto& server : replicas) {
      if ((server.address == old) != is_old) continue;
      master.replicas[to_text(server.address)].role_since = now;
      tell("+slave", describe(master, server.address));
    }
  for (const auto& server : replicas) {
    if (server.address != old || !server.follows) continue;
    const std::string converted = describe(master, old);
    tell("-role-change", converted, "new reported role is master");
    tell("+convert-to-slave", converted);
    tell("+role-change", converted, "new reported role is slave");
  }
}

void Sentinel::convert_those_astray(Master& master) {
  for (const auto& server : world_.replicas_of(master.address)) {
    if (!server.runs || !server.is_reachable || server.engine->replication.primary) continue;
    if (!world_.convert(server.address)) continue;
    const std::string converted = describe(master, server.address);
    tell("+convert-to-slave", converted);
    note_role(master.replicas[to_text(server.address)], /*is_primary=*/false, converted);
  }
}

std::optional<Instant> Sentinel::next_event() const {
  constexpr std::chrono::milliseconds kMore{1};
  std::optional<Instant> first;
  const auto consider = [&](Instant instant) {
    first = first ? std::min(*first, instant) : instant;
  };
  for (const auto& [name, master] : masters_) {
    const auto down_after = std::chrono::milliseconds{master.down_after_ms} + kMore;
    const auto look_at_one = [&](const Seen& seen) {
      if (seen.silent_since && !seen.down_since) consider(*seen.silent_since + down_after);
    };
    look_at_one(master.seen);
    for (const auto& [address, seen] : master.replicas) look_at_one(seen);
    if (master.objectively_down_since && master.not_before) consider(*master.not_before + kMore);
  }
  return first;
}

}  // namespace picklock
