// Group A: atomicity and ownership.
#include <memory>

#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race::bugs {
namespace {

Task<bool> setnx_then_expire(Worker& worker, Node& node, std::string_view token) {
  const Reply taken = co_await worker.call(node, "SETNX", kKey, token);
  if (taken.integer() == 0) co_return false;
  co_await worker.call(node, "PEXPIRE", kKey, in_ms(kTtl));
  co_return true;
}
void a1(World& world, bool mended) {
  spawn_turns(world, make_stage(world), {.acquire = mended ? nullptr : setnx_then_expire});
}

/// A holder that does something more before its time is over, beside another client.
template <class More>
void disturb_hold(World& world, More more) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, more](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const bool taken = co_await acquire(worker, *stage.redis, token);
    if (!taken) co_return;
    co_await worker.pause(Duration{}, kTtl);
    co_await more(worker, *stage.redis, token);
    co_await release(worker, *stage.redis, token);
  });
  world.spawn("bob", [stage](Worker& worker) { return hold_for_long(worker, stage); });
}

Task<> extend_checked(Worker& worker, Node& node, std::string_view token) {
  co_await extend(worker, node, token);
}
Task<> overwrite_after_get(Worker& worker, Node& node, std::string_view token) {
  const Reply owner = co_await worker.call(node, "GET", kKey);
  if (owner == token) co_await worker.call(node, "PSETEX", kKey, in_ms(kTtl), token);
}
void a2(World& world, bool mended) {
  disturb_hold(world, mended ? extend_checked : overwrite_after_get);
}

Task<> bare_del(Worker& worker, Node& node, std::string_view) {
  co_await worker.call(node, "DEL", kKey);
}
void a3(World& world, bool mended) {
  spawn_turns(world, make_stage(world), {.release = mended ? nullptr : bare_del});
}

Task<> get_then_del(Worker& worker, Node& node, std::string_view token) {
  const Reply owner = co_await worker.call(node, "GET", kKey);
  if (owner == token) co_await worker.call(node, "DEL", kKey);
}
void a4(World& world, bool mended) {
  spawn_turns(world, make_stage(world), {.release = mended ? nullptr : get_then_del});
}

Task<> get_then_pexpire(Worker& worker, Node& node, std::string_view token) {
  const Reply owner = co_await worker.call(node, "GET", kKey);
  if (owner == token) co_await worker.call(node, "PEXPIRE", kKey, in_ms(kTtl));
}
void a5(World& world, bool mended) {
  disturb_hold(world, mended ? extend_checked : get_then_pexpire);
}

/// The value is the instant when the hold ends, by its holder's wall clock.
Task<bool> take_over_by_clock(Worker& worker, Node& node) {
  const std::int64_t now = in_ms(worker.wall_clock().time_since_epoch());
  const std::int64_t until = now + in_ms(kTtl);
  const Reply taken = co_await worker.call(node, "SETNX", kKey, until);
  if (taken.integer() == 1) co_return true;
  const Reply seen = co_await worker.call(node, "GET", kKey);
  if (seen.is_null() || std::stoll(seen.text()) >= now) co_return false;
  const Reply before = co_await worker.call(node, "GETSET", kKey, until);
  co_return !before.is_null() && before.text() == seen.text();
}
void a6(World& world, bool mended) {
  Node& redis = world.redis("redis");
  Exclusive& section = world.exclusive("section");
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [&redis, &section, mended](Worker& worker) -> Task<> {
      for (int attempt = 0; attempt < 3; ++attempt) {
        const Instant until = worker.now() + kTtl;
        bool taken = false;
        if (mended) {
          const Reply reply = co_await set_nx(worker, redis, worker.name());
          taken = !reply.is_null();
        } else {
          taken = co_await take_over_by_clock(worker, redis);
        }
        if (taken && worker.now() < until) {
          Turn turn = section.enter(worker);
          co_await worker.sleep(until - worker.now());
          turn.leave();
          co_return;
        }
        co_await worker.sleep(kTtl / 2);
      }
    });
  }
}

/// Who has been inside, as a resource would know it.
struct Visits {
  int count = 0;
};

