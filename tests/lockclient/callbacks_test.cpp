// Callbacks and coroutines that are resumed: what they throw, what they drop, what they replace.
#include <coroutine>
#include <stdexcept>
#include <utility>

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;

namespace {

struct Table {
  Emulator redis;
  LocalLoop loop;
  std::unique_ptr<Link> link = loop.connect(redis);
  LockClient client{*link};
  Lock ledger{client, "ledger", {.ttl = 900ms, .renew = true}};
  Lock archive{client, "archive"};
  Lock vault{client, "vault"};
};

[[noreturn]] void fail(const char* text) { throw std::runtime_error(text); }

/// A coroutine that runs at once and goes with its handle.
struct Job {
  struct promise_type {
    Job get_return_object() {
      return Job{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  explicit Job(std::coroutine_handle<promise_type> made) : handle(made) {}
  Job(Job&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Job& operator=(Job&&) = delete;
  ~Job() {
    if (handle) handle.destroy();
  }
  std::coroutine_handle<promise_type> handle;
};

Job acquire_in_a_coroutine(Lock& lock, int& resumed) {
  const auto held = co_await lock.acquire();
  ++resumed;
}

}  // namespace

TEST_CASE("a callback that throws keeps no other result back, and no renewal") {
  Table table;
  auto watched = table.ledger.acquire().get();
  bool heard = false;
  table.archive.acquire().then([](Outcome<Hold>) { fail("the archive burns"); });
  table.vault.acquire().then([&](Outcome<Hold> held) { heard = held.has_value(); });

  CHECK_THROWS_WITH(table.loop.advance(1ms), "the archive burns");
  CHECK(heard);
  table.loop.advance(10s);
  CHECK(watched->is_held());
  CHECK(table.archive.try_acquire().get());  // What the callback was given is released.
}

TEST_CASE("of several callbacks that throw, the first is heard, and all are called") {
  Table table;
  int called = 0;
  for (Lock* lock : {&table.archive, &table.vault})
    lock->acquire().then([&called, lock](Outcome<Hold>) {
      ++called;
      fail(lock->name().c_str());
    });
  CHECK_THROWS_WITH(table.loop.advance(1ms), "archive");
  CHECK(called == 2);
  CHECK_NOTHROW(table.loop.advance(10s));
}

TEST_CASE("an observer that throws keeps nothing from whom the event concerns") {
  Table table;
  int events = 0;
  table.client.on_event([&](const LockEvent&) {
    ++events;
    fail("seen");
  });
  bool heard = false;
  std::optional<Hold> hold;
  table.vault.acquire().then([&](Outcome<Hold> held) {
    heard = true;
    hold.emplace(std::move(*held));
  });
  CHECK_THROWS_WITH(table.loop.advance(1ms), "seen");
  REQUIRE(heard);
  bool released = false;
  hold->release().then([&](Released what) { released = what == Released::released; });
  CHECK_THROWS_WITH(table.loop.advance(1ms), "seen");
  CHECK(released);
  CHECK(events == 2);
}

TEST_CASE("who hears of a loss and throws keeps it from nobody else") {
  Table table;
  Lock brief{table.client, "brief", {.ttl = 100ms}};
  Lock short_too{table.client, "short", {.ttl = 100ms}};
  auto first = brief.acquire().get();
  auto second = short_too.acquire().get();
  bool heard = false;
  first->on_lost([](Loss) { fail("lost"); });
  second->on_lost([&](Loss) { heard = true; });
  CHECK_THROWS_WITH(table.loop.advance(1s), "lost");
  table.loop.advance(1s);
  CHECK(heard);
}

TEST_CASE("what a callback throws leaves no operation that is begun meanwhile") {
  Table table;
  auto hold = table.vault.acquire().get();
  hold->extend(60s).then([](Outcome<Done>) { fail("the extension"); });
  std::optional<Ongoing<Released>> releasing;
  CHECK_NOTHROW(releasing.emplace(hold->release()));  // It ends the extension.
  CHECK_THROWS_WITH(table.loop.advance(1ms), "the extension");
  CHECK(releasing->get() == Released::released);
}

TEST_CASE("an observer that replaces itself lives until it returns") {
  Table table;
  auto token = std::make_shared<int>(1);
  long owners = 0;
  table.client.on_event([&, token, watch = std::weak_ptr{token}](const LockEvent&) {
    table.client.on_event({});
    owners = watch.use_count();
  });
  token.reset();
  CHECK(table.vault.acquire().get());
  CHECK(owners == 1);
}

TEST_CASE("an operation that is dropped in the turn of its end resumes nobody") {
  Table table;
  SECTION("an acquisition that was to be heard of") {
    bool called = false;
    std::optional<Ongoing<Outcome<Hold>>> second;
    table.archive.acquire().then([&](Outcome<Hold>) { second.reset(); });
    second.emplace(table.vault.acquire());
    second->when_done([&] { called = true; });
    table.loop.advance(1ms);
    CHECK_FALSE(called);
  }
  SECTION("an acquisition that nobody waits for") {
    std::optional<Ongoing<Outcome<Hold>>> second;
    table.client.on_event([&](const LockEvent& event) {
      if (event.name == "archive") second.reset();
    });
    const auto first = table.archive.acquire();
    second.emplace(table.vault.acquire());
    table.loop.advance(1ms);
    CHECK(first.is_done());
    table.client.on_event({});
  }
  SECTION("a coroutine") {
    int resumed = 0;
    std::optional<Job> job;
    table.archive.acquire().then([&](Outcome<Hold>) { job.reset(); });
    job.emplace(acquire_in_a_coroutine(table.vault, resumed));
    table.loop.advance(1ms);
    CHECK(resumed == 0);
  }
  SECTION("a guard that was dropped") {
    bool called = false;
    std::optional<Ongoing<Outcome<Released>>> guarding;
    table.archive.acquire().then([&](Outcome<Hold>) { guarding.reset(); });
    guarding.emplace(table.vault.guard(1s, [&](Hold&) { called = true; }));
    table.loop.advance(1ms);
    CHECK_FALSE(called);
  }
  SECTION("a guard that was cancelled") {
    bool called = false;
    std::optional<Ongoing<Outcome<Released>>> guarding;
    table.archive.acquire().then([&](Outcome<Hold>) { guarding->cancel(); });
    guarding.emplace(table.vault.guard(1s, [&](Hold&) { called = true; }));
    table.loop.advance(1ms);
    CHECK_FALSE(called);
    REQUIRE(guarding->is_done());
    CHECK(guarding->take().error().code == LockError::Code::cancelled);
  }
  SECTION("a guard that was cancelled just as the lock came") {
    bool called = false;
    std::optional<Ongoing<Outcome<Released>>> guarding;
    table.client.on_event([&](const LockEvent& event) {
      if (event.name == "vault" && event.kind == LockEvent::Kind::acquired) guarding->cancel();
    });
    guarding.emplace(table.vault.guard(1s, [&](Hold&) { called = true; }));
    table.loop.advance(1ms);
    table.client.on_event({});
    CHECK_FALSE(called);
    REQUIRE(guarding->is_done());
    CHECK(guarding->take().error().code == LockError::Code::cancelled);
  }
  table.loop.advance(1ms);
  CHECK(table.vault.try_acquire().get());
}

TEST_CASE("a reentrant lock that nobody wants when it comes is who else waits for it's") {
  Table table;
  ReentrantLock lock{table.client, "lock"};
  std::optional<Ongoing<Outcome<Hold>>> first;
  table.client.on_event([&](const LockEvent& event) {
    if (event.kind == LockEvent::Kind::acquired) first.reset();
  });
  first.emplace(lock.acquire());
  auto second = lock.acquire();
  table.loop.advance(1ms);
  table.client.on_event({});
  CHECK_FALSE(first);
  REQUIRE(second.is_done());
  auto held = second.take();
  REQUIRE(held);
  table.loop.advance(1ms);
  CHECK(held->is_held());
  CHECK(table.redis.inspect().string("lock") == held->owner());
  CHECK(held->release().get() == Released::released);
  CHECK_FALSE(table.redis.inspect().string("lock"));
}

TEST_CASE("who has given a hold up does not hear of its loss") {
  Table table;
  bool called = false;
  SECTION("in the turn of the loss") {
    Lock brief{table.client, "brief", {.ttl = 100ms}};
    Lock short_too{table.client, "short", {.ttl = 100ms}};
    auto one = brief.acquire().get();
    std::optional<Hold> two = *short_too.acquire().get();
    one->on_lost([&](Loss) { two.reset(); });
    two->on_lost([&](Loss) { called = true; });
    table.loop.advance(1s);
    CHECK_FALSE(two);
  }
  SECTION("an inner level of a reentrant lock, of which the outer one hears") {
    ReentrantLock lock{table.client, "lock", {.ttl = 100ms}};
    auto outer = lock.acquire().get();
    bool outer_heard = false;
    outer->on_lost([&](Loss) { outer_heard = true; });
    auto inner = lock.acquire().get();
    inner->on_lost([&](Loss) { called = true; });
    CHECK(inner->release().get() == Released::still_held);
    table.loop.advance(1s);
    CHECK(outer_heard);
  }
  CHECK_FALSE(called);
}

/// A lock whose clients have a clock of their own, which throws while `throws`.
ScriptProtocol protocol_with_clock(const bool& throws) {
  ScriptProtocol protocol;
  protocol.acquire = {.script = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])",
                      .keys = {"{name}"},
                      .arguments = {"{owner}", "{ttl_ms}"},
                      .success = {replies::status("OK")},
                      .failure = {replies::nil}};
  protocol.release = {.script = "return redis.call('DEL', KEYS[1])",
                      .keys = {"{name}"},
                      .success = {replies::integer(1)},
                      .failure = {replies::integer(0)}};
  protocol.clock = [&throws](Instant now) -> Instant {
    if (throws) fail("no clock");
    return now;
  };
  return protocol;
}

TEST_CASE("an acquisition whose clock throws leaves nothing behind") {
  Table table;
  bool throws = true;
  ScriptLock lock{table.client, "mine", protocol_with_clock(throws), {.ttl = 900ms}};
  CHECK_THROWS_WITH(lock.acquire(), "no clock");
  throws = false;
  CHECK(table.vault.acquire().get()->release().get() == Released::released);
  table.loop.advance(10s);
  CHECK(table.client.under_way() == 0);
  CHECK(lock.acquire().get()->release().get() == Released::released);
}

TEST_CASE("what a clock that throws has kept from being told goes with the link") {
  const auto captured = std::make_shared<int>();
  {
    Table table;
    bool throws = false;
    ScriptLock lock{table.client, "mine", protocol_with_clock(throws), {.ttl = 900ms}};
    auto held = table.archive.acquire().get();
    held->release().then([captured](Released) {});
    const auto acquiring = lock.acquire();
    throws = true;
    CHECK_THROWS_WITH(table.loop.run_one(), "no clock");
    table.link.reset();
  }
  CHECK(captured.use_count() == 1);
}

TEST_CASE("a backoff of one's own that throws is as none") {
  Table table;
  auto holder = table.vault.acquire().get();
  LockOptions options{.listen = false};
  options.backoff.own = [](std::uint32_t, std::uint64_t) -> Duration { fail("own"); };
  Lock waiter{table.client, "vault", options};
  auto waiting = waiter.acquire();
  CHECK_NOTHROW(table.loop.advance(5s));
  CHECK(holder->release().get() == Released::released);
  CHECK_NOTHROW(table.loop.advance(5s));
  CHECK(waiting.is_done());
}
