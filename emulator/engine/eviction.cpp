#include "emulator/engine/eviction.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/tracking.hpp"

namespace picklock {

namespace {

using Entry = Dict<KeyEntry>::Entry;

enum class Rank : std::uint8_t { lru, lfu, ttl, random };

/// Whether `a` should go before `b`; never true both ways, and the older key goes first where
/// nothing else tells. Of keys used in the same second the command that used them tells.
bool goes_first(Rank rank, const UseCounting& counting, std::int64_t now_ms, const Entry& a,
                const Entry& b) {
  const auto order = [&](auto left, auto right) {
    return left != right ? left < right : a.sequence < b.sequence;
  };
  switch (rank) {
    case Rank::lru:
      return order(std::pair{-a.value.use.idle_seconds(now_ms), a.value.used_by},
                   std::pair{-b.value.use.idle_seconds(now_ms), b.value.used_by});
    case Rank::lfu:
      return order(a.value.use.frequency(counting, now_ms),
                   b.value.use.frequency(counting, now_ms));
    case Rank::ttl:
      return order(a.value.deadline_ms, b.value.deadline_ms);
    case Rank::random:
      return false;
  }
  return false;
}

Rank rank_of(std::string_view policy) {
  if (policy.ends_with("lru")) return Rank::lru;
  if (policy.ends_with("lfu")) return Rank::lfu;
  return policy.ends_with("ttl") ? Rank::ttl : Rank::random;
}

struct Victim {
  int database = 0;
  const Entry* entry = nullptr;
};

/// The best of a few keys of each database. A random victim comes from a random one of those that
/// have any.
Victim choose(Engine& engine, std::string_view policy) {
  constexpr std::int64_t kMostSamples = 64;  // However many are asked for: a request must end.
  const Rank rank = rank_of(policy);
  const std::int64_t samples =
      rank == Rank::random ? 1 : std::min(engine.config.number("maxmemory-samples"), kMostSamples);
  const UseCounting counting = engine.config.use_counting();
  const std::int64_t now_ms = to_unix_ms(engine.clock.now());
  const auto below = [&](std::uint64_t bound) { return engine.random.below(bound); };
  Victim best;
  std::uint64_t met = 0;
  for (int index = 0; index < static_cast<int>(engine.keyspace.used().size()); ++index) {
    const Entry* entry = engine.keyspace[index].eviction_candidate(
        samples, policy.starts_with("volatile"), below,
        [&](const Entry& a, const Entry& b) { return goes_first(rank, counting, now_ms, a, b); });
    if (!entry) continue;
    ++met;
    const bool better = rank == Rank::random ? below(met) == 0
                                             : !best.entry || goes_first(rank, counting, now_ms,
                                                                         *entry, *best.entry);
    if (better) best = {index, entry};
  }
  return best;
}

}  // namespace

std::uint64_t used_memory(const Engine& engine) {
  return kStartupBytes + engine.keyspace.used_memory();
}

bool evict(Engine& engine, Session* next) {
  const auto limit = static_cast<std::uint64_t>(engine.config.watching().max_memory);
  if (limit == 0) return true;
  // Redis 7.0: a replica leaves it to its primary.
  if (engine.replication.primary && engine.config.get("replica-ignore-maxmemory") == "yes")
    return true;
  const std::string_view policy = engine.config.get("maxmemory-policy");
  while (used_memory(engine) > limit) {
    if (policy == "noeviction") return false;
    const Victim victim = choose(engine, policy);
    if (!victim.entry) return false;
    const std::string key = victim.entry->key;
    engine.keyspace[victim.database].evict(key);
    ++engine.stats.evicted;
    if (engine.effects)
      engine.effect(victim.database,
                    std::array<std::string_view, 2>{engine.deletion("eviction"), key});
    if (next && engine.tracking.is_needed()) invalidate_changed(engine, next, /*in_request=*/false);
    if (!engine.config.events().any()) continue;
    engine.tell_changes();
    engine.event(EventClass::evicted, "evicted", key, victim.database);
  }
  if (engine.effects) engine.effects->end_unit(/*apart=*/true);
  return true;
}

}  // namespace picklock
