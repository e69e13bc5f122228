// Group F: readers and writers, with the bugs of group D that are theirs.
#include <algorithm>
#include <memory>
#include <optional>

#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race::bugs {
namespace {

/// A reader's claim on the shared lock. Mended: each reader has a deadline of its own.
constexpr std::string_view kRead =
    "if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end local last = 0 "
    "if ARGV[2] == '1' then local t = redis.call('TIME') "
    "last = t[1] * 1000 + math.floor(t[2] / 1000) + 100 end "
    "redis.call('ZADD', KEYS[1], last, ARGV[1]) redis.call('PEXPIRE', KEYS[1], 100) return 1";
constexpr std::string_view kWrite =
    "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "
    "if ARGV[1] == '1' then redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now) end "
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end "
    "redis.call('SET', KEYS[2], 1, 'PX', 100) return 1";

/// When the last living reader has left at the latest.
struct Readers {
  Instant alice_until{};
  Instant bob_left{};
  Instant carol_begun{};
  /// Since when a writer waits for the dead only; nullopt: a living reader may be inside.
  std::optional<Instant> free_since(bool often) const {
    if (!often && bob_left == Instant{}) return std::nullopt;
    return std::max({carol_begun, often ? Instant{} : bob_left, alice_until});
  }
  /// What has yet to begin, or to leave, does so now or later.
  std::uint64_t digest(Instant now, bool often) const {
    const std::optional<Instant> since = free_since(often);
    const bool is_known = since && carol_begun > Instant{};
    const Duration ago = now - (is_known ? *since : std::max(alice_until, now));
    return static_cast<std::uint64_t>(ago.count()) * 4 + (since ? 2 : 0) + (is_known ? 1 : 0);
  }
};

/// A reader that may crash, one that comes again and again, and a writer. `rests`: how long the
/// second is away each time; 0: it only renews.
void zombie_reader(World& world, bool mended, Duration rests) {
  Node& redis = world.redis("redis");
  const bool often = rests > Duration{};
  const auto readers = std::make_shared<Readers>();  // Shared by the workers of one run.
  world.shares([readers, often](Instant now) { return readers->digest(now, often); });
  world.spawn("alice", [&redis, mended, readers](Worker& worker) -> Task<> {
    readers->alice_until = worker.now() + 110ms;
    co_await worker.call(redis, "EVAL", kRead, 2, "readers", "writer", worker.name(),
                         mended ? 1 : 0);
    co_await worker.sleep(20ms);
    co_await worker.call(redis, "ZREM", "readers", worker.name());
  });
  world.spawn("bob", [&redis, mended, rests, often, readers](Worker& worker) -> Task<> {
    for (int round = 0; round < 12; ++round) {
      worker.digest(static_cast<std::uint64_t>(round));
      co_await worker.call(redis, "EVAL", kRead, 2, "readers", "writer", worker.name(),
                           mended ? 1 : 0);
      co_await worker.sleep(40ms);
      if (!often && round < 11) continue;
      co_await worker.call(redis, "ZREM", "readers", worker.name());
      readers->bob_left = worker.now();
      co_await worker.sleep(rests);
    }
  });
  world.spawn("carol", [&redis, mended, often, readers](Worker& worker) -> Task<> {
    readers->carol_begun = worker.now();
    while (true) {
      worker.digest(0);
      const Reply reply =
          co_await worker.call(redis, "EVAL", kWrite, 2, "readers", "writer", mended ? 1 : 0);
      if (reply.integer() == 1) co_return;
      const std::optional<Instant> free = readers->free_since(often);
      worker.expect(!free || worker.now() - *free < (often ? 110ms : 35ms),
                    "a writer gets in when no living reader is inside");
      co_await worker.sleep(often ? 20ms : 5ms);
    }
  });
}
void d8(World& world, bool mended) { zombie_reader(world, mended, 0ms); }
void f3(World& world, bool mended) { zombie_reader(world, mended, 35ms); }

void d9(World& world, bool mended) {
  Node& redis = world.redis("redis");
  const ReadWrite page = world.read_write("page");
  constexpr std::string_view kTake =
      "for _, reader in ipairs(redis.call('HKEYS', KEYS[1])) do "
      "if redis.call('EXISTS', 'lease:' .. reader) == 1 then return 0 end end return 1";
  world.spawn("alice", [&redis, page, mended](Worker& worker) -> Task<> {
    const std::string_view both =
        "redis.call('HSET', KEYS[1], 'alice', 1) redis.call('PEXPIRE', KEYS[1], 100) "
        "redis.call('SET', 'lease:alice', 1, 'PX', 100) return 1";
    co_await worker.call(redis, "EVAL", both, 1, "readers");
    Turn turn = page.read(worker);
    for (int tick = 0; tick < 6; ++tick) {
      co_await worker.sleep(kTick);
      co_await worker.call(redis, "PEXPIRE", "readers", 100);
      if (mended) co_await worker.call(redis, "PEXPIRE", "lease:alice", 100);
    }
    turn.leave();
    co_await worker.call(redis, "DEL", "readers", "lease:alice");
  });
  world.spawn("bob", [&redis, page, kTake](Worker& worker) -> Task<> {
    co_await worker.sleep(10ms);  // Alice was first, or comes after it has gone.
    for (int attempt = 0; attempt < 15; ++attempt) {
      const Reply readers = co_await worker.call(redis, "EXISTS", "readers");
      if (readers.integer() == 0) co_return;
      const Reply reply = co_await worker.call(redis, "EVAL", kTake, 1, "readers");
      if (reply.integer() == 1) {
        const Reply still = co_await worker.call(redis, "EXISTS", "readers");
        if (still.integer() == 1) page.write(worker).leave();
        co_return;
      }
      co_await worker.sleep(20ms);
    }
  });
}

/// The lock is a hash: its mode, and what its holders hold.
constexpr std::string_view kWriteHash =
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end "
    "redis.call('HSET', KEYS[1], 'mode', 'write', 'w:' .. ARGV[1], 1) "
    "redis.call('PEXPIRE', KEYS[1], 1000) return 1";
constexpr std::string_view kUnlockRead =
    "if redis.call('HINCRBY', KEYS[1], 'r:' .. ARGV[1], -1) > 0 then return 0 end "
    "redis.call('HDEL', KEYS[1], 'r:' .. ARGV[1]) "
    "if ARGV[2] == '0' or redis.call('HLEN', KEYS[1]) == 1 then redis.call('DEL', KEYS[1]) end "
    "return 1";

void f1(World& world, bool mended) {
  Node& redis = world.redis("redis");
  const ReadWrite page = world.read_write("page");
  world.spawn("alice", [&redis, page, mended](Worker& worker) -> Task<> {
    const Reply reply = co_await worker.call(redis, "EVAL", kWriteHash, 1, kKey, "alice");
    if (reply.integer() == 0) co_return;
    Turn turn = page.write(worker);
    co_await worker.call(redis, "HINCRBY", kKey, "r:alice", 1);
    co_await worker.call(redis, "EVAL", kUnlockRead, 1, kKey, "alice", mended ? 1 : 0);
    co_await worker.sleep(50ms);
    turn.leave();
    co_await worker.call(redis, "DEL", kKey);
  });
  world.spawn("bob", [&redis, page](Worker& worker) -> Task<> {
    for (int attempt = 0; attempt < 6; ++attempt) {
      const Reply reply = co_await worker.call(redis, "EVAL", kWriteHash, 1, kKey, "bob");
      if (reply.integer() == 1) {
        Turn turn = page.write(worker);
        co_await worker.sleep(5ms);
        turn.leave();
        co_await worker.call(redis, "DEL", kKey);
        co_return;
      }
      co_await worker.sleep(15ms);
    }
  });
}

void f2(World& world, bool mended) {
  Node& redis = world.redis("redis");
  const ReadWrite page = world.read_write("page");
  constexpr std::string_view kReadHash =
      "if redis.call('HEXISTS', KEYS[1], 'mode') == 1 then return 0 end "
      "redis.call('HINCRBY', KEYS[1], 'r:' .. ARGV[1], 1) "
      "if ARGV[3] == '0' or redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then "
      "redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 1";
  for (const int lease : {1000, 50}) {
    world.spawn(lease == 1000 ? "alice" : "bob",
                [&redis, page, mended, lease, kReadHash](Worker& worker) -> Task<> {
                  const Instant until = worker.now() + std::chrono::milliseconds{lease};
                  const Reply reply = co_await worker.call(redis, "EVAL", kReadHash, 1, kKey,
                                                           worker.name(), lease, mended ? 1 : 0);
                  if (reply.integer() == 0) co_return;
                  Turn turn = page.read(worker);
                  co_await worker.sleep(std::min<Duration>(until - worker.now(), 300ms));
                  turn.leave();
                });
  }
  world.spawn("carol", [&redis, page](Worker& worker) -> Task<> {
    for (int attempt = 0; attempt < 10; ++attempt) {
      const Reply reply = co_await worker.call(redis, "EVAL", kWriteHash, 1, kKey, "carol");
      if (reply.integer() == 1) {
        page.write(worker).leave();
        co_await worker.call(redis, "DEL", kKey);
        co_return;
      }
      co_await worker.sleep(20ms);
    }
  });
}

void f5(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.leaves_nothing(*stage.redis, 100ms);
  constexpr std::string_view kAgain =
      "local left = math.max(redis.call('PTTL', KEYS[1]), 0) "
      "redis.call('HINCRBY', KEYS[1], 'w:alice', 1) "
      "redis.call('PEXPIRE', KEYS[1], ARGV[1] == '1' and 100 or left + 100) return 1";
  world.spawn("alice", [stage, mended, kAgain](Worker& worker) -> Task<> {
    for (int level = 0; level < 3; ++level)
      co_await worker.call(*stage.redis, "EVAL", kAgain, 1, kKey, mended ? 1 : 0);
    co_await worker.sleep(10ms);
    co_await worker.call(*stage.redis, "DEL", kKey);
  });
}

void f6(World& world, bool mended) {
  Node& redis = world.redis("redis");
  const LockKey lock = world.lock_key(redis, "writer").overtaken_at_most(2);
  constexpr std::string_view kReadUnlessWanted =
      "if redis.call('EXISTS', 'writer', 'wanted') > 0 then return 0 end "
      "redis.call('HSET', 'readers', ARGV[1], 1) redis.call('PEXPIRE', 'readers', 100) return 1";
  constexpr std::string_view kWriteAndWant =
      "if redis.call('EXISTS', 'readers') == 0 then redis.call('DEL', 'wanted') "
      "redis.call('SET', 'writer', 1, 'PX', 100) return 1 end "
      "if ARGV[1] == '1' then redis.call('SET', 'wanted', 1, 'PX', 1000) end return 0";
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [&redis, lock, kReadUnlessWanted](Worker& worker) -> Task<> {
      for (int round = 0; round < 8; ++round) {
        Wait wait = lock.wait(worker);
        const Reply reply =
            co_await worker.call(redis, "EVAL", kReadUnlessWanted, 0, worker.name());
        if (reply.integer() == 1) {
          wait.taken();
          co_await worker.sleep(30ms);
          co_await worker.call(redis, "HDEL", "readers", worker.name());
        } else {
          co_await worker.sleep(10ms);
        }
      }
    });
  }
  world.spawn("carol", [&redis, lock, mended, kWriteAndWant](Worker& worker) -> Task<> {
    Wait wait = lock.wait(worker);
    for (int attempt = 0; attempt < 30; ++attempt) {
      const Reply reply = co_await worker.call(redis, "EVAL", kWriteAndWant, 0, mended ? 1 : 0);
      if (reply.integer() == 1) break;
      co_await worker.sleep(10ms);
    }
    wait.taken();
    co_await worker.call(redis, "DEL", "writer");
  });
}

