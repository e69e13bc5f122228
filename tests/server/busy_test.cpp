// A script that runs on and on: what other clients get meanwhile, and how its own may vanish.
#include "tests/server/busy.hpp"

#include <string>
#include <vector>

#include "emulator/engine/engine.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using picklock::test::await;
using picklock::test::kKilled;
using picklock::test::request;
using picklock::test::Socket;

namespace {

struct Fixture : picklock::test::BusyServer {
  /// A client whose script is known to be slow by now.
  Socket with_script(std::string_view script, std::string_view before = "",
                     std::string_view after = "") const {
    Socket client = connect();
    client.send(std::string{before} + request({"EVAL", script, "0"}) + std::string{after});
    await_script();
    return client;
  }
};

constexpr auto kForEver = "while true do end";

}  // namespace

TEST_CASE("while a script runs on, others are told so and may kill it") {
  Fixture f;
  Socket looping = f.with_script(kForEver);
  Socket other = f.connect();
  CHECK(other.call({"PING"}) ==
        error("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN "
              "NOSAVE."));
  CHECK(other.call({"MULTI"}) == status("OK"));
  CHECK(other.call({"DISCARD"}) == status("OK"));
  CHECK(!other.call({"HELLO", "3"}).is_error());
  CHECK(other.call({"FUNCTION", "KILL"}).text().starts_with("BUSY "));
  CHECK(other.call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
  CHECK(other.call({"PING"}) == status("PONG"));
  CHECK(other.call({"SCRIPT", "KILL"}) == error("NOTBUSY No scripts in execution right now."));
}

TEST_CASE("while a script runs on, what a client's own state refuses is refused as ever") {
  Fixture f;
  Socket queueing = f.connect();
  CHECK(queueing.call({"MULTI"}) == status("OK"));
  Socket subscriber = f.connect();
  subscriber.call({"SUBSCRIBE", "a"});
  Socket looping = f.with_script(kForEver);
  Socket other = f.connect();
  CHECK(queueing.call({"SYNC"}) == error("ERR Command not allowed inside a transaction"));
  CHECK(queueing.call({"SAVE"}) == error("ERR Command not allowed inside a transaction"));
  CHECK(subscriber.call({"GET", "a"}).text().starts_with("ERR Can't execute 'get': only "));
  CHECK(subscriber.call({"PING"}).text().starts_with("BUSY "));
  CHECK(other.call({"FUNCTION", "STATS"}).text().starts_with("BUSY "));
  CHECK(other.call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
}

TEST_CASE("while a script runs on, what the server's state refuses is refused for that") {
  Fixture f;
  Socket other = f.connect();
  CHECK(other.call({"CONFIG", "SET", "min-replicas-to-write", "1"}) == status("OK"));
  Socket looping = f.with_script(kForEver);
  CHECK(other.call({"SET", "k", "v"}) == error("NOREPLICAS Not enough good replicas to write."));
  CHECK(other.call({"GET", "k"}).text().starts_with("BUSY "));
  CHECK(other.call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
}

TEST_CASE("SHUTDOWN waits for no script, so it must be NOSAVE while one runs on") {
  Fixture f;
  bool ends = false;
  f.redis.engine().on_shutdown = [&ends] { ends = true; };
  Socket looping = f.with_script(kForEver);
  Socket other = f.connect();
  const auto busy = error(
      "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.");
  CHECK(other.call({"SHUTDOWN"}) == busy);
  CHECK(other.call({"SHUTDOWN", "SAVE"}) == busy);
  CHECK(other.call({"SHUTDOWN", "ABORT"}) == error("ERR No shutdown in progress."));
  CHECK(other.call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
  CHECK_FALSE(ends);
}

TEST_CASE("a function that runs on is killed as a function") {
  Fixture f;
  Socket other = f.connect();
  CHECK(other.call({"FUNCTION", "LOAD",
                    "#!lua name=lib\nredis.register_function('spin', function() while true do end "
                    "end)"}) == "lib");
  Socket looping = f.connect();
  looping.send(request({"FCALL", "spin", "0"}));
  await("BUSY", [&] { return other.call({"PING"}).text().starts_with("BUSY "); });
  CHECK(other.call({"SCRIPT", "KILL"}) ==
        error("BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN "
              "NOSAVE."));
  CHECK(other.call({"FUNCTION", "KILL"}) == status("OK"));
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
}

TEST_CASE("a loop inside pcall is killed too") {
  Fixture f;
  Socket looping = f.with_script("while true do pcall(function() while true do end end) end");
  CHECK(f.connect().call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
}

TEST_CASE("a script whose writes were refused can be killed") {
  Fixture f;
  Socket looping = f.connect();
  looping.send(request({"EVAL_RO", "redis.pcall('set', 'k', 'v') while true do end", "0"}));
  Socket other = f.connect();
  await("BUSY", [&] { return other.call({"PING"}).text().starts_with("BUSY "); });
  CHECK(other.call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
}

TEST_CASE("who waits is served when a script is over, whoever is answered while it runs") {
  Fixture f;
  Socket waits = f.connect();
  waits.send(request({"BLPOP", "list", "0"}));
  Socket looping = f.connect();
  Socket other = f.connect();
  await("a waiter", [&] {
    return other.call({"CLIENT", "LIST"}).text().find("cmd=blpop") != std::string_view::npos;
  });
  CHECK(other.call({"DEBUG", "SET-DISABLE-DENY-SCRIPTS", "1"}) == status("OK"));
  looping.send(request({"EVAL",
                        "redis.call('lpush', 'list', 'first') "
                        "repeat until string.find(redis.call('client', 'list'), 'enough') "
                        "redis.call('lpush', 'list', 'second')",
                        "0"}));
  await("BUSY", [&] { return other.call({"PING"}).text().starts_with("BUSY "); });
  CHECK(other.call({"HELLO", "2", "SETNAME", "enough"}).type() == Reply::Type::array);
  CHECK(waits.reply() == array("list", "second"));
}

TEST_CASE("a script that has written cannot be killed, and the server stops all the same") {
  auto f = std::make_unique<Fixture>();
  Socket looping = f->with_script("redis.call('set', 'k', 'v') while true do end");
  CHECK(
      f->connect().call({"SCRIPT", "KILL"}) ==
      error("UNKILLABLE Sorry the script already executed write commands against the dataset. You "
            "can either wait the script termination or kill the server in a hard way using the "
            "SHUTDOWN NOSAVE command."));
  f.reset();
}

TEST_CASE("the server stops while a killable script runs, and others wait in a pipeline") {
  auto f = std::make_unique<Fixture>();
  Socket looping = f->with_script(kForEver, "", request({"EVAL", kForEver, "0"}));
  f.reset();
}

TEST_CASE("what the script's own client sends meanwhile is answered afterwards, in order") {
  Fixture f;
  Socket looping =
      f.with_script(kForEver, request({"PING", "before"}), request({"PING", "in the pipeline"}));
  looping.send(request({"PING", "later"}));
  Socket other = f.connect();
  CHECK(other.call({"PING"}).text().starts_with("BUSY "));
  CHECK(other.call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK(looping.reply() == "before");
  CHECK(looping.reply().is_error());
  CHECK(looping.reply() == "in the pipeline");
  CHECK(looping.reply() == "later");
}

TEST_CASE("a client that vanishes while its script runs harms nobody") {
  const bool politely = GENERATE(true, false);
  Fixture f;
  Socket other = f.connect();
  {
    Socket looping = f.with_script(kForEver);
    politely ? looping.finish_sending() : looping.reset();
    CHECK(other.call({"PING"}).text().starts_with("BUSY "));
    CHECK(other.call({"SCRIPT", "KILL"}) == status("OK"));
  }
  await("its end", [&] { return f.server.connections() <= 1; });
  CHECK(other.call({"PING"}) == status("PONG"));
}

TEST_CASE("other clients may come and go while a script runs") {
  Fixture f;
  Socket looping = f.with_script(kForEver);
  for (int i = 0; i < 20; ++i) {
    Socket other = f.connect();
    other.send(request({"PING"}));
    if (i % 2 == 0) other.reset();
  }
  CHECK(f.connect().call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
}

TEST_CASE("who asks in the same moment as a script that runs on is told so, too") {
  Fixture f;
  Socket busy = f.connect();
  CHECK(busy.call({"SETRANGE", "large", std::to_string(64 << 20), "x"}) == (64 << 20) + 1);
  Socket looping = f.connect();
  std::vector<Socket> others;
  for (int i = 0; i < 20; ++i) others.push_back(f.connect());
  CHECK(looping.call({"PING"}) == status("PONG"));
  for (Socket& other : others) CHECK(other.call({"PING"}) == status("PONG"));
  busy.send(request({"BITCOUNT", "large"}));  // Takes a while, in which the others come.
  looping.send(request({"EVAL", kForEver, "0"}));
  for (Socket& other : others) other.send(request({"PING"}));
  for (Socket& other : others) CHECK(other.reply().text().starts_with("BUSY "));
  CHECK(others.front().call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK(busy.reply() == 4);
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
}

// A request that was blocked goes on within another client's turn; its socket is being read by
// then.
TEST_CASE("a script behind a blocking request is let out of its client's reach as well") {
  Fixture f;
  Socket blocked = f.connect();
  blocked.send(request({"BLPOP", "list", "0"}) + request({"EVAL", kForEver, "0"}));
  Socket other = f.connect();
  await("blocked", [&] { return f.redis.blocked_clients() == 1; });
  other.send(request({"RPUSH", "list", "v"}));
  Socket third = f.connect();
  await("BUSY", [&] { return third.call({"PING"}).text().starts_with("BUSY "); });
  blocked.send(request({"PING", "late"}));
  CHECK(third.call({"PING"}).text().starts_with("BUSY "));
  const bool vanishes = GENERATE(false, true);
  if (vanishes) {
    blocked.finish_sending();
    CHECK(third.call({"PING"}).text().starts_with("BUSY "));
  }
  CHECK(third.call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK(blocked.reply() == array("list", "v"));
  CHECK_THAT(blocked.reply().text(), Catch::Contains(kKilled));
  CHECK(blocked.reply() == "late");
  CHECK(other.reply() == 1);
}

TEST_CASE("neither the clock nor a snapshot is moved under a running script") {
  Fixture f;
  const Snapshot snapshot = f.redis.snapshot();
  Socket looping = f.with_script(kForEver);
  CHECK_THROWS_AS(f.redis.advance(std::chrono::milliseconds{1}), std::logic_error);
  CHECK_THROWS_AS(f.redis.restore(snapshot), std::logic_error);
  CHECK(f.connect().call({"SCRIPT", "KILL"}) == status("OK"));
}

TEST_CASE("no restart while a script runs, and nothing is lost") {
  Fixture f;
  Socket other = f.connect();
  CHECK(other.call({"SET", "lock", "bob"}) == status("OK"));
  Socket looping = f.with_script(kForEver);
  CHECK_THROWS_WITH(f.redis.restart(Restart::loses_all), Catch::Contains("kill the script"));
  CHECK(other.call({"SCRIPT", "KILL"}) == status("OK"));
  CHECK(looping.reply().is_error());
  CHECK(other.call({"GET", "lock"}) == bulk("bob"));
  f.redis.restart(Restart::loses_all);
  CHECK(f.connect().call({"GET", "lock"}).is_null());
}
