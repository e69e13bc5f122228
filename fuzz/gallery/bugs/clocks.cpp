// Group B: time, units, clocks.
#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race::bugs {
namespace {

/// A hundred of the wrong unit.
Task<bool> acquire_for_1_ms(Worker& worker, Node& node, std::string_view token) {
  const Reply reply = co_await set_nx(worker, node, token, 1ms);
  co_return !reply.is_null();
}
void b1(World& world, bool mended) {
  spawn_turns(world, make_stage(world), {.acquire = mended ? nullptr : acquire_for_1_ms}, 1);
}

void b2(World& world, bool mended) {
  const Stage stage = make_stage(world);
  stage.lock.taken_within(300ms);
  const std::string_view patience = mended ? "0.05" : "50";
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [stage, patience](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      Wait wait = stage.lock.wait(worker);
      while (true) {
        const Reply reply = co_await set_nx(worker, *stage.redis, token);
        if (!reply.is_null()) break;
        co_await worker.call(*stage.redis, "BLPOP", "wake", patience);
      }
      wait.taken();
      co_await worker.sleep(20ms);
      co_await release(worker, *stage.redis, token);
      co_await worker.call(*stage.redis, "LPUSH", "wake", 1);
    });
  }
}

Task<bool> acquire_for_ever(Worker& worker, Node& node, std::string_view token) {
  const Reply reply = co_await worker.call(node, "SET", kKey, token, "NX");
  co_return !reply.is_null();
}
void b4(World& world, bool mended) {
  spawn_turns(world, make_stage(world), {.acquire = mended ? nullptr : acquire_for_ever});
}

/// Half a millisecond in whole ones.
Task<bool> acquire_rounded_down(Worker& worker, Node& node, std::string_view token) {
  const Reply taken = co_await worker.call(node, "SETNX", kKey, token);
  if (taken.integer() == 0) co_return false;
  co_await worker.call(node, "PEXPIRE", kKey, 0);
  co_return true;
}
void b5(World& world, bool mended) {
  spawn_turns(world, make_stage(world),
              {.acquire = mended ? acquire_for_1_ms : acquire_rounded_down, .ttl = 500us});
}

/// The limit that nobody passes without a fence, and with one.
void b6(World& world, bool mended) {
  const Stage stage = make_stage(world);
  if (!mended) return spawn_turns(world, stage, {});
  const Fence disk = world.fence("disk", stage.lock);
  constexpr std::string_view kMint =
      "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 100) then "
      "return redis.call('INCR', KEYS[2]) end return 0";
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [stage, disk, kMint](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      for (int attempt = 0; attempt < 3; ++attempt) {
        const Reply minted =
            co_await worker.call(*stage.redis, "EVAL", kMint, 2, kKey, "fence", token);
        if (minted.integer() > 0) {
          disk.write(worker, minted.integer());
          co_await release(worker, *stage.redis, token);
          co_return;
        }
        co_await worker.sleep(kTtl / 2);
      }
    });
  }
}

/// Lives shorter than a message may take. `needs`: how much validity must be left to go in.
void enter_late(World& world, std::optional<Duration> needs, Duration work, bool claims) {
  const Stage stage = make_stage(world);
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [stage, needs, work, claims](Worker& worker) -> Task<> {
      constexpr Duration kShort = 4ms;
      const std::string token = token_of(worker);
      for (int attempt = 0; attempt < 3; ++attempt) {
        const Instant until = worker.now() + kShort;
        const Reply reply = co_await set_nx(worker, *stage.redis, token, kShort);
        if (!reply.is_null() && needs && until - worker.now() < *needs) co_return;
        if (!reply.is_null()) {
          Claim claim;
          if (claims) claim = {.node = stage.redis, .key = kKey, .token = token, .until = {}};
          Turn turn = stage.section->enter(worker, claim);
          co_await worker.sleep(work);
          turn.leave();
          co_return;
        }
        co_await worker.sleep(kShort);
      }
    });
  }
}
void b7(World& world, bool mended) {
  enter_late(world, mended ? std::optional<Duration>{1ms} : std::nullopt, 1ms, false);
}
void b8(World& world, bool mended) {
  spawn_turns(world, make_stage(world), {.counts_from_reply = !mended});
}
void b9(World& world, bool mended) {
  spawn_turns(world, make_stage(world), {.clock_grain = mended ? Duration{1} : Duration{1s}});
}
void b10(World& world, bool mended) {
  enter_late(world, mended ? Duration{2ms} : Duration{}, 2ms, true);
}

void b11(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const auto clock = [&worker, mended] { return mended ? worker.now() : worker.wall_clock(); };
    const Instant until = clock() + kTtl;
    const Reply reply = co_await set_nx(worker, *stage.redis, token);
    if (reply.is_null() || clock() >= until) co_return;
    const Claim claim{.node = stage.redis, .key = kKey, .token = token, .until = {}};
    Turn turn = stage.section->enter(worker, claim);
    for (int tick = 0; tick < 30 && clock() < until; ++tick)
      co_await worker.sleep(std::min<Duration>(until - clock(), 10ms));
    turn.leave();
  });
}

