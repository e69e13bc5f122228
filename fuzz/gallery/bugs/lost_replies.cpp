// Group C: lost replies, retries, cancellation.
#include "emulator/base/sha1.hpp"
#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race::bugs {
namespace {

/// A hash that counts its holds by ARGV[2]; with a request id in ARGV[3] each request counts once.
constexpr std::string_view kCountScript =
    "if ARGV[3] ~= '' and redis.call('HSETNX', KEYS[1], 'r:' .. ARGV[3], 1) == 0 then return 0 end "
    "redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2]) redis.call('PEXPIRE', KEYS[1], 1000) "
    "return 1";

Task<Reply> count(Worker& worker, Node& node, std::string_view by, std::string_view request) {
  std::vector<std::string> words{"EVAL", std::string{kCountScript}, "1", std::string{kKey}};
  words.emplace_back(worker.name());
  words.emplace_back(by);
  words.emplace_back(request);
  return insist(worker, node, std::move(words));
}

void c1(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const Task<Reply> counting = count(worker, *stage.redis, "1", mended ? "1" : "");
    co_await counting;
    stage.lock.expect_count(worker, worker.name(), 1);
  });
}
void c4(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const Task<Reply> taking = count(worker, *stage.redis, "2", "1");
    co_await taking;
    const Task<Reply> counting = count(worker, *stage.redis, "-1", mended ? "2" : "");
    co_await counting;
    stage.lock.expect_count(worker, worker.name(), 1);
    co_await worker.call(*stage.redis, "DEL", kKey);
  });
}

void c2(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.leaves_nothing(*stage.redis, 0ms);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    try {
      co_await set_nx(worker, *stage.redis, token);
    } catch (const ConnectionLost&) {
      if (!mended) co_return;
    }
    // No request is on its way for longer than this.
    co_await worker.sleep(10ms);
    co_await release(worker, *stage.redis, token);
  });
}

void c3(World& world, bool mended) {
  const Nodes nodes = make_nodes(world);
  world.spawn("alice", [nodes, mended](Worker& worker) -> Task<> {
    for (int attempt = 1; attempt <= 2; ++attempt) {
      const std::string token = token_of(worker, attempt);
      const int votes = co_await vote(worker, nodes, token, 10s);
      if (votes == 3) co_return;  // It asks for all, so that one lost vote is too few.
      co_await worker.sleep(10ms);
      if (mended) co_await give_back(worker, nodes, token);
    }
    worker.expect(false, "the only client gets the lock at its second try");
  });
}

void c6(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.leaves_nothing(*stage.redis, 0ms);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const Instant cancelled_at = worker.now() + 2ms;
    co_await set_nx(worker, *stage.redis, token);
    if (worker.now() >= cancelled_at && !mended) co_return;  // So does the release, at once.
    co_await release(worker, *stage.redis, token);
  });
}

void c7(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.leaves_nothing(*stage.redis, 0ms);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    std::string token = token_of(worker);
    const bool taken = co_await acquire(worker, *stage.redis, token);
    if (!taken) co_return;
    for (int attempt = 1; attempt <= 2; ++attempt) {
      const std::string local = token;
      if (local.empty()) co_return;  // "Not locked."
      if (!mended) token.clear();
      try {
        co_await release(worker, *stage.redis, local);
        co_return;
      } catch (const ConnectionLost&) {
      }
    }
  });
}

constexpr std::string_view kAcquireScript =
    "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0";

void c8(World& world, bool mended) {
  Node& redis = world.redis("redis", [](Emulator& emulator) {
    emulator.connect().call("SCRIPT", "LOAD", kAcquireScript);
  });
  Exclusive& section = world.exclusive("section");
  world.spawn("alice", [&redis, &section, mended](Worker& worker) -> Task<> {
    const auto sha = sha1_hex(kAcquireScript);
    const std::string_view digest{sha.data(), sha.size()};
    const std::string token = token_of(worker);
    Instant until = worker.now() + kTtl;
    Reply reply = co_await worker.call(redis, "EVALSHA", digest, 1, kKey, token, 100);
    if (mended && reply.is_error()) {
      until = worker.now() + kTtl;
      reply = co_await worker.call(redis, "EVAL", kAcquireScript, 1, kKey, token, 100);
    }
    const bool refused = reply.type() == Reply::Type::integer && reply.integer() == 0;
    if (refused || worker.now() >= until) co_return;
    const Claim claim{.node = &redis, .key = kKey, .token = token, .until = until};
    Turn turn = section.enter(worker, claim);
    co_await worker.sleep(1ms);
    turn.leave();
  });
}

