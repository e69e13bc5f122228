#include "fuzz/gallery/primitives.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include <picklock/lock.hpp>
#include <picklock/lock/script_lock.hpp>

#include "fuzz/gallery/core_worker.hpp"
#include "fuzz/gallery/founding.hpp"
#include "lockclient/protocols/script_protocol.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

constexpr int kMostRequests = 200;  // A second, of one worker.

/// What the workers of one schedule share. Cheap to copy.
struct Site {
  std::vector<Node*> nodes;
  std::vector<LockKey> keys;
  Exclusive* section = nullptr;
  Duration ttl{};
  int rounds = 1;
};

/// One server, or several. What a client remembers of holds that are over lives as long as they
/// could have: nothing else may be left.
Site make_site(World& world, const LockSettings& settings, int nodes = 1, int ttls = 2,
               std::initializer_list<std::string_view> kept = {}) {
  constexpr std::array<std::string_view, 5> kNodes{"node 1", "node 2", "node 3", "node 4",
                                                   "node 5"};
  Site site;
  site.ttl = milliseconds{settings.ttl_ms};
  site.rounds = settings.rounds;
  for (int i = 0; i < nodes; ++i) {
    Node& node = world.redis(nodes == 1 ? "redis" : kNodes[static_cast<std::size_t>(i)]);
    if (settings.has_replica)
      world.replica_of(node, nodes == 1 ? "replica" : "replica of " + std::string{node.name()});
    site.nodes.push_back(&node);
    world.leaves_nothing(node, ttls * site.ttl, kept);
  }
  world.at_most_commands(kMostRequests);
  return site;
}

/// The same with the key of a lock of one value: nobody but its owner may touch it.
Site make_owned_site(World& world, const LockSettings& settings, int nodes = 1,
                     std::initializer_list<std::string_view> kept = {}) {
  Site site = make_site(world, settings, nodes, 2, kept);
  for (Node* node : site.nodes) site.keys.push_back(world.lock_key(*node, kLockKey));
  site.section = &world.exclusive("section");
  return site;
}

/// What is kept of a waiter goes with a hold's time, and waiters try again in steps that a schedule
/// can follow.
LockOptions options_of(const Site& site) {
  LockOptions options{.ttl = site.ttl,
                      .waiter_lease = std::max<Duration>(site.ttl, milliseconds{1})};
  options.backoff.first = std::max<Duration>(site.ttl / 10, milliseconds{1});
  return options;
}

LockClient client_of(Worker& worker, const Site& site) {
  std::vector<Link*> links;
  for (Node* node : site.nodes) links.push_back(&worker.link(*node));
  return LockClient{links};
}

/// Why the lock was not acquired is no matter, unless it never can be.
bool is_held(const Outcome<Hold>& held) {
  if (held) return true;
  const LockError& error = held.error();
  if (error.code == LockError::Code::invalid_argument || error.code == LockError::Code::conflict)
    throw std::runtime_error{error.to_string()};
  return false;
}

Claim claim_of(const Site& site, const Hold& hold) {
  return {.node = site.nodes.front(),
          .key = kLockKey,
          .token = hold.owner(),
          .until = hold.valid_until()};
}

/// `use(worker, site, hold)` within a hold of `make(client, options)`, as often as there are
/// rounds.
template <class Make, class Use>
Task<> take_turns_at(Worker& worker, Site site, LockOptions options, Make make, Use use) {
  AnyLock lock = make(client_of(worker, site), options);
  for (int round = 0; round < site.rounds; ++round) {
    auto acquiring = lock.acquire_within(3 * site.ttl);
    auto held = co_await acquiring;
    if (!is_held(held)) continue;
    const Task<> using_it = use(worker, site, *held);
    co_await using_it;
    auto releasing = held->release();
    co_await releasing;
  }
}

