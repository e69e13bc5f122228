// Groups I and H4: several resources, several nodes.
#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race::bugs {
namespace {

void i1(World& world, bool mended) {
  Node& redis = world.redis("redis");
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [&redis, mended](Worker& worker) -> Task<> {
      const bool turned = !mended && worker.name() == "bob";
      const std::string_view first = turned ? "y" : "x";
      const std::string_view second = turned ? "x" : "y";
      const Instant give_up = worker.now() + 300ms;
      for (const std::string_view key : {first, second}) {
        bool taken = false;
        while (!taken) {
          const Reply reply = co_await set_nx(worker, redis, worker.name(), 10s, key);
          taken = !reply.is_null();
          worker.expect(taken || worker.now() < give_up, "two clients of two locks both get on");
          if (!taken && worker.now() >= give_up) co_return;
          if (!taken) co_await worker.sleep(100ms);
        }
      }
      co_await worker.sleep(10ms);
      co_await worker.call(redis, "DEL", "x", "y");
    });
  }
}

/// Correct Redlock clients, but for the quorum and the nodes they go by.
void spawn_voters(World& world, Nodes nodes, int quorum) {
  Exclusive& section = world.exclusive("section");
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [nodes, &section, quorum](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      const Instant until = worker.now() + kTtl;
      const int votes = co_await vote(worker, nodes, token);
      if (votes >= quorum && worker.now() < until) {
        Turn turn = section.enter(worker);
        co_await worker.pause(Duration{}, until - worker.now());
        turn.leave();
      }
      co_await give_back(worker, nodes, token);
    });
  }
}
void i3(World& world, bool mended) {
  const Nodes nodes = make_nodes(world);
  spawn_voters(world, nodes, static_cast<int>(nodes.size()) / 2 + (mended ? 1 : 0));
}
void i4(World& world, bool) {
  const Nodes nodes = make_nodes(world);
  // Restarts are faults; the keys are named so that the world knows what a restart loses.
  for (Node* node : nodes) world.lock_key(*node, kKey);
  spawn_voters(world, nodes, 2);
}

void i5(World& world, bool mended) {
  const Nodes nodes = make_nodes(world);
  for (Node* node : nodes) world.leaves_nothing(*node, 0ms);
  world.spawn("alice", [nodes, mended](Worker& worker) -> Task<> {
    const std::string token = token_of(worker);
    const int votes = co_await vote(worker, nodes, token, 10s);
    if (votes < 3 || mended) {
      co_await give_back(worker, nodes, token);
    } else {
      for (Node* node : nodes) co_await release(worker, *node, token);
    }
  });
}

/// Mended, who has set the key waits until the replica has it, and asks on the same connection.
void i6(World& world, bool mended) {
  const Stage stage = make_stage(world);
  world.replica_of(*stage.redis, "replica");
  for (const char* name : {"alice", "bob"}) {
    world.spawn(name, [stage, mended](Worker& worker) -> Task<> {
      const std::string token = token_of(worker);
      const Instant asked = worker.now();
      const std::uint64_t connection = worker.link(*stage.redis).connections();
      const bool taken = co_await acquire(worker, *stage.redis, token);
      if (!taken) co_return;
      bool confirmed = true;
      if (mended) {
        const Reply replicas = co_await worker.call(*stage.redis, "WAIT", 1, 50);
        confirmed =
            replicas.integer() >= 1 && worker.link(*stage.redis).connections() == connection;
      }
      if (confirmed && worker.now() < asked + kTtl) {
        Turn turn = stage.section->enter(worker, {.until = asked + kTtl});
        co_await worker.pause(0ms, asked + kTtl - worker.now());
        turn.leave();
      }
      co_await release(worker, *stage.redis, token);
    });
  }
}

void i7(World& world, bool mended) {
  const Nodes nodes = make_nodes(world);
  Exclusive& section = world.exclusive("section");
  constexpr std::string_view kVote =
      "local owner = redis.call('GET', KEYS[1]) if owner and owner ~= ARGV[1] then return 0 end "
      "redis.call('SET', KEYS[1], ARGV[1], 'PX', 100) return 1";
  for (const char* name : {"alice", "bob"}) {
    const bool first = name == std::string_view{"alice"};
    const Nodes listed =
        mended ? nodes : Nodes{nodes[first ? 0 : 1], nodes[first ? 0 : 1], nodes[first ? 1 : 0]};
    world.spawn(name, [nodes, listed, &section, kVote](Worker& worker) -> Task<> {
      const Instant until = worker.now() + kTtl;
      int votes = 0;
      for (Node* node : listed) {
        const Reply reply = co_await worker.call(*node, "EVAL", kVote, 1, kKey, worker.name());
        votes += static_cast<int>(reply.integer());
      }
      if (votes >= 2 && worker.now() < until) {
        Turn turn = section.enter(worker);
        co_await worker.pause(Duration{}, until - worker.now());
        turn.leave();
      }
      co_await give_back(worker, nodes, worker.name());
    });
  }
}

void h4(World& world, bool mended) {
  const Nodes nodes = make_nodes(world);
  const Permits slots = world.permits("slots", 2);
  constexpr std::string_view kTake =
      "if redis.call('SCARD', 'sem') >= 2 then return 0 end "
      "redis.call('SADD', 'sem', ARGV[1]) return 1";
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    constexpr std::array<std::string_view, 3> kNames{"alice", "bob", "carol"};
    world.spawn(kNames[i], [nodes, slots, mended, i, kTake](Worker& worker) -> Task<> {
      int votes = 0;
      for (std::size_t n = 0; n < (mended ? 1 : nodes.size()); ++n) {
        Node& node = *nodes[mended ? 0 : (i + n) % nodes.size()];
        const Reply reply = co_await worker.call(node, "EVAL", kTake, 0, worker.name());
        votes += static_cast<int>(reply.integer());
      }
      if (votes < (mended ? 1 : 2)) co_return;
      Turn turn = slots.take(worker);
      co_await worker.sleep(20ms);
      turn.leave();
    });
  }
}

constexpr std::array kQuorumBugs{
    Bug{"H4", "semaphore", "a majority of three nodes grants each permit", Oracle::permits,
        Faults::none(), h4},
    Bug{"I1", "multi-lock", "two locks are taken in the order of asking", Oracle::property,
        Faults::none(), i1},
    Bug{"I3", "redlock", "half of the votes is taken for a majority", Oracle::mutual_exclusion,
        Faults::none(), i3},
    Bug{"I4", "redlock", "a node restarts and has lost its vote", Oracle::mutual_exclusion,
        only(&Faults::restarts), i4, Class::documented_limit, false},
    Bug{"I5", "redlock", "an error at one node ends the clean-up", Oracle::leaked,
        only(&Faults::lost_requests), i5},
    Bug{"I6", "failover", "a replica is promoted that has not heard of the lock",
        Oracle::mutual_exclusion, only(&Faults::failovers), i6, Class::documented_limit},
    Bug{"I7", "redlock", "one node is listed twice", Oracle::mutual_exclusion, Faults::none(), i7},
};

}  // namespace

std::span<const Bug> quorum_bugs() { return kQuorumBugs; }

}  // namespace picklock::race::bugs
