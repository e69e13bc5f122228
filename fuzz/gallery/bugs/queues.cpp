// Groups G and H: queues, semaphores.
#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race::bugs {
namespace {

/// Taken by the head of a queue. A waiter whose lease is over is thrown out of it.
/// ARGV[1] who asks, ARGV[2] the lease of its place in ms. Replies 1; or minus the ttl that the
/// lock has left, 0 if it is free for another.
constexpr std::string_view kFair =
    "while true do local head = redis.call('LINDEX', 'queue', 0) "
    "if not head or head == ARGV[1] or redis.call('EXISTS', 'place:' .. head) == 1 then break end "
    "redis.call('LPOP', 'queue') end "
    "local head = redis.call('LINDEX', 'queue', 0) "
    "if redis.call('EXISTS', 'lock') == 0 and (not head or head == ARGV[1]) then "
    "redis.call('LREM', 'queue', 0, ARGV[1]) redis.call('SET', 'lock', ARGV[1], 'PX', 100) "
    "return 1 end "
    "if not redis.call('LPOS', 'queue', ARGV[1]) then redis.call('RPUSH', 'queue', ARGV[1]) end "
    "redis.call('SET', 'place:' .. ARGV[1], 1, 'PX', ARGV[2]) "
    "return math.min(0, -redis.call('PTTL', 'lock'))";

/// A holder, a waiter that gives up after a while, and one that does not.
void abandoned_place(World& world, std::int64_t lease_ms, bool dequeues) {
  const Stage stage = make_stage(world);
  const auto ask = [stage, lease_ms](Worker& worker) {
    return worker.call(*stage.redis, "EVAL", kFair, 0, worker.name(), lease_ms);
  };
  world.spawn("alice", [stage, ask](Worker& worker) -> Task<> {
    const Reply reply = co_await ask(worker);
    if (reply.integer() != 1) co_return;
    co_await worker.sleep(60ms);
    co_await release(worker, *stage.redis, worker.name());
  });
  world.spawn("bob", [stage, ask, dequeues](Worker& worker) -> Task<> {
    for (int attempt = 0; attempt < 3; ++attempt) {
      const Reply reply = co_await ask(worker);
      if (reply.integer() == 1) {
        co_await release(worker, *stage.redis, worker.name());
        co_return;
      }
      co_await worker.sleep(10ms);
    }
    if (dequeues) co_await worker.call(*stage.redis, "LREM", "queue", 0, worker.name());
  });
  world.spawn("carol", [stage, ask](Worker& worker) -> Task<> {
    const Instant give_up = worker.now() + 160ms;
    Reply reply = co_await ask(worker);
    while (reply.integer() != 1 && worker.now() < give_up) {
      co_await worker.sleep(40ms);
      reply = co_await ask(worker);
    }
    worker.expect(reply.integer() == 1, "a waiter gets the lock when those before it are gone");
    co_await release(worker, *stage.redis, worker.name());
  });
}
/// Alice leaves without a trace when she does not get it: she takes her place with her.
void g1(World& world, bool mended) {
  const Stage stage = make_stage(world);
  const auto ask = [stage](Worker& worker) {
    return worker.call(*stage.redis, "EVAL", kFair, 0, worker.name(), 10'000);
  };
  world.spawn("alice", [stage](Worker& worker) -> Task<> {
    co_await set_nx(worker, *stage.redis, worker.name());
    co_await worker.sleep(60ms);
    co_await release(worker, *stage.redis, worker.name());
  });
  world.spawn("bob", [stage, ask, mended](Worker& worker) -> Task<> {
    const Reply reply = co_await ask(worker);
    if (reply.integer() == 1) {
      co_await release(worker, *stage.redis, worker.name());
    } else if (mended) {
      co_await worker.call(*stage.redis, "LREM", "queue", 0, worker.name());
    }
  });
  world.spawn("carol", [stage, ask](Worker& worker) -> Task<> {
    const Instant give_up = worker.now() + 160ms;
    Reply reply = co_await ask(worker);
    while (reply.integer() != 1 && worker.now() < give_up) {
      co_await worker.sleep(40ms);
      reply = co_await ask(worker);
    }
    worker.expect(reply.integer() == 1, "a waiter gets the lock when those before it have left");
    co_await release(worker, *stage.redis, worker.name());
  });
}
void g2(World& world, bool mended) { abandoned_place(world, mended ? 60 : 300'000, true); }

void g4(World& world, bool mended) {
  Node& redis = world.redis("redis");
  constexpr std::string_view kJoin =
      "local head = redis.call('LINDEX', 'queue', 0) "
      "if head and tonumber(redis.call('ZSCORE', 'timeouts', head)) < 0 then return 0 end "
      "redis.call('RPUSH', 'queue', ARGV[1]) redis.call('ZADD', 'timeouts', 100, ARGV[1]) "
      "return 1";
  constexpr std::string_view kLeave =
      "redis.call('ZREM', 'timeouts', ARGV[1]) redis.call('LREM', 'queue', 0, ARGV[1])";
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [&redis, mended, kJoin, kLeave](Worker& worker) -> Task<> {
      const Reply reply = co_await worker.call(redis, "EVAL", kJoin, 0, worker.name());
      worker.expect(!reply.is_error(), "asking for the lock gives no error");
      if (mended) {
        co_await worker.call(redis, "EVAL", kLeave, 0, worker.name());
      } else {
        co_await worker.call(redis, "ZREM", "timeouts", worker.name());
        co_await worker.call(redis, "LREM", "queue", 0, worker.name());
      }
    });
  }
}

void g5(World& world, bool mended) {
  Node& redis = world.redis("redis");
  Exclusive& section = world.exclusive("section");
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [&redis, &section](Worker& worker) -> Task<> {
      co_await worker.call(redis, "RPUSH", "queue", worker.name());
      for (int attempt = 0; attempt < 20; ++attempt) {
        const Reply head = co_await worker.call(redis, "LINDEX", "queue", 0);
        if (head == worker.name()) {
          Turn turn = section.enter(worker);
          co_await worker.sleep(50ms);
          turn.leave();
          co_await worker.call(redis, "LREM", "queue", 0, worker.name());
          co_return;
        }
        co_await worker.sleep(10ms);
      }
    });
  }
  world.spawn("carol", [&redis, mended](Worker& worker) -> Task<> {
    co_await worker.call(redis, "RPUSH", "queue", worker.name());
    co_await worker.sleep(10ms);  // Her time is over.
    if (mended) {
      co_await worker.call(redis, "LREM", "queue", 0, worker.name());
    } else {
      co_await worker.call(redis, "LPOP", "queue");
    }
  });
}

