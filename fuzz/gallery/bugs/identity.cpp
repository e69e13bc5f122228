// Group E: identity, local state.
#include <map>
#include <memory>

#include "fuzz/gallery/bugs/kit.hpp"
#include "fuzz/world/digest.hpp"

namespace picklock::race::bugs {
namespace {

/// Two tasks of one process; whoever does not get the lock cleans up by its token.
void e1(World& world, bool mended) {
  const Stage stage = make_stage(world);
  for (const char* name : {"task 1", "task 2"}) {
    world.spawn(name, [stage, mended](Worker& worker) -> Task<> {
      const std::string token = mended ? token_of(worker) : "thread 7";
      const Reply reply = co_await set_nx(worker, *stage.redis, token);
      if (!reply.is_null()) co_await worker.sleep(20ms);
      co_await release(worker, *stage.redis, token);
    });
  }
}

void e3(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage](Worker& worker) -> Task<> {
    const std::string_view take =
        "redis.call('HSET', KEYS[1], 'mode', 'write', 'w:alice', 1) "
        "return redis.call('PEXPIRE', KEYS[1], 100)";
    co_await worker.call(*stage.redis, "EVAL", take, 1, kKey);
    co_await worker.sleep(20ms);
    co_await worker.call(*stage.redis, "DEL", kKey);
  });
  world.spawn("bob", [stage, mended](Worker& worker) -> Task<> {
    const std::string_view unlock =
        "if redis.call('HGET', KEYS[1], 'mode') ~= 'write' then return 0 end "
        "if ARGV[1] ~= '' and redis.call('HEXISTS', KEYS[1], 'w:' .. ARGV[1]) == 0 then return 0 "
        "end redis.call('DEL', KEYS[1]) return 1";
    co_await worker.call(*stage.redis, "EVAL", unlock, 1, kKey, mended ? "bob" : "");
  });
}

struct Process {
  bool locked = false;
  std::string token;
  bool interrupted = false;
  std::uint64_t digest() const {
    return race::digest(token) * 4 + (locked ? 2 : 0) + (interrupted ? 1 : 0);
  }
};

void e4(World& world, bool mended) {
  const Stage stage = make_stage(world);
  const auto process = std::make_shared<Process>();  // Shared by two threads of one process.
  world.shares([process](Instant) { return process->digest(); });
  for (const char* name : {"thread 1", "thread 2"}) {
    world.spawn(name, [stage, process, mended](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      for (int i = 0; i < 100 && process->locked; ++i) co_await worker.sleep(20ms);
      worker.expect(!process->locked, "a thread's lock in the process becomes free");
      process->locked = true;
      const bool taken = co_await acquire(worker, *stage.redis, token);
      co_await worker.pause(0ms, 2 * kTtl);
      if (taken) {
        const Reply reply = co_await release(worker, *stage.redis, token);
        if (reply.integer() == 0 && !mended) co_return;  // Throws before the local unlock.
      }
      process->locked = false;
    });
  }
}

/// A cache of one local mutex. Mended: one that is in use stays.
struct Cache {
  std::string name;
  std::shared_ptr<bool> locked;
};

void e5(World& world, bool mended) {
  Exclusive& section = world.exclusive("section");
  const auto cache = std::make_shared<Cache>();  // Shared by the threads of one process.
  const auto others = std::make_shared<std::map<std::string, std::shared_ptr<bool>>>();
  const auto made = std::make_shared<std::vector<std::shared_ptr<bool>>>();  // All of them.
  world.shares([cache, made](Instant) {
    std::uint64_t hash = digest(cache->name);
    for (const std::shared_ptr<bool>& locked : *made) hash = hash * 31 + (*locked ? 2 : 1);
    return hash;
  });
  const auto make = [made] { return made->emplace_back(std::make_shared<bool>(false)); };
  const auto find = [cache, others, make, mended](const std::string& name) {
    if (mended) {
      std::shared_ptr<bool>& locked = (*others)[name];
      if (!locked) locked = make();
      return locked;
    }
    if (cache->name != name) *cache = {name, make()};
    return cache->locked;
  };
  for (const char* name : {"x1", "y1", "x2"}) {
    world.spawn(name, [&section, find](Worker& worker) -> Task<> {
      const std::string lock{worker.name().substr(0, 1)};
      const std::shared_ptr<bool> locked = find(lock);
      for (int i = 0; i < 20 && *locked; ++i) co_await worker.sleep(20ms);
      if (*locked) co_return;
      *locked = true;
      if (lock == "x") {
        Turn turn = section.enter(worker);
        co_await worker.sleep(20ms);
        turn.leave();
      }
      *locked = false;
    });
  }
}

void e6(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.leaves_nothing(*stage.redis, 0ms);
  const auto process = std::make_shared<Process>();  // Shared by two threads of one process.
  world.shares([process](Instant) { return process->digest(); });
  for (const char* name : {"thread 1", "thread 2"}) {
    world.spawn(name, [stage, process, mended](Worker& worker) -> Task<> {
      const std::string own = token_of(worker);
      process->token = own;
      const Reply reply = co_await set_nx(worker, *stage.redis, own, 10s);
      if (reply.is_null()) co_return;
      co_await worker.sleep(20ms);
      const std::string token = mended ? own : process->token;
      co_await release(worker, *stage.redis, token);
    });
  }
}

void e7(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.leaves_nothing(*stage.redis, 0ms);
  const auto process = std::make_shared<Process>();  // Shared by two threads of one process.
  world.shares([process](Instant) { return process->digest(); });
  world.spawn("alice", [stage, process, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    co_await set_nx(worker, *stage.redis, token, 10s);
    co_await worker.sleep(10ms);
    if (process->interrupted && !mended) co_return;
    co_await release(worker, *stage.redis, token);
  });
  world.spawn("interrupter", [process](Worker& worker) -> Task<> {
    co_await worker.sleep(5ms);
    process->interrupted = true;
  });
}

void e8(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string lease = "jobs:7:lease";  // The lease of the lock "jobs:7".
    const std::string name = lease.substr(0, mended ? lease.rfind(':') : lease.find(':'));
    co_await worker.call(*stage.redis, "SET", lease, "alice", "PX", 100);
    const Claim claim{.node = stage.redis, .key = lease, .token = "alice", .until = {}};
    Turn turn = stage.section->enter(worker, claim);
    for (int tick = 0; tick < 5; ++tick) {
      co_await worker.sleep(33ms);
      co_await worker.call(*stage.redis, "PEXPIRE", name + ":lease", 100);
    }
    turn.leave();
  });
}

constexpr std::array kIdentityBugs{
    Bug{"E1", "mutex", "two tasks of a thread share one owner id", Oracle::ownership,
        Faults::none(), e1},
    Bug{"E3", "read-write", "who does not hold it can unlock it", Oracle::ownership, Faults::none(),
        e3},
    Bug{"E4", "mutex", "the local lock stays when the remote one had expired", Oracle::property,
        Faults::none(), e4},
    Bug{"E5", "local", "a cache drops a mutex that is in use", Oracle::mutual_exclusion,
        Faults::none(), e5},
    Bug{"E6", "mutex", "one lock object for two threads: the token is overwritten", Oracle::leaked,
        Faults::none(), e6},
    Bug{"E7", "mutex", "an interrupted thread skips its unlock", Oracle::leaked, Faults::none(),
        e7},
    Bug{"E8", "mutex", "a name that holds the separator is split in the wrong place",
        Oracle::belief, Faults::none(), e8},
};

}  // namespace

std::span<const Bug> identity_bugs() { return kIdentityBugs; }

}  // namespace picklock::race::bugs
