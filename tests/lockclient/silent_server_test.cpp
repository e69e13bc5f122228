// Clients of several servers of which some fall silent: whom they still ask, and when they go on.
#include <array>

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "tests/lockclient/faulty_link.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;

namespace {

/// A client of three servers of whom the last may fall silent to it, and another.
struct Silence {
  std::vector<Link*> connect_faulty() {
    std::vector<Link*> pointers;
    for (std::size_t i = 0; i < 3; ++i) {
      inner.push_back(loop.connect(servers[i]));
      links.push_back(std::make_unique<test::FaultyLink>(loop, *inner[i], i == 2 ? last : first));
      pointers.push_back(links[i].get());
    }
    return pointers;
  }
  std::vector<Link*> connect_direct() {
    std::vector<Link*> pointers;
    for (Emulator& server : servers) {
      direct.push_back(loop.connect(server));
      pointers.push_back(direct.back().get());
    }
    return pointers;
  }

  std::array<Emulator, 3> servers;
  LocalLoop loop;
  test::SpoilPlan first;  ///< Of both others.
  test::SpoilPlan last;
  std::vector<std::unique_ptr<Link>> inner;
  std::vector<std::unique_ptr<test::FaultyLink>> links;
  std::vector<std::unique_ptr<Link>> direct;
  LockClient client{connect_faulty()};
  LockClient other{connect_direct()};
};

}  // namespace

TEST_CASE("a server that falls silent keeps a waiter from the others no longer than one answer") {
  Silence world;
  // It carries out one request of the waiter's, and none thereafter.
  world.last.deaf = true;
  world.last.after_request = [&](const std::string&) { world.last.mute = true; };
  auto held = Redlock{world.other, "name", {.ttl = 10min}}.acquire().get();
  REQUIRE(held);
  world.servers[2].connect().call("DEL", "name");
  auto waiting = Redlock{world.client, "name", {.ttl = 10min}}.acquire();
  world.loop.advance(20s);
  CHECK(world.servers[2].inspect().string("name")->starts_with(world.client.id()));
  CHECK(world.client.counters().requests < 20 * 15);
  CHECK(held->release().get() == Released::released);
  world.loop.advance(1100ms);
  REQUIRE(waiting.is_done());
  auto taken = waiting.take();
  REQUIRE(taken);
  // It speaks again, and gives back what an earlier attempt had taken there.
  world.last.deaf = world.last.mute = false;
  world.last.after_request = nullptr;
  world.loop.advance(2s);
  CHECK_FALSE(world.servers[2].inspect().exists("name"));
  CHECK(taken->is_held());
  CHECK(taken->release().get() == Released::released);
  world.loop.advance(2s);
  for (const Emulator& server : world.servers) CHECK_FALSE(server.inspect().exists("name"));
  CHECK(world.client.under_way() == 0);
}

TEST_CASE("with most servers silent a waiter asks seldom, and goes on when they speak") {
  Silence world;
  world.first.mute = true;
  auto waiting = Redlock{world.client, "name", {.ttl = 10min}}.acquire();
  world.loop.advance(60s);
  CHECK(world.client.counters().requests < 60 * 10);
  world.first.mute = false;
  world.loop.advance(3s);
  CHECK(waiting.is_done());
  auto limited = Redlock{world.other, "name", {.ttl = 10min}}.acquire_within(1s).get();
  CHECK_FALSE(limited);
}

TEST_CASE("a server that is named twice is noticed once it answers") {
  Emulator one;
  Emulator other;
  LocalLoop loop;
  test::SpoilPlan sound;
  test::SpoilPlan silent{.mute = true};
  const auto first = loop.connect(one);
  const auto second = loop.connect(other);
  const auto inner = loop.connect(one);
  test::FaultyLink again{loop, *inner, silent};
  LockClient client{{first.get(), second.get(), &again}};
  Redlock lock{client, "name", {.ttl = 10s}};
  auto held = lock.acquire().get();
  REQUIRE(held);  // Two have answered, and they are two.
  CHECK(held->release().get() == Released::released);
  silent.mute = false;
  loop.advance(1s);
  // The first two decide; what the third one says a moment later shows whose it is.
  auto once_more = lock.acquire().get();
  if (once_more) CHECK(once_more->release().get() == Released::released);
  loop.advance(1s);
  for (int i = 0; i < 2; ++i) {
    const auto refused = lock.try_acquire().get();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == LockError::Code::invalid_argument);
    loop.advance(1s);
  }
  CHECK_FALSE(one.inspect().exists("name"));
  CHECK_FALSE(other.inspect().exists("name"));
}