void g11(World& world, bool mended) {
  const Stage stage = make_stage(world);
  stage.lock.overtaken_at_most(3);
  for (const char* name : {"alice", "bob"}) {
    const int rounds = name == std::string_view{"alice"} ? 1 : 8;
    world.spawn(name, [stage, mended, rounds](Worker& worker) -> Task<> {
      for (int round = 1; round <= rounds; ++round) {
        const std::string token = token_of(worker, round);
        Wait wait = stage.lock.wait(worker);
        bool taken = false;
        for (int attempt = 0; attempt < 40 && !taken; ++attempt) {
          if (mended) {
            const Reply reply = co_await worker.call(*stage.redis, "EVAL", kFair, 0, token, 100);
            taken = reply.integer() == 1;
          } else {
            const Reply reply = co_await set_nx(worker, *stage.redis, token);
            taken = !reply.is_null();
          }
          if (!taken) co_await worker.sleep(20ms);
        }
        if (!taken) co_return;
        wait.taken();
        co_await worker.sleep(15ms);
        co_await release(worker, *stage.redis, token);
      }
    });
  }
}

void g12(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.at_most_commands(15);
  world.spawn("alice", [stage](Worker& worker) -> Task<> {
    co_await set_nx(worker, *stage.redis, worker.name(), 20ms);
    co_await worker.call(*stage.redis, "RPUSH", "queue", "bob");  // He sleeps.
    co_await worker.call(*stage.redis, "SET", "place:bob", 1, "PX", 100);
  });
  world.spawn("carol", [stage, mended](Worker& worker) -> Task<> {
    while (true) {
      const Reply reply =
          co_await worker.call(*stage.redis, "EVAL", kFair, 0, worker.name(), 10'000);
      if (reply.integer() == 1) co_return;
      const Duration left = std::chrono::milliseconds{-reply.integer()};
      co_await worker.sleep(mended ? std::max<Duration>(left, 20ms) : left);
    }
  });
}

void h1(World& world, bool mended) {
  Node& redis = world.redis("redis");
  const Permits slots = world.permits("slots", 1);
  constexpr std::string_view kSet =
      "local free = redis.call('GET', 'free') "
      "if not free or (free == '0' and ARGV[1] == '0') then redis.call('SET', 'free', 1) end";
  constexpr std::string_view kTake =
      "if tonumber(redis.call('GET', 'free')) > 0 then redis.call('DECR', 'free') return 1 end "
      "return 0";
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [&redis, slots, mended, kSet, kTake](Worker& worker) -> Task<> {
      co_await worker.call(redis, "EVAL", kSet, 0, mended ? 1 : 0);
      const Reply reply = co_await worker.call(redis, "EVAL", kTake, 0);
      if (reply.integer() == 0) co_return;
      Turn turn = slots.take(worker);
      co_await worker.sleep(20ms);
      turn.leave();
      co_await worker.call(redis, "INCR", "free");
    });
  }
}

