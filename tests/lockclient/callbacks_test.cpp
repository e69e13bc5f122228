// What a callback throws leaves whatever runs the links, and nobody else is the worse for it.
#include <stdexcept>

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