/// Holds for up to two ttls, asks the server something, and if it says 1 relies on having been
/// alone all the time.
void rely_on(World& world, std::string_view script) {
  const Stage stage = make_stage(world);
  const auto visits = std::make_shared<Visits>();  // Shared by the workers of one run.
  world.shares([visits](Instant) { return static_cast<std::uint64_t>(visits->count); });
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [stage, visits, script](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      const bool taken = co_await acquire(worker, *stage.redis, token);
      if (!taken) co_return;
      const int seen = ++visits->count;
      co_await worker.pause(Duration{}, 2 * kTtl);
      const int before = visits->count;
      const Reply reply = co_await worker.call(*stage.redis, "EVAL", script, 1, kKey, token, 100);
      if (reply.integer() == 1) worker.expect(before == seen, "nobody else had the lock meanwhile");
      co_await release(worker, *stage.redis, token);
    });
  }
}
void a10(World& world, bool mended) {
  rely_on(world, mended ? kExtendScript
                        : "local owner = redis.call('GET', KEYS[1]) "
                          "if owner and owner ~= ARGV[1] then return 0 end "
                          "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1");
}
void a11(World& world, bool mended) {
  rely_on(world, mended ? kReleaseScript
                        : "if redis.call('GET', KEYS[1]) == ARGV[1] then "
                          "redis.call('DEL', KEYS[1]) end return 1");
}

void a12(World& world, bool mended) {
  spawn_turns(world, make_stage(world), {.token = mended ? "" : "4711"});
}

void a13(World& world, bool mended) {
  const Nodes nodes = make_nodes(world);
  for (Node* node : nodes) world.leaves_nothing(*node, 0ms);
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [nodes, mended](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      const int votes = co_await vote(worker, nodes, token, 10s);
      const std::string_view given_back = votes >= 2 || mended ? std::string_view{token} : kKey;
      co_await give_back(worker, nodes, given_back);
    });
  }
}

void a14(World& world, bool mended) {
  const Stage stage = make_stage(world);
  constexpr std::string_view kYes =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end "
      "return 1";
  const std::string_view script = mended ? kExtendScript : kYes;
  for (const char* name : {"alice", "bob"}) {
    Exclusive& own = world.exclusive(name);  // What it believes is asked here, not who is inside.
    world.spawn(name, [stage, script, &own](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      const bool taken = co_await acquire(worker, *stage.redis, token);
      if (!taken) co_return;
      co_await worker.pause(Duration{}, 2 * kTtl);
      const Instant until = worker.now() + kTtl;
      const Reply reply = co_await worker.call(*stage.redis, "EVAL", script, 1, kKey, token, 100);
      if (reply.integer() == 1 && worker.now() < until) {
        const Claim claim{.node = stage.redis, .key = kKey, .token = token, .until = until};
        Turn turn = own.enter(worker, claim);
        co_await worker.sleep(5ms);
        turn.leave();
      }
      co_await release(worker, *stage.redis, token);
    });
  }
}

constexpr std::array kOwnershipBugs{
    Bug{"A1", "mutex", "SETNX, then EXPIRE as a second command", Oracle::no_ttl,
        only(&Faults::crashes), a1},
    Bug{"A2", "mutex", "taking it again overwrites it with PSETEX after a GET", Oracle::ownership,
        only(&Faults::pauses), a2},
    Bug{"A3", "mutex", "released by DEL, whoever owns it", Oracle::ownership, only(&Faults::pauses),
        a3},
    Bug{"A4", "mutex", "released by GET, then DEL", Oracle::ownership, only(&Faults::pauses), a4},
    Bug{"A5", "mutex", "extended by GET, then PEXPIRE", Oracle::ownership, only(&Faults::pauses),
        a5},
    Bug{"A6", "mutex", "a client's clock decides when a hold is over", Oracle::mutual_exclusion,
        only(&Faults::client_clocks), a6},
    Bug{"A10", "mutex", "extending makes a key that was gone", Oracle::property, Faults::none(),
        a10},
    Bug{"A11", "mutex", "releasing a hold that had expired says that all was well",
        Oracle::property, Faults::none(), a11},
    Bug{"A12", "mutex", "two clients draw the same owner id", Oracle::ownership,
        only(&Faults::pauses), a12},
    Bug{"A13", "redlock", "clean-up with the lock's name for the token", Oracle::leaked,
        Faults::none(), a13, Class::violation, true, true},
    Bug{"A14", "mutex", "extending another's lock says yes", Oracle::belief, Faults::none(), a14},
};

}  // namespace

std::span<const Bug> ownership_bugs() { return kOwnershipBugs; }

}  // namespace picklock::race::bugs