void h3(World& world, bool mended) {
  Node& redis = world.redis("redis", [](Emulator& emulator) {
    emulator.connect().call("ZADD", "sem", 1, "dead:1", 2, "dead:2", 3, "dead:3");
  });
  constexpr std::string_view kTake =
      "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "
      "local past = redis.call('ZRANGEBYSCORE', 'sem', '-inf', now, 'LIMIT', 0, ARGV[1]) "
      "if #past > 0 then redis.call('ZREM', 'sem', unpack(past)) end "
      "if redis.call('ZCARD', 'sem') >= 2 then return 0 end "
      "redis.call('ZADD', 'sem', now + 100, 'alice') return 1";
  world.spawn("alice", [&redis, mended, kTake](Worker& worker) -> Task<> {
    const Reply reply = co_await worker.call(redis, "EVAL", kTake, 0, mended ? -1 : 1);
    worker.expect(reply.integer() == 1, "permits of holders that are past are free");
  });
}

constexpr std::array kQueueBugs{
    Bug{"G1", "fair", "a waiter that gives up stays in the queue", Oracle::property, Faults::none(),
        g1},
    Bug{"G2", "fair", "a dead head of the queue blocks all for minutes", Oracle::property,
        only(&Faults::crashes), g2},
    Bug{"G4", "fair", "the queue and its timeouts disagree for a moment", Oracle::property,
        Faults::none(), g4},
    Bug{"G5", "fair", "LPOP takes another's ticket", Oracle::mutual_exclusion, Faults::none(), g5},
    Bug{"G11", "fair", "newcomers take the lock before those who wait", Oracle::fairness,
        Faults::none(), g11},
    Bug{"G12", "fair", "asks without a pause while the head sleeps", Oracle::hot_loop,
        Faults::none(), g12},
    Bug{"H1", "semaphore", "permits are set anew while all are in use", Oracle::permits,
        Faults::none(), h1},
    Bug{"H3", "semaphore", "frees one past holder where three are past", Oracle::property,
        Faults::none(), h3},
};

}  // namespace

std::span<const Bug> queue_bugs() { return kQueueBugs; }

}  // namespace picklock::race::bugs