/// Workers that take turns so.
template <class Make, class Use>
void spawn_turns(World& world, const LockSettings& settings, const Site& site,
                 const LockOptions& options, Make make, Use use) {
  for (int i = 0; i < settings.workers; ++i) {
    world.spawn(worker_name(static_cast<std::size_t>(i)),
                [=](Worker& worker) { return take_turns_at(worker, site, options, make, use); });
  }
}

template <class Lock>
AnyLock make_lock(LockClient client, LockOptions options) {
  return Lock{std::move(client), std::string{kLockKey}, std::move(options)};
}

/// Inside for a time that the search chooses, within the hold's validity.
Task<> stay(Worker& worker, const Site& site, Hold& hold) {
  if (!hold.is_held()) co_return;
  Turn turn = site.section->enter(worker, claim_of(site, hold));
  co_await worker.pause(Duration{}, hold.valid_for());
  turn.leave();
}

void furnish_lock(World& world, const LockSettings& settings) {
  const Site site = make_owned_site(world, settings);
  spawn_turns(world, settings, site, options_of(site), make_lock<Lock>, stay);
}

/// Longer inside than the ttl: the watchdog keeps the lock.
Task<> stay_long(Worker& worker, const Site& site, Hold& hold) {
  for (int i = 0; i < 4 && hold.is_held(); ++i) {
    Turn turn = site.section->enter(worker, claim_of(site, hold));
    co_await worker.sleep(std::min(site.ttl / 2, hold.valid_for()));
    turn.leave();
  }
}

void furnish_renewed(World& world, const LockSettings& settings) {
  const Site site = make_owned_site(world, settings);
  LockOptions options = options_of(site);
  options.renew = true;
  spawn_turns(world, settings, site, options, make_lock<Lock>, stay_long);
}

Task<> hold_twice(Worker& worker, Site site) {
  ReentrantLock lock{client_of(worker, site), std::string{kLockKey}, options_of(site)};
  for (int round = 0; round < site.rounds; ++round) {
    auto acquiring = lock.acquire_within(3 * site.ttl);
    auto outer = co_await acquiring;
    if (!is_held(outer)) continue;
    auto entering = lock.try_acquire();
    auto inner = co_await entering;
    if (inner) {
      const Task<> inside = stay(worker, site, *inner);
      co_await inside;
      auto leaving = inner->release();
      co_await leaving;
    }
    const Task<> inside = stay(worker, site, *outer);
    co_await inside;
    auto releasing = outer->release();
    co_await releasing;
  }
}

void furnish_reentrant(World& world, const LockSettings& settings) {
  const Site site = make_owned_site(world, settings);
  for (int i = 0; i < settings.workers; ++i) {
    world.spawn(worker_name(static_cast<std::size_t>(i)),
                [site](Worker& worker) { return hold_twice(worker, site); });
  }
}

/// What a fenced lock guards looks at the token, so the holder need not look at the time.
void furnish_fenced(World& world, const LockSettings& settings) {
  const Site site = make_owned_site(world, settings, 1, {"picklock:{lock}:fence"});
  const Fence disk = world.fence("disk", site.keys.front());
  spawn_turns(world, settings, site, options_of(site), make_lock<FencedLock>,
              [disk](Worker& worker, const Site&, Hold& hold) -> Task<> {
                disk.write(worker, hold.token());
                co_await worker.pause(Duration{}, hold.valid_for());
                disk.write(worker, hold.token());
              });
}

/// Inside without a claim on one key: of locks that share theirs, or have none on every server.
Task<> stay_unseen(Worker& worker, const Site& site, Hold& hold) {
  if (!hold.is_held()) co_return;
  const Claim claim{.until = hold.valid_until()};
  Turn turn = site.section->enter(worker, claim);
  co_await worker.pause(Duration{}, hold.valid_for());
  turn.leave();
}

void furnish_fair(World& world, const LockSettings& settings) {
  Site site = make_site(world, settings);
  site.section = &world.exclusive("section");
  spawn_turns(world, settings, site, options_of(site), make_lock<FairLock>, stay_unseen);
}

