// Group D: watchdogs. Where a timer runs beside its holder it is a worker of its own.
#include <memory>

#include "fuzz/gallery/bugs/kit.hpp"
#include "fuzz/world/digest.hpp"

namespace picklock::race::bugs {
namespace {

/// What a holder and its timer share: they are one process.
struct Watched {
  std::string token;
  bool acquired = false;
  bool released = false;
  bool timer = false;
  std::uint64_t digest() const {
    return race::digest(token) * 8 + (acquired ? 4 : 0) + (released ? 2 : 0) + (timer ? 1 : 0);
  }
};

Task<> wait_for(Worker& worker, const bool& flag) {
  for (int i = 0; i < 40 && !flag; ++i) co_await worker.sleep(5ms);
}

void d1(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const bool taken = co_await acquire(worker, *stage.redis, token);
    if (!taken) co_return;
    co_await worker.sleep(kTick);
    if (mended) {
      co_await extend(worker, *stage.redis, token);
    } else {
      co_await worker.call(*stage.redis, "PEXPIRE", kKey, in_ms(kTtl));
    }
    co_await release(worker, *stage.redis, token);
  });
  world.spawn("bob", [stage](Worker& worker) { return hold_for_long(worker, stage); });
}

/// Renews for as long as `timer` is set, four times at most.
Task<> run_timer(Worker& worker, Stage stage, const Watched& process) {
  for (int tick = 0; tick < 4; ++tick) {
    co_await worker.sleep(kTick);
    if (!process.timer) co_return;
    co_await extend(worker, *stage.redis, process.token);
  }
}

void d2(World& world, bool mended) {
  const Stage stage = make_stage(world);
  const auto process = std::make_shared<Watched>();  // Shared by two workers of one run.
  world.shares([process](Instant) { return process->digest(); });
  world.spawn("alice", [stage, process](Worker& worker) -> Task<> {
    process->token = token_of(worker);
    co_await set_nx(worker, *stage.redis, process->token);
    process->acquired = true;
    co_await worker.pause(0ms, 20ms);
    process->timer = false;
    process->released = true;
    co_await release(worker, *stage.redis, process->token);
    stage.lock.over(worker, process->token);
  });
  world.spawn("alice's timer", [stage, process, mended](Worker& worker) -> Task<> {
    co_await wait_for(worker, process->acquired);
    process->timer = !mended || !process->released;
    co_await run_timer(worker, stage, *process);
  });
  world.acts_for("alice's timer", "alice");
}

void d3(World& world, bool mended) {
  const Stage stage = make_stage(world);
  const auto process = std::make_shared<Watched>();  // Shared by two workers of one run.
  world.shares([process](Instant) { return process->digest(); });
  world.spawn("alice", [stage, process, mended](Worker& worker) -> Task<> {
    process->token = token_of(worker);
    co_await set_nx(worker, *stage.redis, process->token);
    process->acquired = process->timer = true;
    co_await worker.sleep(20ms);
    if (mended) process->timer = false;
    try {
      co_await release(worker, *stage.redis, process->token);
      process->timer = false;
    } catch (const ConnectionLost&) {
    }
    stage.lock.over(worker, process->token);
  });
  world.spawn("alice's timer", [stage, process](Worker& worker) -> Task<> {
    co_await wait_for(worker, process->acquired);
    co_await run_timer(worker, stage, *process);
  });
  world.acts_for("alice's timer", "alice");
}

void d4(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage](Worker& worker) { return take_turn(worker, stage, {}); });
  world.spawn("bob", [stage, mended](Worker& worker) -> Task<> {
    Watched process{.token = token_of(worker), .timer = true};
    const Reply reply = co_await set_nx(worker, *stage.redis, process.token);
    if (reply.is_null()) {
      stage.lock.over(worker, process.token);
      process.timer = !mended;
    }
    co_await run_timer(worker, stage, process);
    if (!reply.is_null()) co_await release(worker, *stage.redis, process.token);
  });
}

