#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>
#include <picklock/race.hpp>
#include <catch2/catch.hpp>

using namespace std::chrono_literals;

/// Sells, one at a time: reads the stock, and writes what is left. Without the lock sales get lost.
picklock::race::Task<> sell(picklock::Link& link, picklock::Client& shop, int orders, int& sold) {
  picklock::Lock lock{link, "lock:stock", {.ttl = 500ms}};
  for (int i = 0; i < orders; ++i) {
    auto held = co_await lock.acquire();
    const int stock = std::stoi(shop.call("GET", "stock").text());
    const auto extended = co_await held->extend();  // the others have time to come in between
    if (extended && stock > 0) {
      shop.call("SET", "stock", stock - 1);
      ++sold;
    }
    co_await held->release();
  }
}

TEST_CASE("eight workers sell a stock of 8000, one by one, and lose no sale") {
  picklock::Emulator redis;
  picklock::LocalLoop loop;                        // carries requests, moves the clocks: no sleeps
  picklock::Client shop = redis.connect();
  shop.call("SET", "stock", 8000);
  int sold = 0;
  std::vector<std::unique_ptr<picklock::Link>> links;
  std::vector<picklock::race::Task<>> workers;     // any coroutine type will do
  for (int i = 0; i < 8; ++i) {
    links.push_back(loop.connect(redis));
    workers.push_back(sell(*links.back(), shop, 1001, sold));
    workers.back().handle().resume();
  }
  while (loop.run_one()) {
  }
  CHECK(sold == 8000);
  CHECK(shop.call("GET", "stock") == "0");
}

TEST_CASE("a watchdog keeps the lock, and says when it was taken away") {
  picklock::Emulator redis;
  picklock::LocalLoop loop;
  auto link = loop.connect(redis);
  picklock::Lock lock{*link, "lock:report", {.ttl = 3s, .renew = true}};
  auto held = lock.acquire().get();
  loop.advance(10min);
  CHECK(held->is_held());

  redis.connect().call("DEL", "lock:report");      // somebody's mistake
  loop.advance(1s);
  CHECK(held->lost_token().stop_requested());
  CHECK(held->release().get() == picklock::Released::not_owner);
}

TEST_CASE("a Redlock holds while three of five servers answer") {
  std::array<picklock::Emulator, 5> servers;
  picklock::LocalLoop loop;
  std::vector<std::unique_ptr<picklock::Link>> links;
  std::vector<picklock::Link*> all;
  for (auto& server : servers) all.push_back(links.emplace_back(loop.connect(server)).get());
  picklock::Redlock lock{picklock::LockClient{all}, "lock:ledger", {.ttl = 10s}};

  servers[2].connect().call("REPLICAOF", "elsewhere", 6379);  // takes no writes any more
  auto held = lock.acquire_within(1s).get();
  REQUIRE(held);
  CHECK(held->valid_for() > 9s);
  CHECK(held->release().get() == picklock::Released::released);
}