/// The first worker wants both permits, the others one.
void furnish_semaphore(World& world, const LockSettings& settings) {
  constexpr std::int64_t kLimit = 2;
  const Site site = make_site(world, settings);
  const Permits slots = world.permits("slots", kLimit);
  for (int i = 0; i < settings.workers; ++i) {
    const std::int64_t wanted = i == 0 ? kLimit : 1;
    const auto make = [wanted](LockClient client, LockOptions options) -> AnyLock {
      return Semaphore{std::move(client), std::string{kLockKey}, kLimit, std::move(options),
                       wanted};
    };
    const auto use = [slots, wanted](Worker& worker, const Site&, Hold& hold) -> Task<> {
      if (!hold.is_held()) co_return;
      Turn turn = slots.take(worker, wanted, hold.valid_until());
      co_await worker.pause(Duration{}, hold.valid_for());
      turn.leave();
    };
    world.spawn(worker_name(static_cast<std::size_t>(i)), [=](Worker& worker) {
      return take_turns_at(worker, site, options_of(site), make, use);
    });
  }
}

enum class Role : std::uint8_t { writer, reader, both };

/// A writer that reads on goes over to reading without a gap.
Task<> read_or_write(Worker& worker, Site site, ReadWrite page, Role role) {
  ReadWriteLock lock{client_of(worker, site), std::string{kLockKey}, options_of(site)};
  for (int round = 0; round < site.rounds; ++round) {
    AnyLock& side = role == Role::reader ? lock.read() : lock.write();
    auto acquiring = side.acquire_within(3 * site.ttl);
    auto held = co_await acquiring;
    if (!is_held(held)) continue;
    if (held->is_held()) {
      const Instant until = held->valid_until();
      Turn turn = role == Role::reader ? page.read(worker, until) : page.write(worker, until);
      co_await worker.pause(Duration{}, held->valid_for());
      turn.leave();
    }
    if (role == Role::both) {
      auto changing = lock.downgrade(*held);
      auto changed = co_await changing;
      if (changed && held->is_held()) {
        Turn turn = page.read(worker, held->valid_until());
        co_await worker.pause(Duration{}, held->valid_for());
        turn.leave();
      }
    }
    auto releasing = held->release();
    co_await releasing;
  }
}

void furnish_read_write(World& world, const LockSettings& settings) {
  constexpr std::array<Role, 3> kRoles{Role::both, Role::reader, Role::writer};
  const Site site = make_site(world, settings);
  const ReadWrite page = world.read_write("page");
  for (std::size_t i = 0; i < static_cast<std::size_t>(settings.workers); ++i) {
    const Role role = kRoles[i % kRoles.size()];
    world.spawn(worker_name(i), [site, page, role](Worker& worker) {
      return read_or_write(worker, site, page, role);
    });
  }
}

/// Everybody makes the latch, the first alone waits, and all others count down.
void furnish_latch(World& world, const LockSettings& settings) {
  const Site site = make_site(world, settings, 1, 20);
  const auto begun = std::make_shared<int>(0);  // Shared by the workers of one run.
  world.shares([begun](Instant) { return static_cast<std::uint64_t>(*begun); });
  const int count = settings.workers - 1;
  for (int i = 0; i <= count; ++i) {
    const auto live = [site, begun, count, i](Worker& worker) -> Task<> {
      LockOptions options = options_of(site);
      options.ttl = 10 * site.ttl;
      CountDownLatch latch{client_of(worker, site), "latch", options};
      auto making = latch.try_set_count(count);
      auto made = co_await making;
      if (!made) {
        if (made.error().code != LockError::Code::invalid_argument) co_return;
        throw std::runtime_error{made.error().to_string()};
      }
      if (i > 0) {
        ++*begun;
        auto counting = latch.count_down();
        static_cast<void>(co_await counting);
        co_return;
      }
      auto waiting = latch.wait_within(3 * site.ttl);
      auto opened = co_await waiting;
      worker.expect(!opened || *begun == count, "a latch opens when all have counted down");
    };
    world.spawn(worker_name(static_cast<std::size_t>(i)), live);
  }
}