void d5(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const Reply reply = co_await set_nx(worker, *stage.redis, token);
    if (reply.is_null() || reply.is_error()) co_return;
    const Claim claim{.node = stage.redis, .key = kKey, .token = token, .until = {}};
    Turn turn = stage.section->enter(worker, claim);
    bool renewing = true;
    for (int tick = 0; tick < 6; ++tick) {
      co_await worker.sleep(kTick);
      if (!renewing) continue;
      try {
        co_await extend(worker, *stage.redis, token);
        continue;
      } catch (const ConnectionLost&) {
        renewing = mended;
      }
      if (mended) co_await extend(worker, *stage.redis, token);
    }
    turn.leave();
  });
}

/// `entry`: what the client notes of a hold that it renews. An old one keeps a new timer away.
void d6(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    bool entry = false;
    for (int round = 1; round <= 2; ++round) {
      const std::string token = token_of(worker, round);
      Instant asked = worker.now();
      const Reply taken = co_await set_nx(worker, *stage.redis, token);
      if (taken.is_null()) co_return;
      const bool renewing = !entry;
      entry = true;
      bool lost = false;
      for (int tick = 0; tick < 5 && !lost; ++tick) {
        const Claim claim{.node = stage.redis, .key = kKey, .token = token, .until = asked + kTtl};
        Turn turn = stage.section->enter(worker, claim);
        co_await worker.sleep(kTick);
        turn.leave();
        asked = worker.now();
        if (!renewing) continue;
        const Reply reply = co_await extend(worker, *stage.redis, token);
        lost = reply.integer() == 0 || worker.now() >= asked + kTtl;
      }
      if (!lost || mended) entry = false;
      co_await release(worker, *stage.redis, token);
    }
  });
}

void d11(World& world, bool mended) {
  Node& redis = world.redis("redis");  // Its timer may prolong the hold, so no key is declared.
  const auto process = std::make_shared<Watched>();  // Shared by two workers of one run.
  world.shares([process](Instant) { return process->digest(); });
  world.spawn("alice", [&redis, process](Worker& worker) -> Task<> {
    process->token = token_of(worker);
    co_await set_nx(worker, redis, process->token);
    process->acquired = true;
    co_await worker.sleep(kTick);
    process->released = true;
    co_await release(worker, redis, process->token);
  });
  world.spawn("alice's timer", [&redis, process, mended](Worker& worker) -> Task<> {
    co_await wait_for(worker, process->acquired);
    co_await worker.sleep(30ms);
    if (!process->acquired || process->released) co_return;
    const Reply reply = co_await extend(worker, redis, process->token);
    const bool lost = reply.integer() == 0 && !(mended && process->released);
    worker.expect(!lost, "a release is not reported as a loss");
  });
}

void d12(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::array<std::string, 3> ids{"alice:1", "alice:2", "alice:3"};  // The last one lives.
    co_await set_nx(worker, *stage.redis, ids[2]);
    const Claim claim{.node = stage.redis, .key = kKey, .token = ids[2], .until = {}};
    if (worker.now() - kDefaultStart > 1s) co_return;
    Turn turn = stage.section->enter(worker, claim);
    for (std::size_t tick = 0; tick < 6; ++tick) {
      co_await worker.sleep(kTick + 5ms);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (mended || tick % ids.size() == i) co_await extend(worker, *stage.redis, ids[i]);
      }
    }
    turn.leave();
  });
}

void d13(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string_view renew =
        "for i = 1, #ARGV do if redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 then "
        "return redis.call('PEXPIRE', KEYS[1], 100) end end return 0";
    const std::string_view take =
        "redis.call('HSET', KEYS[1], 'w:alice', 1) return redis.call('PEXPIRE', KEYS[1], 100)";
    const std::string_view downgrade =
        "redis.call('HDEL', KEYS[1], 'w:alice') redis.call('HSET', KEYS[1], 'r:alice', 1) "
        "return redis.call('PEXPIRE', KEYS[1], 100)";
    co_await worker.call(*stage.redis, "EVAL", take, 1, kKey);
    co_await worker.call(*stage.redis, "EVAL", downgrade, 1, kKey);
    const Claim claim{.node = stage.redis, .key = kKey, .token = "r:alice", .until = {}};
    Turn turn = stage.section->enter(worker, claim);
    for (int tick = 0; tick < 5; ++tick) {
      co_await worker.sleep(kTick);
      const std::string_view also = mended ? "r:alice" : "w:alice";
      co_await worker.call(*stage.redis, "EVAL", renew, 1, kKey, "w:alice", also);
    }
    turn.leave();
  });
}

