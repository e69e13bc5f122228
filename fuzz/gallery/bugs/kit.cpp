#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race::bugs {

Stage make_stage(World& world) {
  Node& redis = world.redis("redis");
  return {&redis, &world.exclusive("section"), world.lock_key(redis, kKey)};
}

std::string token_of(Worker& worker, int hold) {
  return std::string{worker.name()} + ":" + std::to_string(hold);
}

Task<Reply> insist(Worker& worker, Node& node, std::vector<std::string> words) {
  const std::vector<std::string_view> views{words.begin(), words.end()};
  for (int attempt = 1;; ++attempt) {
    try {
      const Call call = worker.call(node, std::span<const std::string_view>{views});
      Reply reply = co_await call;
      co_return reply;
    } catch (const ConnectionLost&) {
      if (attempt == 2) throw;
    }
  }
}

Task<bool> acquire(Worker& worker, Node& node, std::string_view token, Duration ttl,
                   Duration patience) {
  const Instant give_up = worker.now() + patience;
  const Worker::Past before = worker.past();
  while (true) {
    worker.digest(before, static_cast<std::uint64_t>((give_up - worker.now()).count()));
    const Reply reply = co_await set_nx(worker, node, token, ttl);
    if (!reply.is_null()) co_return !reply.is_error();
    if (worker.now() >= give_up) co_return false;
    co_await worker.pause(kTtl / 5, kTtl);
  }
}

Task<> take_turn(Worker& worker, Stage stage, Habits habits) {
  const std::string token = habits.token.empty() ? token_of(worker) : std::string{habits.token};
  bool taken = false;
  Instant asked;
  for (int attempt = 0; attempt < 4 && !taken; ++attempt) {
    if (attempt > 0) co_await worker.pause(habits.ttl / 2, habits.ttl + 2ms);
    asked = worker.now();
    if (habits.acquire != nullptr) {
      taken = co_await habits.acquire(worker, *stage.redis, token);
    } else {
      const Reply reply = co_await set_nx(worker, *stage.redis, token, habits.ttl);
      taken = !reply.is_null();
    }
  }
  if (!taken) co_return;
  const Duration grain = habits.clock_grain;
  const auto read = [grain](Instant at) {
    return at - Duration{at.time_since_epoch().count() % grain.count()};
  };
  const bool late = habits.counts_from_reply || grain > Duration{1};
  const Duration elapsed = habits.counts_from_reply ? Duration{} : read(worker.now()) - read(asked);
  const Instant until = (late ? worker.now() - elapsed : asked) + habits.ttl;
  if (worker.now() < until) {
    const Claim claim{.node = stage.redis, .key = kKey, .token = token, .until = until};
    Turn turn = stage.section->enter(worker, claim);
    co_await worker.pause(Duration{}, until - worker.now());
    turn.leave();
  }
  if (habits.release != nullptr) {
    co_await habits.release(worker, *stage.redis, token);
  } else {
    co_await release(worker, *stage.redis, token);
  }
}

Task<> hold_for_long(Worker& worker, Stage stage) {
  const std::string token = token_of(worker);
  const bool taken = co_await acquire(worker, *stage.redis, token);
  if (!taken) co_return;
  co_await worker.sleep(kTtl - 10ms);
  co_await release(worker, *stage.redis, token);
}

void spawn_turns(World& world, Stage stage, Habits habits, int count) {
  constexpr std::array<std::string_view, 3> kNames{"alice", "bob", "carol"};
  for (int i = 0; i < count; ++i) {
    world.spawn(kNames[static_cast<std::size_t>(i)],
                [stage, habits](Worker& worker) { return take_turn(worker, stage, habits); });
  }
}

Nodes make_nodes(World& world) {
  return {&world.redis("node 1"), &world.redis("node 2"), &world.redis("node 3")};
}

Task<int> vote(Worker& worker, Nodes nodes, std::string_view token, Duration ttl) {
  int votes = 0;
  const Worker::Past before = worker.past();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    worker.digest(before, static_cast<std::uint64_t>(votes) * 8 + i);
    Node* const node = nodes[i];
    try {
      const Reply reply = co_await set_nx(worker, *node, token, ttl);
      votes += reply.is_null() || reply.is_error() ? 0 : 1;
    } catch (const ConnectionLost&) {
    }
  }
  worker.digest(before, static_cast<std::uint64_t>(votes) * 8 + nodes.size());
  co_return votes;
}

Task<> give_back(Worker& worker, Nodes nodes, std::string_view token) {
  const Worker::Past before = worker.past();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    worker.digest(before, i);
    Node* const node = nodes[i];
    std::vector<std::string> words{"EVAL", std::string{kReleaseScript}, "1", std::string{kKey},
                                   std::string{token}};
    const Task<Reply> asking = insist(worker, *node, std::move(words));
    co_await asking;
  }
}

}  // namespace picklock::race::bugs
