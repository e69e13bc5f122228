// The lock client's own state machines, copied by the exhaustive search at every fork.
#include "fuzz/gallery/core_worker.hpp"

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
      lock::Terms terms{.client_id = std::string{name}, .options = {.ttl = 500ms}, .wait = wait};
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

}  // namespace

// What no lock without fencing survives is a limit; nothing else may break it.
TEST_CASE("the lock client's machines hold in all states, under one fault of a kind") {
  const lock::ProtocolRef lock = lock::make_lock_protocol({std::string{kName}});
  for (const FaultKind& kind : kFaultKinds) {
    Faults faults = Faults::none();
    faults.*kind.budget = 1;
    INFO(kind.name);
    const Verdict verdict = search(lock, faults);
    INFO(verdict);
    const bool is_limit = kind.fault == Fault::pause || kind.fault == Fault::restart ||
                          kind.fault == Fault::clock || kind.fault == Fault::eviction;
    CHECK(verdict.verdict == (is_limit ? Class::documented_limit : Class::holds));
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
    const bool is_limit = kind.fault == Fault::pause || kind.fault == Fault::restart ||
                          kind.fault == Fault::clock || kind.fault == Fault::eviction;
    CHECK(verdict.verdict == (is_limit ? Class::documented_limit : Class::holds));
    CHECK(verdict.complete);
    CHECK(verdict.states > 4'000);
    WARN(kind.name << " " << verdict.states);
  }
}
