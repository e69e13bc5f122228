// Group J: fencing.
#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race::bugs {
namespace {

/// KEYS the lock and its fence, ARGV[1] the owner: replies the token, or 0.
constexpr std::string_view kMint =
    "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 100) then "
    "return redis.call('INCR', KEYS[2]) end return 0";

enum class Way : std::uint8_t { right, unchecked, read_later, with_ttl, before };

/// Takes the lock and writes under its token, in one way or another.
Task<> write_once(Worker& worker, Stage stage, Fence disk, Way way) {
  const std::string owner = token_of(worker);
  for (int attempt = 0; attempt < 4; ++attempt) {
    std::int64_t token = 0;
    bool taken = false;
    if (way == Way::before) {
      const Reply minted = co_await worker.call(*stage.redis, "INCR", "fence");
      token = minted.integer();
      const Reply reply = co_await set_nx(worker, *stage.redis, owner);
      taken = !reply.is_null();
    } else {
      const Reply reply =
          co_await worker.call(*stage.redis, "EVAL", kMint, 2, kKey, "fence", owner);
      token = reply.integer();
      taken = token > 0;
    }
    if (!taken) {
      co_await worker.sleep(kTtl / 2);
      continue;
    }
    if (way == Way::with_ttl) co_await worker.call(*stage.redis, "PEXPIRE", "fence", 100);
    co_await worker.pause(Duration{}, kTtl);
    if (way == Way::read_later) {
      const Reply reply = co_await worker.call(*stage.redis, "GET", "fence");
      token = std::stoll(reply.text());
    }
    if (way == Way::unchecked) {
      disk.write_unchecked(worker, token);
    } else {
      disk.write(worker, token);
    }
    co_await release(worker, *stage.redis, owner);
    co_return;
  }
}

void write_under(World& world, Way way) {
  const Stage stage = make_stage(world);
  const Fence disk = world.fence("disk", stage.lock);
  for (const char* name : {"alice", "bob"}) {
    world.spawn(
        name, [stage, disk, way](Worker& worker) { return write_once(worker, stage, disk, way); });
  }
}
void j1(World& world, bool mended) { write_under(world, mended ? Way::right : Way::unchecked); }
void j2(World& world, bool mended) { write_under(world, mended ? Way::right : Way::read_later); }
void j4(World& world, bool mended) { write_under(world, mended ? Way::right : Way::before); }

/// Tokens that have grown for a while, and then time in which nobody asks.
void j3(World& world, bool mended) {
  const Stage stage = make_stage(world);
  const Fence disk = world.fence("disk", stage.lock);
  world.spawn("alice", [stage, disk, mended](Worker& worker) -> Task<> {
    for (int round = 1; round <= 3; ++round) {
      const std::string owner = token_of(worker, round);
      const Reply reply =
          co_await worker.call(*stage.redis, "EVAL", kMint, 2, kKey, "fence", owner);
      if (reply.integer() == 0) continue;
      if (!mended) co_await worker.call(*stage.redis, "PEXPIRE", "fence", 100);
      disk.write(worker, reply.integer());
      if (round < 3) co_await release(worker, *stage.redis, owner);
      if (round == 2) co_await worker.sleep(200ms);
    }
  });
}

constexpr std::array kFenceBugs{
    Bug{"J1", "fenced", "the resource does not look at the token", Oracle::fencing,
        only(&Faults::pauses), j1},
    Bug{"J2", "fenced", "the token is read after the lock was taken", Oracle::fencing,
        only(&Faults::pauses), j2},
    Bug{"J3", "fenced", "the fence expires, and begins at 1 again", Oracle::fencing, Faults::none(),
        j3},
    Bug{"J4", "fenced", "the fence is counted before the lock is taken", Oracle::fencing,
        Faults::none(), j4},
};

}  // namespace

std::span<const Bug> fence_bugs() { return kFenceBugs; }

}  // namespace picklock::race::bugs
