// Group G, the wake-ups: notifications that come too early, too late, or to too few.
#include <memory>

#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race::bugs {
namespace {

/// Frees the lock and tells one waiter. ARGV[2]: the signal's ttl in ms, 0 for none.
constexpr std::string_view kReleaseAndWake =
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end redis.call('DEL', KEYS[1]) "
    "redis.call('LPUSH', 'wake', 1) "
    "if ARGV[2] ~= '0' then redis.call('PEXPIRE', 'wake', ARGV[2]) end return 1";

/// `patience`: of BLPOP. `hold`: how long each holds.
void wait_by_list(World& world, std::string_view patience, std::int64_t signal_ttl_ms) {
  const Stage stage = make_stage(world);
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [stage, patience, signal_ttl_ms](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      for (int attempt = 0; attempt < 20; ++attempt) {
        const Reply reply = co_await set_nx(worker, *stage.redis, token);
        if (!reply.is_null()) break;
        co_await worker.call(*stage.redis, "BLPOP", "wake", patience);
      }
      co_await worker.sleep(10ms);
      co_await worker.call(*stage.redis, "EVAL", kReleaseAndWake, 1, kKey, token, signal_ttl_ms);
    });
  }
}
void g9(World& world, bool mended) { wait_by_list(world, mended ? "0.1" : "0", 0); }
void g10(World& world, bool mended) { wait_by_list(world, "0", mended ? 0 : 1); }

void g6(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const Reply reply = co_await set_nx(worker, *stage.redis, token, 10s);
    if (reply.is_null()) co_return;
    co_await worker.sleep(10ms);
    const std::string_view told =
        "redis.call('DEL', KEYS[1]) return redis.call('PUBLISH', 'free', 1)";
    co_await worker.call(*stage.redis, "EVAL", told, 1, kKey);
  });
  world.spawn("bob", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    Link& link = worker.link(*stage.redis);
    co_await worker.call(*stage.redis, "HELLO", 3);
    if (mended) co_await worker.call(*stage.redis, "SUBSCRIBE", "free");
    Reply reply = co_await set_nx(worker, *stage.redis, token, 10s);
    if (reply.is_null() && !mended) co_await worker.call(*stage.redis, "SUBSCRIBE", "free");
    while (reply.is_null()) {
      while (!link.message()) co_await worker.event();
      reply = co_await set_nx(worker, *stage.redis, token, 10s);
    }
    co_await release(worker, *stage.redis, token);
  });
}

/// A latch in the process: two threads wait for it, the listener wakes them.
struct Latch {
  std::vector<bool> woken = std::vector<bool>(2, false);
  bool open = false;
};

void g8(World& world, bool mended) {
  Node& redis = world.redis("redis");
  const auto latch = std::make_shared<Latch>();  // Shared by the threads of one process.
  world.shares([latch](Instant) {
    return std::uint64_t{latch->woken[0]} * 4 + std::uint64_t{latch->woken[1]} * 2 +
           std::uint64_t{latch->open};
  });
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    world.spawn(i == 0 ? "thread 1" : "thread 2", [latch, i](Worker& worker) -> Task<> {
      if (latch->open) co_return;
      for (int attempt = 0; attempt < 40 && !latch->woken[i]; ++attempt)
        co_await worker.sleep(20ms);
      worker.expect(latch->woken[i] || !latch->open, "whoever waits for a latch is woken");
    });
  }
  world.spawn("listener", [&redis, latch, mended](Worker& worker) -> Task<> {
    co_await worker.call(redis, "DECR", "latch");
    latch->open = true;
    latch->woken[0] = true;
    if (mended) latch->woken[1] = true;
  });
}

void g13(World& world, bool mended) {
  Node& redis = world.redis("redis");
  world.spawn("alice", [&redis, mended](Worker& worker) -> Task<> {
    const std::string_view silent = "redis.call('INCR', 'free')";
    const std::string_view loud = "redis.call('INCR', 'free') redis.call('LPUSH', 'wake', 1)";
    co_await worker.call(redis, "EVAL", mended ? loud : silent, 0);
  });
  world.spawn("bob", [&redis](Worker& worker) -> Task<> {
    const std::string_view take =
        "if tonumber(redis.call('GET', 'free') or 0) > 0 then redis.call('DECR', 'free') "
        "return 1 end return 0";
    while (true) {
      const Reply reply = co_await worker.call(redis, "EVAL", take, 0);
      if (reply.integer() == 1) co_return;
      co_await worker.call(redis, "BLPOP", "wake", 0);
    }
  });
}

void g14(World& world, bool mended) {
  Node& redis = world.redis("redis");
  world.spawn("alice", [&redis, mended](Worker& worker) -> Task<> {
    int slots = 1;  // For subscriptions, in this process.
    for (int attempt = 1; attempt <= 2; ++attempt) {
      worker.expect(slots > 0, "a subscription that failed leaves its slot free");
      --slots;
      try {
        co_await worker.call(redis, "SUBSCRIBE", "free");
      } catch (const ConnectionLost&) {
        if (!mended) continue;
        ++slots;
        continue;
      }
      co_await worker.call(redis, "UNSUBSCRIBE", "free");
      ++slots;
    }
  });
}

constexpr std::array kWakeUpBugs{
    Bug{"G6", "mutex", "looks first and subscribes then", Oracle::stuck, Faults::none(), g6},
    Bug{"G8", "latch", "wakes the first of two listeners", Oracle::property, Faults::none(), g8},
    Bug{"G9", "mutex", "waiters are told of releases, but not of expiry", Oracle::stuck,
        only(&Faults::crashes), g9},
    Bug{"G10", "mutex", "the signal expires before a waiter looks for it", Oracle::stuck,
        Faults::none(), g10},
    Bug{"G13", "semaphore", "adding permits wakes nobody", Oracle::stuck, Faults::none(), g13},
    Bug{"G14", "mutex", "a subscription that failed keeps its slot", Oracle::property,
        only(&Faults::lost_requests), g14},
};

}  // namespace

std::span<const Bug> wake_up_bugs() { return kWakeUpBugs; }

}  // namespace picklock::race::bugs