void furnish_multi(World& world, const LockSettings& settings) {
  const Site site = make_owned_site(world, settings);
  world.lock_key(*site.nodes.front(), "other");
  const auto make = [](LockClient client, LockOptions options) -> AnyLock {
    std::vector<std::string> names{"other", std::string{kLockKey}};
    return MultiLock{std::move(client), std::move(names), std::move(options)};
  };
  spawn_turns(world, settings, site, options_of(site), make, stay);
}

void furnish_redlock(World& world, const LockSettings& settings) {
  const Site site = make_owned_site(world, settings, 3);
  spawn_turns(world, settings, site, options_of(site), make_lock<Redlock>, stay_unseen);
}

/// Clients that are values and ask once: few enough states to see all of them, for they do not wait
/// for each other.
template <int kServers>
void furnish_redlock_once(World& world, const LockSettings& settings) {
  const Site site = make_owned_site(world, settings, kServers);
  const lock::ProtocolRef protocol =
      lock::make_script_protocol(std::string{kLockKey}, well_known_protocol("redlock"));
  for (int i = 0; i < settings.workers; ++i) {
    const std::string_view name = worker_name(static_cast<std::size_t>(i));
    lock::Terms terms{.client_id = std::string{name},
                      .options = options_of(site),
                      .nodes = site.nodes.size(),
                      .quorum = site.nodes.size() / 2 + 1};
    world.spawn_value(name, CoreWorker{{.nodes = site.nodes,
                                        .section = site.section,
                                        .key = kLockKey,
                                        .protocol = protocol,
                                        .terms = std::move(terms),
                                        .rounds = settings.rounds}});
  }
}

constexpr std::array kPrimitives{
    Primitive{"client-lock", "the lock client's Lock", furnish_lock},
    Primitive{"client-watchdog",
              "the lock client's Lock with LockOptions::renew, held for two ttls", furnish_renewed},
    Primitive{"client-reentrant", "the lock client's ReentrantLock, taken twice",
              furnish_reentrant},
    Primitive{"client-fenced", "the lock client's FencedLock; what it guards refuses older tokens",
              furnish_fenced},
    Primitive{"client-fair", "the lock client's FairLock", furnish_fair, false},
    Primitive{"client-read-write", "the lock client's ReadWriteLock, with a writer that reads on",
              furnish_read_write, false, 3},
    Primitive{"client-semaphore", "the lock client's Semaphore of two permits", furnish_semaphore,
              false, 3},
    Primitive{"client-latch", "the lock client's CountDownLatch: one waits, the others count",
              furnish_latch, false, 3},
    Primitive{"client-multi", "the lock client's MultiLock of two names", furnish_multi},
    Primitive{"client-redlock", "the lock client's Redlock over three servers", furnish_redlock},
    Primitive{"redlock-once", "redlock, by clients of the lock client's machine that ask once",
              furnish_redlock_once<3>, true, 2, true},
    Primitive{"redlock-once-5", "the same over five servers", furnish_redlock_once<5>, true, 2,
              true},
};

}  // namespace

std::span<const Primitive> primitives() { return kPrimitives; }

Scenario primitive_scenario(const Primitive& primitive, const LockSettings& settings) {
  return [furnish = primitive.furnish, settings](World& world) { furnish(world, settings); };
}

Scenario majority_scenario(const WellKnownProtocol& known, const LockSettings& settings) {
  return [protocol = known.make(), settings](World& world) {
    const Site site = make_owned_site(world, settings, 3);
    const auto make = [protocol](LockClient client, LockOptions options) -> AnyLock {
      return ScriptLock{std::move(client), std::string{kLockKey}, protocol, std::move(options)};
    };
    spawn_turns(world, settings, site, options_of(site), make, stay_unseen);
  };
}

}  // namespace picklock::race