void c9(World& world, bool mended) {
  Node& redis =
      world.redis("redis", [](Emulator& emulator) { emulator.connect().call("SET", "free", 1); });
  const Permits slots = world.permits("slots", 1);
  constexpr std::string_view kTake =
      "if tonumber(redis.call('GET', KEYS[1])) > 0 then redis.call('DECR', KEYS[1]) return 1 end "
      "return 0";
  constexpr std::string_view kGive =
      "if ARGV[1] == '' or redis.call('SET', ARGV[1], 1, 'NX', 'PX', 10000) then "
      "redis.call('INCR', KEYS[1]) end return 1";
  for (const char* name : {"alice", "bob", "carol"}) {
    world.spawn(name, [&redis, slots, mended, kTake, kGive](Worker& worker) -> Task<> {
      for (int attempt = 0; attempt < 6; ++attempt) {
        const Reply reply = co_await worker.call(redis, "EVAL", kTake, 1, "free");
        if (reply.integer() == 1) {
          Turn turn = slots.take(worker);
          co_await worker.sleep(20ms);
          turn.leave();
          std::vector<std::string> words{"EVAL", std::string{kGive}, "1", "free"};
          words.emplace_back(mended ? worker.name() : std::string_view{});
          const Task<Reply> giving = insist(worker, redis, std::move(words));
          co_await giving;
          co_return;
        }
        co_await worker.sleep(10ms);
      }
    });
  }
}

void c10(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.spawn("alice", [stage, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    co_await set_nx(worker, *stage.redis, token, 10ms);
    co_await worker.sleep(20ms);
    const Instant begun = worker.now();
    for (int attempt = 0; attempt < 20; ++attempt) {
      const Reply reply = co_await release(worker, *stage.redis, token);
      if (reply.integer() == 1 || mended) break;
      co_await worker.sleep(20ms);
    }
    worker.expect(worker.now() - begun < 100ms, "a release that finds the lock lost says so");
  });
}

void c11(World& world, bool mended) {
  const Stage stage = make_stage(world);
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [stage, mended](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      const Instant deadline = worker.now() + 1s;
      bool taken = false;
      while (!taken && worker.now() < deadline) {
        const Reply owner = co_await worker.call(*stage.redis, "GET", kKey);
        if (owner.is_null()) {
          const Reply reply = co_await set_nx(worker, *stage.redis, token);
          taken = !reply.is_null();
          if (!taken && !mended) break;
        }
        if (!taken) co_await worker.sleep(20ms);
      }
      worker.expect(taken || worker.now() >= deadline, "a waiter tries until its time is over");
      if (taken) co_await release(worker, *stage.redis, token);
    });
  }
}

constexpr std::array kLostReplyBugs{
    Bug{"C1", "reentrant", "an acquire that is sent again counts twice", Oracle::hold_count,
        only(&Faults::lost_replies), c1},
    Bug{"C2", "mutex", "an acquire whose answer is lost is given up and left", Oracle::leaked,
        only(&Faults::lost_replies), c2},
    Bug{"C3", "redlock", "its own leftovers block its next try", Oracle::property,
        only(&Faults::lost_replies), c3},
    Bug{"C4", "reentrant", "a release that is sent again counts twice", Oracle::hold_count,
        only(&Faults::lost_replies), c4},
    Bug{"C6", "mutex", "the clean-up is cancelled together with the acquire", Oracle::leaked,
        Faults::none(), c6},
    Bug{"C7", "mutex", "the token is forgotten before the release is answered", Oracle::leaked,
        only(&Faults::lost_requests), c7},
    Bug{"C8", "mutex", "NOSCRIPT is taken for a success", Oracle::belief,
        only(&Faults::script_flushes), c8},
    Bug{"C9", "semaphore", "permits are given back once more when the answer is lost",
        Oracle::permits, only(&Faults::lost_replies), c9},
    Bug{"C10", "mutex", "releasing a lost lock is tried until a deadline", Oracle::property,
        Faults::none(), c10, Class::violation, true, true},
    Bug{"C11", "mutex", "a waiter that lost a race gives up early", Oracle::property,
        Faults::none(), c11},
};

}  // namespace

std::span<const Bug> lost_reply_bugs() { return kLostReplyBugs; }

}  // namespace picklock::race::bugs