void b12(World& world, bool) {
  const Nodes nodes = make_nodes(world);
  Exclusive& section = world.exclusive("section");
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [nodes, &section](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      const Instant until = worker.now() + kTtl;
      const int votes = co_await vote(worker, nodes, token);
      if (votes >= 2 && worker.now() < until) {
        Turn turn = section.enter(worker);
        co_await worker.pause(Duration{}, until - worker.now());
        turn.leave();
      }
      worker.digest(0);
      co_await give_back(worker, nodes, token);
    });
  }
}

void b13(World& world, bool mended) {
  Node& redis = world.redis("redis");
  const Permits slots = world.permits("slots", 1);
  constexpr std::string_view kTake =
      "local now = tonumber(ARGV[2]) if now == 0 then local t = redis.call('TIME') "
      "now = t[1] * 1000 + math.floor(t[2] / 1000) end "
      "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 101) "
      "if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end "
      "redis.call('ZADD', KEYS[1], now, ARGV[1]) return 1";
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [&redis, slots, mended, kTake](Worker& worker) -> Task<> {
      for (int attempt = 0; attempt < 3; ++attempt) {
        const Instant until = worker.now() + kTtl;
        const std::int64_t score = mended ? 0 : in_ms(worker.wall_clock().time_since_epoch());
        const Reply reply =
            co_await worker.call(redis, "EVAL", kTake, 1, "sem", worker.name(), score);
        if (reply.integer() == 1 && worker.now() < until) {
          Turn turn = slots.take(worker);
          co_await worker.pause(Duration{}, until - worker.now());
          turn.leave();
          co_await worker.call(redis, "ZREM", "sem", worker.name());
          co_return;
        }
        co_await worker.sleep(kTtl / 2);
      }
    });
  }
}

void b14(World& world, bool mended) {
  Node& redis = world.redis("redis");
  constexpr std::string_view kRenew =
      "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "
      "local changed = redis.call('ZADD', KEYS[1], 'XX', 'CH', now, ARGV[1]) "
      "if ARGV[2] == '1' then return redis.call('ZSCORE', KEYS[1], ARGV[1]) and 1 or 0 end "
      "return changed";
  world.spawn("alice", [&redis, mended, kRenew](Worker& worker) -> Task<> {
    co_await worker.call(redis, "ZADD", "sem", in_ms(worker.now().time_since_epoch()), "alice");
    const Reply reply =
        co_await worker.call(redis, "EVAL", kRenew, 1, "sem", "alice", mended ? 1 : 0);
    worker.expect(reply.integer() == 1, "a hold that is there is not taken for lost");
  });
}

void b15(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const Instant until = worker.now() + 1000ms;
    co_await set_nx(worker, *stage.redis, token, 1000ms);
    if (mended) {
      co_await worker.call(*stage.redis, "PEXPIRE", kKey, 100, "GT");
    } else {
      co_await worker.call(*stage.redis, "PEXPIRE", kKey, 100);
    }
    const Claim claim{.node = stage.redis, .key = kKey, .token = token, .until = until};
    Turn turn = stage.section->enter(worker, claim);
    co_await worker.sleep(500ms);
    turn.leave();
  });
}

constexpr std::array kClockBugs{
    Bug{"B1", "mutex", "seconds given where milliseconds are wanted", Oracle::belief,
        Faults::none(), b1},
    Bug{"B2", "mutex", "waits by BLPOP in the wrong unit", Oracle::waiting, only(&Faults::crashes),
        b2},
    Bug{"B4", "mutex", "a timeout of 0 means no ttl", Oracle::no_ttl, only(&Faults::crashes), b4},
    Bug{"B5", "mutex", "half a millisecond is rounded to PEXPIRE 0", Oracle::belief, Faults::none(),
        b5},
    Bug{"B6", "mutex", "a pause beyond the ttl; the twin has a fence", Oracle::mutual_exclusion,
        only(&Faults::pauses), b6, Class::documented_limit},
    Bug{"B7", "mutex", "goes in without looking whether the ttl is over", Oracle::mutual_exclusion,
        Faults::none(), b7},
    Bug{"B8", "mutex", "counts the validity from the answer", Oracle::belief, Faults::none(), b8},
    Bug{"B9", "mutex", "measures the time that has gone in whole seconds", Oracle::belief,
        Faults::none(), b9},
    Bug{"B10", "mutex", "goes in with a validity of 0 ms", Oracle::belief, Faults::none(), b10},
    Bug{"B11", "mutex", "counts the validity on a wall clock", Oracle::belief,
        only(&Faults::client_clocks), b11},
    Bug{"B12", "redlock", "a node's clock jumps beyond the ttl", Oracle::mutual_exclusion,
        only(&Faults::clocks), b12, Class::documented_limit, false, true},
    Bug{"B13", "semaphore", "the clients' clocks are its scores", Oracle::permits,
        only(&Faults::client_clocks), b13},
    Bug{"B14", "semaphore", "a renewal within the same millisecond counts as a loss",
        Oracle::property, Faults::none(), b14},
    Bug{"B15", "reentrant", "taking it again shortens its ttl", Oracle::belief, Faults::none(),
        b15},
};

}  // namespace

std::span<const Bug> clock_bugs() { return kClockBugs; }

}  // namespace picklock::race::bugs
