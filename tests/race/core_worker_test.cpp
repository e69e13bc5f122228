// The lock client's own state machines, copied by the exhaustive search at every fork.
#include "fuzz/gallery/core_worker.hpp"

#include <array>

#include "fuzz/gallery/gallery.hpp"
#include "lockclient/protocols/script_protocol.hpp"
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kName = "ledger";

Scenario take_turns(const lock::ProtocolRef& protocol, Duration wait) {
  return [=](World& world) {
    Node& redis = world.redis("redis");
    Exclusive& section = world.exclusive("section");
    world.lock_key(redis, kName);
    for (const std::string_view name : {"alice", "bob"}) {
      lock::Terms terms{
          .client_id = std::string{name}, .options = LockOptions{.ttl = 500ms}, .wait = wait};
      world.spawn_value(name, CoreWorker{{.nodes = {&redis},
                                          .section = &section,
                                          .key = kName,
                                          .protocol = protocol,
                                          .terms = std::move(terms)}});
    }
  };
}

Verdict search(const lock::ProtocolRef& protocol, const Faults& faults, Duration wait = 0ms) {
  ExploreOptions options = quiet(3'000'000);
  options.strategy = Strategy::exhaustive;
  options.faults = faults;
  return explore(options, take_turns(protocol, wait));
}

/// What no lock without fencing survives is a limit; nothing else may break it.
Class expected_of(Fault fault) {
  const bool is_limit = fault == Fault::pause || fault == Fault::restart || fault == Fault::clock ||
                        fault == Fault::eviction;
  return is_limit ? Class::documented_limit : Class::holds;
}

lock::ProtocolRef bare_delete() {
  return lock::make_script_protocol(
      std::string{kName},
      {.acquire = {.arguments = {"SET", "{name}", "{owner}", "NX", "PX", "{ttl_ms}"},
                   .success = {replies::status("OK")},
                   .failure = {Reply{}}},
       .release = {.arguments = {"DEL", "{name}"},
                   .success = {replies::integer(1)},
                   .failure = {replies::integer(0)}}});
}

/// Asks two servers for a key that only the second one has: until that restarts.
struct Asker {
  std::array<Node*, 2> nodes;
  std::array<Link::Ticket, 2> tickets{};

  Next operator()(Worker& worker) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::array<std::string_view, 2> words{"GET", "key"};
      Link& link = worker.link(*nodes[i]);
      if (tickets[i] == 0 || link.is_lost(tickets[i])) tickets[i] = link.send(words);
    }
    const std::optional<Reply> reply = worker.link(*nodes[1]).reply(tickets[1]);
    if (!reply) return worker.event();
    worker.expect(!reply->is_null(), "the key is there");
    return Next::end();
  }
  std::uint64_t digest(Instant) const { return tickets[0] * 8 + tickets[1]; }
  std::uint64_t node_digest(const Node& node) const { return tickets[&node == nodes[0] ? 0 : 1]; }
};

}  // namespace

TEST_CASE("the lock client's machines hold in all states, under one fault of a kind") {
  const lock::ProtocolRef lock = lock::make_lock_protocol({std::string{kName}});
  for (const FaultKind& kind : kFaultKinds) {
    Faults faults = Faults::none();
    faults.*kind.budget = 1;
    INFO(kind.name);
    const Verdict verdict = search(lock, faults);
    INFO(verdict);
    CHECK(verdict.verdict == expected_of(kind.fault));
    CHECK(verdict.complete);
    CHECK(verdict.states > 100);
  }
}

TEST_CASE("a client's machine that waits is served, in all states") {
  const Verdict verdict =
      search(lock::make_lock_protocol({std::string{kName}}), Faults::none(), 2s);
  INFO(verdict);
  CHECK(verdict);
  CHECK(verdict.complete);
}

TEST_CASE("a release without a look at the owner is found among the client's machines, too") {
  Faults faults = Faults::none();
  faults.pauses = 1;
  const Verdict verdict = search(bare_delete(), faults);
  CHECK(verdict.verdict == Class::violation);
}

/// The lock client's Redlock over three servers, in all states.
Verdict search_redlock(const Faults& faults) {
  const GalleryLock& lock = *find_lock("redlock-once");
  ExploreOptions options = make_options(lock, {});
  options.strategy = Strategy::exhaustive;
  options.schedules = 3'000'000;
  options.faults = faults;
  options.max_delay = 0ms;
  options.prompt = true;
  options.explain = false;
  return explore(options, make_scenario(lock, {}));
}