void d14(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    co_await set_nx(worker, *stage.redis, token);
    bool told = false;
    for (int tick = 0; tick < 4; ++tick) {
      co_await worker.sleep(kTick);
      worker.expect(!told, "a holder whose lock is gone stops at its next renewal");
      const Reply reply = co_await extend(worker, *stage.redis, token);
      told = reply.integer() == 0;
      if (told && mended) co_return;
    }
    co_await release(worker, *stage.redis, token);
  });
}

void d15(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const Instant begun = worker.now();
    const Reply reply = co_await set_nx(worker, *stage.redis, token);
    if (reply.is_null()) co_return;
    for (int tick = 0; tick < 7; ++tick) {  // Its work hangs.
      if (!mended) worker.digest(static_cast<std::uint64_t>(tick));
      co_await worker.sleep(kTtl * 4 / 5);
      if (mended && worker.now() - begun > 200ms) co_return;
      co_await extend(worker, *stage.redis, token);
    }
  });
  world.spawn("bob", [stage](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const bool taken = co_await acquire(worker, *stage.redis, token, kTtl, 400ms);
    worker.expect(taken, "a lock whose holder hangs becomes free");
    co_await release(worker, *stage.redis, token);
  });
}

void d16(World& world, bool mended) {
  const Nodes nodes = make_nodes(world);
  Exclusive& section = world.exclusive("section");
  world.spawn("alice", [nodes, &section, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const Instant until = worker.now() + kTtl;
    const int votes = co_await vote(worker, nodes, token);
    if (votes < 3 || worker.now() >= until) co_return;
    const Claim claim{.node = nodes[2], .key = kKey, .token = token, .until = until};
    Turn turn = section.enter(worker, claim);
    int extended = 0;
    for (Node* node : nodes) {
      try {
        co_await extend(worker, *node, token);
        ++extended;
      } catch (const ConnectionLost&) {
      }
    }
    if (extended < (mended ? 2 : 3)) co_await give_back(worker, nodes, token);
    co_await worker.sleep(10ms);
    turn.leave();
  });
}

constexpr std::array kWatchdogBugs{
    Bug{"D1", "watchdog", "renews whoever's lock it is", Oracle::ownership, only(&Faults::pauses),
        d1},
    Bug{"D2", "watchdog", "is started by a callback after its hold was released",
        Oracle::quiescence, Faults::none(), d2},
    Bug{"D3", "watchdog", "goes on when the release fails", Oracle::quiescence,
        only(&Faults::lost_replies), d3},
    Bug{"D4", "watchdog", "is started although the lock was not taken", Oracle::quiescence,
        Faults::none(), d4},
    Bug{"D5", "watchdog", "one error stops it for good", Oracle::belief,
        only(&Faults::lost_requests), d5},
    Bug{"D6", "watchdog", "the note of a lost hold keeps a new timer away", Oracle::belief,
        only(&Faults::pauses), d6},
    Bug{"D11", "watchdog", "takes its own release for a loss", Oracle::property, Faults::none(),
        d11},
    Bug{"D12", "watchdog", "renews one id a tick, dead ones too", Oracle::belief, Faults::none(),
        d12},
    Bug{"D13", "read-write", "a downgraded hold is not renewed", Oracle::belief, Faults::none(),
        d13},
    Bug{"D14", "watchdog", "does not tell that the lock is lost", Oracle::property,
        only(&Faults::evictions), d14},
    Bug{"D15", "watchdog", "renews for ever while the work hangs", Oracle::property, Faults::none(),
        d15, Class::violation, true, true},
    Bug{"D16", "redlock", "an extension that fails at one node takes all votes back",
        Oracle::belief, only(&Faults::lost_requests), d16},
};

}  // namespace

std::span<const Bug> watchdog_bugs() { return kWatchdogBugs; }

}  // namespace picklock::race::bugs
