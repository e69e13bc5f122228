// Links to a real server as such: what link.hpp promises of every link.
#include <cstdio>
#include <ctime>
#include <thread>

#include <picklock/lock.hpp>
#include <picklock/redis_loop.hpp>

#include "tests/lockclient_asio/one_server.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock::replies;
using picklock::Link;
using picklock::Reply;
using picklock::test::shared_server;

namespace {

Link::Ticket send(Link& link, std::initializer_list<std::string_view> words) {
  return link.send({words.begin(), words.size()});
}

Reply await(Link& link, Link::Ticket ticket) {
  while (true) {
    if (auto reply = link.reply(ticket)) return *std::move(reply);
    if (link.is_lost(ticket) || !link.run_one()) throw std::runtime_error("there is no reply");
  }
}

Reply call(Link& link, std::initializer_list<std::string_view> words) {
  return await(link, send(link, words));
}

struct CountingListener final : Link::Listener {
  void on_event() override { ++events; }
  int events = 0;
};

}  // namespace

TEST_CASE("requests are answered in their order, whatever bytes they hold and however many") {
  picklock::RedisLoop loop;
  auto link = loop.connect(shared_server().endpoint());
  const std::string large(3'000'000, '\0');
  const auto set = send(*link, {"SET", "large", large});
  std::vector<Link::Ticket> tickets;
  for (int i = 0; i < 10'000; ++i) tickets.push_back(send(*link, {"INCR", "n"}));
  const auto get = send(*link, {"GET", "large"});
  CHECK(await(*link, get) == large);
  CHECK(await(*link, set) == status("OK"));
  for (int i = 0; i < 10'000; ++i) {
    if (link->reply(tickets[static_cast<std::size_t>(i)]) != Reply::make_integer(i + 1))
      FAIL("reply " << i << " is another's");
  }
  CHECK_FALSE(link->reply(tickets[0]));  // It was taken.
  CHECK(link->connections() == 1);
}

TEST_CASE("a request without a word is refused, and the next one has its own reply") {
  picklock::RedisLoop loop;
  auto link = loop.connect(shared_server().endpoint());
  CHECK_THROWS_AS(send(*link, {}), std::invalid_argument);
  CHECK(call(*link, {"PING"}) == status("PONG"));
}

TEST_CASE("a subscription's first confirmation is its reply, the others are messages") {
  auto& server = shared_server();
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  const auto both = send(*link, {"SUBSCRIBE", "a", "b"});
  const auto third = send(*link, {"subscribe", "c"});
  const auto ping = send(*link, {"PING"});
  CHECK(await(*link, ping) == status("PONG"));
  CHECK(await(*link, both)[1] == "a");
  CHECK(await(*link, third)[1] == "c");
  auto message = link->message();
  REQUIRE(message);
  CHECK((*message)[1] == "b");
  CHECK_FALSE(link->message());

  server.ask({"PUBLISH", "b", "text"});
  CHECK(call(*link, {"ECHO", "x"}) == "x");
  message = link->message();
  REQUIRE(message);
  CHECK((*message)[2] == "text");
  CHECK(call(*link, {"UNSUBSCRIBE", "a"})[1] == "a");
  CHECK(call(*link, {"UNSUBSCRIBE"}).size() == 3);
  CHECK(call(*link, {"SUBSCRIBE"}).is_error());
  CHECK(call(*link, {"PING"}) == status("PONG"));
}

TEST_CASE("what a broken connection leaves unanswered is lost, and the next request is answered") {
  auto& server = shared_server();
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  CountingListener listener;
  link->listen(&listener);
  const auto before = send(*link, {"SET", "k", "1"});
  CHECK(await(*link, before) == status("OK"));
  const auto blocked = send(*link, {"BLPOP", "nothing", "0"});
  const auto behind = send(*link, {"PING"});
  loop.run_for(20ms);
  listener.events = 0;
  server.ask({"CLIENT", "KILL", "TYPE", "normal"});
  while (listener.events == 0) REQUIRE(loop.run_one());
  CHECK(link->is_lost(blocked));
  CHECK(link->is_lost(behind));
  CHECK_FALSE(link->is_lost(before));
  CHECK(link->connections() == 2);
  const auto after = send(*link, {"GET", "k"});
  CHECK_FALSE(link->is_lost(after));
  CHECK(await(*link, after) == "1");
  CHECK(link->connections() == 2);
  link->listen(nullptr);
}

TEST_CASE("a listener is woken at the instant it asked for last, and not before") {
  picklock::RedisLoop loop;
  auto link = loop.connect(shared_server().endpoint());
  CountingListener listener;
  link->listen(&listener);
  const auto began = link->now();
  link->wake_at(began + 10s);
  link->wake_at(began + 50ms);
  while (listener.events == 0) REQUIRE(loop.run_one());
  CHECK(link->now() - began >= 50ms);
  CHECK(link->now() - began < 5s);
  const auto put_off = link->now();
  link->wake_at(put_off + 10ms);
  link->wake_at(put_off + 40ms);
  while (listener.events == 1) REQUIRE(loop.run_one());
  CHECK(link->now() - put_off >= 40ms);
  CHECK(link->now() - put_off < 5s);
  link->wake_at(link->now() + 10ms);
  link->wake_at(picklock::Instant::max());
  loop.run_for(50ms);
  CHECK(listener.events == 2);
  CHECK_FALSE(loop.run_one());  // No connection was opened: nothing can happen any more.
  link->listen(nullptr);
}

TEST_CASE("a wait that looks for news before it sleeps gives that up where none comes") {
  picklock::RedisLoop loop;
  auto link = loop.connect(shared_server().endpoint());
  CountingListener listener;
  link->listen(&listener);
  const auto began = link->now();
  const std::clock_t worked = std::clock();
  for (int waits = 1; waits <= 1000; ++waits) {
    int posted = 0;
    for (int i = 0; i < 3; ++i) loop.post([&] { ++posted; });
    while (posted < 3) REQUIRE(loop.run_one());  // What was there already is no news.
    link->wake_at(link->now() + 150us);
    while (listener.events < waits) REQUIRE(loop.run_one());
  }
  const double took = std::chrono::duration<double>(link->now() - began).count();
  const double share = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC / took;
  std::printf("waits: %.0f %% of their time was work\n", 100 * share);
  CHECK(share < 0.5);  // Three quarters if it always looked.
  link->listen(nullptr);
}

TEST_CASE("a loop runs until it is stopped, and does what other threads post") {
  picklock::RedisLoop loop;
  int done = 0;
  std::thread other{[&] {
    loop.post([&] { ++done; });
    loop.post([&] { loop.stop(); });
  }};
  loop.run();
  other.join();
  CHECK(done == 1);
  loop.stop();
  loop.run();  // Was stopped before it began.
  const auto began = loop.now();
  loop.run_for(30ms);
  CHECK(loop.now() - began >= 30ms);
}

TEST_CASE("a stop that comes while an operation is waited for ends the next run, not the wait") {
  auto& server = shared_server();
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  auto holder_link = loop.connect(server.endpoint());
  picklock::Lock lock{*link, "stopped", {.ttl = 5s}};
  picklock::Lock holder{*holder_link, "stopped", {.ttl = 300ms}};
  const auto held = holder.acquire().get();
  loop.post([&] { loop.stop(); });
  CHECK(lock.acquire_within(5s).get());
  const auto began = loop.now();
  loop.run_for(1s);
  CHECK(loop.now() - began < 500ms);
}

TEST_CASE("a loop whose task has thrown goes on with what is posted next") {
  picklock::RedisLoop loop;
  loop.post([] { throw std::runtime_error("a task's own"); });
  CHECK_THROWS_AS(loop.run(), std::runtime_error);
  bool done = false;
  loop.post([&] {
    done = true;
    loop.stop();
  });
  loop.run();
  CHECK(done);
}

TEST_CASE("a limit of centuries is no limit") {
  auto endpoint = shared_server().endpoint();
  endpoint.connect_within = endpoint.answer_within = picklock::Duration::max();
  picklock::RedisLoop loop;
  auto link = loop.connect(endpoint);
  const auto ticket = send(*link, {"PING"});
  while (!link->is_lost(ticket) && !link->reply(ticket))
    REQUIRE(loop.run_one_within(picklock::Duration::max()));
  CHECK_FALSE(link->is_lost(ticket));
}

TEST_CASE("an endpoint that cannot be is refused at once") {
  picklock::RedisLoop loop;
  CHECK_THROWS_AS(loop.connect({.port = 0}), std::invalid_argument);
  CHECK_THROWS_AS(loop.connect({.host = ""}), std::invalid_argument);
  CHECK_THROWS_AS(loop.connect({.unix_socket = std::string(108, 'x')}), std::invalid_argument);
  CHECK_THROWS_AS(loop.connect({.connect_within = 0s}), std::invalid_argument);
  CHECK_THROWS_AS(loop.connect({.answer_within = -1s}), std::invalid_argument);
}

TEST_CASE("a host that does not exist, or does not listen, loses requests in time") {
  picklock::RedisLoop loop;
  const char* const host = GENERATE("no-such-host.invalid", "127.0.0.1", "::1");
  auto link = loop.connect({.host = host, .port = 1, .connect_within = 300ms});
  const auto began = loop.now();
  const auto ticket = send(*link, {"PING"});
  while (!link->is_lost(ticket)) REQUIRE(loop.run_one());
  CHECK(loop.now() - began < 2s);
}