// A server that restarts empty, or whose clock jumps, votes twice; so says Redlock's description.
TEST_CASE("a redlock holds in all states, under one fault of a kind", "[.all]") {
  for (const FaultKind& kind : kFaultKinds) {
    Faults faults = Faults::none();
    faults.*kind.budget = 1;
    INFO(kind.name);
    const Verdict verdict = search_redlock(faults);
    INFO(verdict);
    CHECK(verdict.verdict == expected_of(kind.fault));
    CHECK(verdict.complete);
    CHECK(verdict.states > 2'000);
  }
}

TEST_CASE("servers that are not alike are all looked at") {
  ExploreOptions options = quiet(10'000);
  options.strategy = Strategy::exhaustive;
  options.faults = Faults::none();
  options.faults.restarts = 1;
  const Verdict verdict = explore(options, [](World& world) {
    const auto fill = [](Emulator& redis) { redis.connect().call("SET", "key", "value"); };
    const std::array<Node*, 2> nodes{&world.redis("one"), &world.redis("two", fill)};
    world.spawn_value("alice", Asker{.nodes = nodes});
  });
  INFO(verdict);
  CHECK(verdict.verdict == Class::violation);
  CHECK(verdict.message.find("the key is there") != std::string::npos);
}

TEST_CASE("of servers that are alike one is looked at, and a majority of one is found") {
  const auto search = [](std::size_t quorum, bool prompt) {
    ExploreOptions options = quiet(3'000'000);
    options.strategy = Strategy::exhaustive;
    options.faults = Faults::none();
    options.faults.crashes = 1;
    options.symmetric = options.prompt = prompt;
    return explore(options, [quorum](World& world) {
      std::vector<Node*> nodes;
      for (const char* name : {"one", "two"}) nodes.push_back(&world.redis(name));
      Exclusive& section = world.exclusive("section");
      for (const std::string_view name : {"alice", "bob"}) {
        lock::Terms terms{.client_id = std::string{name},
                          .options = LockOptions{.ttl = 500ms},
                          .nodes = nodes.size(),
                          .quorum = quorum};
        CoreTask task{.nodes = nodes, .section = &section, .key = kName, .terms = std::move(terms)};
        task.protocol =
            lock::make_script_protocol(std::string{kName}, well_known_protocol("redlock"));
        world.spawn_value(name, CoreWorker{std::move(task)});
      }
    });
  };
  const Verdict few = search(2, true);
  const Verdict all = search(2, false);
  INFO(few << all);
  CHECK(few);
  CHECK(all);
  CHECK((few.complete && all.complete));
  CHECK(few.states * 4 < all.states);
  CHECK(search(1, true).verdict == Class::violation);
}

TEST_CASE("the lock client's WAIT counts only on the connection that took the lock") {
  const auto search = [](int replicas, Strategy strategy, std::uint64_t schedules) {
    ExploreOptions options = quiet(schedules);
    options.strategy = strategy;
    options.faults = Faults::none();
    options.faults.failovers = 1;
    return explore(options, [replicas](World& world) {
      const std::vector<Node*> nodes{&world.redis("redis")};
      world.replica_of(*nodes.front(), "replica");
      Exclusive& section = world.exclusive("section");
      for (const std::string_view name : {"alice", "bob"}) {
        lock::Terms terms{
            .client_id = std::string{name},
            .options = LockOptions{.ttl = 500ms, .replicas = replicas, .replicas_within = 50ms}};
        CoreTask task{.nodes = nodes, .section = &section, .key = kName, .terms = std::move(terms)};
        task.protocol =
            lock::make_script_protocol(std::string{kName}, well_known_protocol("set-nx-px"));
        world.spawn_value(name, CoreWorker{std::move(task)});
      }
    });
  };
  CHECK_FALSE(search(0, Strategy::portfolio, 10'000).verdict == Class::holds);
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::portfolio}) {
    const bool proves = strategy == Strategy::exhaustive;
    const Verdict verdict = search(1, strategy, proves ? 3'000'000 : 20'000);
    INFO(verdict << verdict.timeline);
    CHECK(verdict.verdict == Class::holds);
    CHECK(verdict.complete == proves);
  }
}