void f7(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string_view wake_one = "redis.call('DEL', KEYS[1]) redis.call('LPUSH', 'wake', 1)";
    const std::string_view wake_all =
        "redis.call('DEL', KEYS[1]) redis.call('LPUSH', 'wake', 1, 2)";
    co_await set_nx(worker, *stage.redis, worker.name());
    co_await worker.sleep(20ms);
    co_await worker.call(*stage.redis, "EVAL", mended ? wake_all : wake_one, 1, kKey);
  });
  for (const char* name : {"bob", "carol"}) {
    world.spawn(name, [stage](Worker& worker) -> Task<> {
      const Reply busy = co_await worker.call(*stage.redis, "EXISTS", kKey);
      if (busy.integer() == 1) co_await worker.call(*stage.redis, "BLPOP", "wake", 0);
    });
  }
}

constexpr std::array kReadWriteBugs{
    Bug{"D8", "read-write", "a reader's renewal keeps a dead reader alive", Oracle::property,
        only(&Faults::crashes), d8, Class::violation, true, true},
    Bug{"D9", "read-write", "renews the hash, but not the leases beside it", Oracle::read_write,
        Faults::none(), d9},
    Bug{"F1", "read-write", "giving back a nested read frees the write lock", Oracle::read_write,
        Faults::none(), f1},
    Bug{"F2", "read-write", "a short read lease shortens everybody's", Oracle::read_write,
        Faults::none(), f2},
    Bug{"F3", "read-write", "every new reader keeps dead readers alive", Oracle::property,
        only(&Faults::crashes), f3, Class::violation, true, true},
    Bug{"F5", "read-write", "taking it again adds up the ttls", Oracle::leaked,
        only(&Faults::crashes), f5},
    Bug{"F6", "read-write", "readers that overlap starve a writer", Oracle::fairness,
        Faults::none(), f6},
    Bug{"F7", "read-write", "a writer's release wakes one reader of two", Oracle::stuck,
        Faults::none(), f7},
};

}  // namespace

std::span<const Bug> read_write_bugs() { return kReadWriteBugs; }

}  // namespace picklock::race::bugs
