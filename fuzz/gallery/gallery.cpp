#include "fuzz/gallery/gallery.hpp"

#include <array>
#include <memory>

#include "fuzz/gallery/founding.hpp"
#include "fuzz/gallery/primitives.hpp"

namespace picklock::race {
namespace {

constexpr std::array<std::string_view, 8> kNames{"alice", "bob",   "carol", "dave",
                                                 "erin",  "frank", "grace", "heidi"};

// The bits of the fourth parameter of a replay string.
constexpr std::uint64_t kTrustsReentry = 1;
constexpr std::uint64_t kHasReplica = 2;

std::uint64_t digest(std::uint64_t hash, std::string_view text) {
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

GalleryLock founding_lock(const WellKnownProtocol& known) {
  GalleryLock lock{
      .name = known.name, .summary = known.summary, .weakness = known.weakness, .twin = known.twin};
  const Founding founding{known, {}};
  lock.has_replica = known.name == "failover";
  lock.protocol = &known;
  lock.counts = founding.counts();
  lock.has_key = lock.expires = !founding.keeps_time_in_value();
  lock.by_majority = founding.is_by_majority();
  return lock;
}

/// The mended one: it counts only on what its replica has confirmed.
GalleryLock waiting_lock(const GalleryLock& failover) {
  GalleryLock lock = failover;
  lock.name = "failover-wait";
  lock.summary = "set-nx-px, held only once the replica has confirmed it (WAIT)";
  lock.weakness =
      "a lock is given back when the replica is late; with several replicas all must confirm, or "
      "one that has not may be promoted";
  lock.twin = "";
  lock.waits = 1;
  return lock;
}

std::vector<GalleryLock> all_locks() {
  std::vector<GalleryLock> locks;
  for (const WellKnownProtocol& known : well_known_protocols()) {
    locks.push_back(founding_lock(known));
    if (locks.back().name != "failover") continue;
    locks.back().twin = "failover-wait";
    locks.push_back(waiting_lock(locks.back()));
  }
  for (const Primitive& primitive : primitives())
    locks.push_back({.name = primitive.name,
                     .summary = primitive.summary,
                     .primitive = &primitive,
                     .has_key = primitive.has_key,
                     .workers = primitive.workers});
  return locks;
}

Scenario founding_scenario(const GalleryLock& lock, const LockSettings& settings) {
  struct Shared {  // For a Scenario is copied.
    Shared(const WellKnownProtocol& known, const LockSettings& used) : founding(known, used) {}
    Founding founding;
    std::vector<std::string> scripts = founding.scripts();
    Bench bench{.lock = &founding};
  };
  const auto shared = std::make_shared<Shared>(*lock.protocol, settings);
  shared->bench.waits = lock.waits;
  const bool has_replica = lock.has_replica || settings.has_replica;
  return [shared, has_replica](World& world) {
    Bench& bench = shared->bench;
    bench.redis = &world.redis("redis", [&](Emulator& emulator) {
      Client client = emulator.connect();
      for (const std::string& script : shared->scripts) client.call("SCRIPT", "LOAD", script);
    });
    if (has_replica) world.replica_of(*bench.redis, "replica");
    bench.section = &world.exclusive("section");
    if (!shared->founding.keeps_time_in_value()) {
      bench.key = world.lock_key(*bench.redis, kLockKey);
      world.leaves_nothing(*bench.redis, shared->founding.kept());
    }
    const auto workers = static_cast<std::size_t>(shared->founding.settings().workers);
    for (std::size_t i = 0; i < workers; ++i) {
      world.spawn(worker_name(i),
                  [used = &bench, i](Worker& worker) { return take_turns(worker, *used, i); });
    }
  };
}

}  // namespace

std::string_view worker_name(std::size_t index) { return kNames.at(index); }

std::span<const GalleryLock> gallery() {
  static const std::vector<GalleryLock> locks = all_locks();
  return locks;
}

const GalleryLock* find_lock(std::string_view name) {
  for (const GalleryLock& lock : gallery()) {
    if (lock.name == name) return &lock;
  }
  return nullptr;
}

Scenario make_scenario(const GalleryLock& lock, const LockSettings& settings) {
  if (lock.primitive != nullptr) return primitive_scenario(*lock.primitive, settings);
  return lock.by_majority ? majority_scenario(*lock.protocol, settings)
                          : founding_scenario(lock, settings);
}

ExploreOptions make_options(const GalleryLock& lock, const LockSettings& settings) {
  ExploreOptions options;
  options.scenario = lock.name;
  options.parameters = {static_cast<std::uint64_t>(settings.workers),
                        static_cast<std::uint64_t>(settings.rounds),
                        static_cast<std::uint64_t>(settings.ttl_ms)};
  const std::uint64_t more =
      (settings.trusts_reentry ? kTrustsReentry : 0) + (settings.has_replica ? kHasReplica : 0);
  if (more != 0) options.parameters.push_back(more);
  options.configuration = digest(0xcbf29ce484222325, lock.name);
  options.replay_command = "picklock-fuzz replay ";
  options.symmetric = lock.primitive != nullptr && lock.primitive->symmetric;
  if (lock.protocol == nullptr) return options;
  const Founding founding{*lock.protocol, settings};
  for (const std::string& script : founding.scripts())
    options.configuration = digest(options.configuration, script);
  if (lock.by_majority) return options;
  options.symmetric = true;  // The workers differ in their names only.
  options.timeless = !founding.keeps_time_in_value();
  return options;
}

bool read_settings(std::span<const std::uint64_t> parameters, LockSettings& settings) {
  if (parameters.size() < 3 || parameters.size() > 4) return false;
  if (parameters[0] < 2 || parameters[0] > kNames.size()) return false;
  if (parameters[1] < 1 || parameters[1] > 100 || parameters[2] > 1'000'000'000) return false;
  const std::uint64_t more = parameters.size() == 4 ? parameters[3] : 0;
  if (parameters.size() == 4 && (more == 0 || more > kTrustsReentry + kHasReplica)) return false;
  settings.workers = static_cast<int>(parameters[0]);
  settings.rounds = static_cast<int>(parameters[1]);
  settings.ttl_ms = static_cast<std::int64_t>(parameters[2]);
  settings.trusts_reentry = (more & kTrustsReentry) != 0;
  settings.has_replica = (more & kHasReplica) != 0;
  return true;
}

}  // namespace picklock::race
