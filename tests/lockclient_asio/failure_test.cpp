// What real servers do to their clients: they close, restart, refuse, go silent.
#include <picklock/lock.hpp>
#include <picklock/redis_loop.hpp>

#include "tests/lockclient_asio/one_server.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using picklock::Endpoint;
using picklock::Lock;
using picklock::LockError;
using picklock::LockOptions;
using picklock::NodeError;
using picklock::Released;
using picklock::test::OneServer;
using picklock::test::shared_server;

namespace {

using Kind = NodeError::Kind;

/// The error of an acquisition at `endpoint` that must fail at its one node.
NodeError node_error(const Endpoint& endpoint,
                     LockOptions options = {.ttl = 5s, .give_up_after = 300ms},
                     picklock::Duration limit = 300ms) {
  picklock::RedisLoop loop;
  auto link = loop.connect(endpoint);
  Lock lock{*link, "ledger", options};
  const auto outcome = lock.acquire_within(limit).get();
  REQUIRE_FALSE(outcome);
  UNSCOPED_INFO(outcome.error());
  REQUIRE(outcome.error().nodes.size() == 1);
  return outcome.error().nodes[0];
}

/// Waits until the server answers a plain question with an error.
bool refuses_soon(OneServer& server) {
  for (int i = 0; i < 10'000; ++i) {
    if (server.ask({"GET", "x"}).is_error()) return true;
  }
  return false;
}

NodeError node_error(OneServer& server) { return node_error(server.endpoint()); }

}  // namespace

TEST_CASE("a killed connection is replaced, and the hold goes on") {
  auto& server = shared_server();
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  Lock lock{*link, "ledger", {.ttl = 600ms, .renew = true}};
  auto held = lock.acquire().get();
  REQUIRE(held);
  CHECK(link->connections() == 1);
  server.ask({"CLIENT", "KILL", "TYPE", "normal"});
  loop.run_for(1300ms);
  CHECK(link->connections() == 2);
  CHECK(held->is_held());
  server.ask({"CLIENT", "KILL", "TYPE", "normal"});
  CHECK(held->release().get() == Released::released);
  CHECK(server.ask({"EXISTS", "ledger"}) == 0);
}

TEST_CASE("a waiter whose subscription's connection is killed still hears the release") {
  auto& server = shared_server();
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  auto other_link = loop.connect(server.endpoint());
  // With a ttl of 20 s only an announcement wakes the waiter within this test.
  Lock lock{*link, "ledger", {.ttl = 20s}};
  Lock other{*other_link, "ledger", {.ttl = 20s}};
  auto held = lock.acquire().get();
  auto waiting = other.acquire_within(10s);
  loop.run_for(50ms);
  server.ask({"CLIENT", "KILL", "TYPE", "pubsub"});
  loop.run_for(100ms);
  CHECK(other_link->connections() == 2);
  const auto released_at = loop.now();
  CHECK(held->release().get() == Released::released);
  CHECK(waiting.get());
  CHECK(loop.now() - released_at < 1s);
}

TEST_CASE("after a restart of the server the lock is lost, and its script is sent anew") {
  OneServer server;
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  Lock lock{*link, "ledger", {.ttl = 600ms, .renew = true}};
  auto held = lock.acquire().get();
  REQUIRE(held);
  std::optional<picklock::Loss> loss;
  held->on_lost([&](picklock::Loss why) { loss = why; });
  server.redis.kill();
  server.redis.start_again();
  while (!loss) REQUIRE(loop.run_one_within(2s));
  CHECK(*loss == picklock::Loss::not_owner);
  CHECK(lock.acquire().get());
  server.ask({"SCRIPT", "FLUSH"});
  CHECK(lock.acquire_within(2s).get());
}

TEST_CASE("while the server is down requests fail in time, without a storm of connections") {
  OneServer server;
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  Lock lock{*link, "ledger", {.ttl = 300ms, .give_up_after = 1s}};
  CHECK(lock.acquire().get().value().release().get() == Released::released);
  server.redis.kill();
  const auto began = loop.now();
  const auto outcome = lock.acquire_within(1s).get();
  const auto took = loop.now() - began;
  REQUIRE_FALSE(outcome);
  INFO(outcome.error());
  CHECK(outcome.error().code == LockError::Code::timed_out);
  CHECK(took >= 900ms);
  CHECK(took < 2s);
  CHECK(link->connections() > 2);
  CHECK(link->connections() < 15);
  server.redis.start_again();
  CHECK(lock.acquire_within(5s).get());
}

TEST_CASE("a server that wants a password gets it with the greeting") {
  OneServer server;
  server.ask({"CONFIG", "SET", "requirepass", "top secret"});
  CHECK(node_error(server).kind == Kind::no_access);
  Endpoint wrong = server.endpoint();
  wrong.password = "guess";
  CHECK(node_error(wrong).kind == Kind::no_access);
  CHECK(node_error(wrong).text.starts_with("WRONGPASS"));
  Endpoint right = server.endpoint();
  right.password = "top secret";
  right.client_name = "till";
  right.database = 3;
  picklock::RedisLoop loop;
  auto link = loop.connect(right);
  Lock lock{*link, "ledger", {.ttl = 5s}};
  auto held = lock.acquire().get();
  INFO((held ? LockError{} : held.error()));
  REQUIRE(held);
  picklock::test::RawClient control{server.redis.socket_path()};
  control.call({"AUTH", "top secret"});
  CHECK(control.call({"EXISTS", "ledger"}) == 0);
  control.call({"SELECT", "3"});
  CHECK(control.call({"EXISTS", "ledger"}) == 1);
  CHECK(control.call({"CLIENT", "LIST"}).text().find("name=till") != std::string::npos);
}

TEST_CASE("an ACL user that may not run scripts is refused with a typed error") {
  auto& server = shared_server();
  server.ask({"ACL", "SETUSER", "ann", "on", ">pw", "~*", "&*", "+@all", "-@scripting"});
  Endpoint ann = server.endpoint();
  ann.user = "ann";
  ann.password = "pw";
  const NodeError error = node_error(ann);
  CHECK(error.kind == Kind::no_access);
  CHECK(error.text.starts_with("NOPERM"));
  server.ask({"ACL", "DELUSER", "ann"});
}

TEST_CASE("a database that does not exist is refused, not replaced by database 0") {
  auto& server = shared_server();
  Endpoint endpoint = server.endpoint();
  endpoint.database = 16;
  CHECK(node_error(endpoint).text == "ERR DB index is out of range");
  CHECK(server.ask({"DBSIZE"}) == 0);
}

TEST_CASE("errors of the server have types") {
  auto& server = shared_server();
  server.ask({"RPUSH", "ledger", "x"});
  CHECK(node_error(server).kind == Kind::wrong_type);
  server.ask({"DEL", "ledger"});

  server.ask({"CONFIG", "SET", "maxmemory", "1"});
  CHECK(node_error(server).kind == Kind::out_of_memory);
  server.ask({"CONFIG", "SET", "maxmemory", "0"});

  server.ask({"CONFIG", "SET", "min-replicas-to-write", "1"});
  CHECK(node_error(server).kind == Kind::not_writable);
  server.ask({"CONFIG", "SET", "min-replicas-to-write", "0"});
  CHECK(server.ask({"DBSIZE"}) == 0);
}

TEST_CASE("a replica, a cluster node without the slot and a full server are told apart") {
  auto& server = shared_server();
  OneServer replica;
  server.redis.listen_tcp();
  const std::string port = server.ask({"CONFIG", "GET", "port"})[1].text();
  replica.ask({"REPLICAOF", "127.0.0.1", port});
  CHECK(node_error(replica).kind == Kind::read_only);

  OneServer cluster{{"cluster-enabled", "yes"}};
  cluster.ask({"CLUSTER", "DELSLOTSRANGE", "0", "16383"});
  CHECK(node_error(cluster).kind == Kind::cluster_state);

  picklock::test::RawClient only{server.redis.socket_path()};
  only.call({"CONFIG", "SET", "maxclients", "1"});
  const NodeError full = node_error(server);
  only.call({"CONFIG", "SET", "maxclients", "10000"});
  CHECK(full.text == "ERR max number of clients reached");
}

TEST_CASE("replicas that confirm an acquisition are waited for, and missing ones fail it") {
  OneServer primary;
  OneServer replica;
  const LockOptions options{.ttl = 5s, .replicas = 1, .replicas_within = 200ms};
  picklock::RedisLoop loop;
  auto link = loop.connect(primary.endpoint());
  Lock lock{*link, "ledger", options};
  const auto alone = lock.try_acquire().get();
  REQUIRE_FALSE(alone);
  INFO(alone.error());
  loop.run_for(100ms);
  CHECK(primary.ask({"EXISTS", "ledger"}) == 0);

  const std::string port = std::to_string(primary.redis.listen_tcp());
  primary.ask({"CONFIG", "SET", "repl-diskless-sync-delay", "0"});
  replica.ask({"REPLICAOF", "127.0.0.1", port});
  // Until the first synchronisation is over; each WAIT of the server is a tenth of a second.
  picklock::test::RawClient writer{primary.redis.socket_path()};
  for (int i = 0; i < 300; ++i) {
    writer.call({"INCR", "n"});
    if (writer.call({"WAIT", "1", "100"}) == 1) break;
  }
  auto held = Lock{*link, "ledger", {.ttl = 5s, .replicas = 1, .replicas_within = 2s}}
                  .acquire_within(5s)
                  .get();
  INFO((held ? LockError{} : held.error()));
  REQUIRE(held);
  CHECK(replica.ask({"GET", "ledger"}) == held->owner());
  CHECK(held->release().get() == Released::released);
}

TEST_CASE("a connection that breaks says why") {
  OneServer server;
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  Lock lock{*link, "ledger", {.ttl = 5s, .give_up_after = 300ms}};
  CHECK(lock.acquire().get().value().release().get() == Released::released);
  server.redis.kill();
  const auto outcome = lock.try_acquire().get();
  REQUIRE_FALSE(outcome);
  INFO(outcome.error());
  CHECK(outcome.error().nodes.at(0).kind == Kind::closed);
  CHECK(outcome.error().nodes.at(0).text ==
        server.endpoint().unix_socket + ": connecting: Connection refused");
}

TEST_CASE("a hold that goes with its link is given back, whatever the server knows of scripts") {
  auto& server = shared_server();
  server.ask({"SCRIPT", "FLUSH"});
  picklock::RedisLoop loop;
  auto other_link = loop.connect(server.endpoint());
  Lock other{*other_link, "ledger", {.ttl = 20s}};
  {
    auto link = loop.connect(server.endpoint());
    auto held = Lock{*link, "ledger", {.ttl = 20s}}.acquire().get();
    REQUIRE(held);
  }
  CHECK(other.acquire_within(2s).get());
}

TEST_CASE("a server that is kept busy by a script is said to be, and passes") {
  OneServer server{{"busy-reply-threshold", "1"}};
  picklock::test::RawClient busy{server.redis.socket_path()};
  busy.send("*3\r\n$4\r\nEVAL\r\n$18\r\nwhile true do end \r\n$1\r\n0\r\n");
  REQUIRE(refuses_soon(server));
  const NodeError error = node_error(server);
  CHECK(error.kind == Kind::busy_script);
  CHECK(error.is_passing());
  CHECK(error.to_string().find("SCRIPT KILL") != std::string::npos);
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  auto waiting = Lock{*link, "ledger", {.ttl = 5s}}.acquire_within(5s);
  loop.run_for(100ms);
  CHECK(server.ask({"SCRIPT", "KILL"}) == picklock::replies::status("OK"));
  CHECK(waiting.get());
}

TEST_CASE("a server that loads its data is said to, and passes") {
  OneServer server;
  server.ask({"CONFIG", "SET", "key-load-delay", "1000"});
  server.ask({"CONFIG", "SET", "loading-process-events-interval-bytes", "1024"});
  server.ask({"DEBUG", "POPULATE", "10000", "key", "100"});
  picklock::test::RawClient reloading{server.redis.socket_path()};
  reloading.send("*2\r\n$5\r\nDEBUG\r\n$6\r\nRELOAD\r\n");
  REQUIRE(refuses_soon(server));
  const NodeError error = node_error(server.endpoint(), {.ttl = 5s}, 2s);
  CHECK(error.kind == Kind::loading);
  CHECK(error.is_passing());
  picklock::RedisLoop loop;
  auto link = loop.connect(server.endpoint());
  auto waiting = Lock{*link, "ledger", {.ttl = 5s}}.acquire_within(20s);
  loop.run_for(50ms);
  server.ask({"CONFIG", "SET", "key-load-delay", "0"});
  CHECK(waiting.get());
}

TEST_CASE("a slot that another node of the cluster serves is an error that says where to go") {
  OneServer here{{"cluster-enabled", "yes"}};
  OneServer there{{"cluster-enabled", "yes"}};
  const std::string other_id = there.ask({"CLUSTER", "MYID"}).text();
  there.ask({"CLUSTER", "RESET"});
  here.redis.listen_tcp();
  const std::string port = std::to_string(there.redis.listen_tcp());
  const std::string bus = there.ask({"CONFIG", "GET", "cluster-port"})[1].text();
  here.ask({"CLUSTER", "MEET", "127.0.0.1", port, bus});
  const std::string slot = std::to_string(here.ask({"CLUSTER", "KEYSLOT", "ledger"}).integer());
  for (int i = 0; i < 300; ++i) {
    if (!here.ask({"CLUSTER", "SETSLOT", slot, "NODE", other_id}).is_error()) break;
    here.redis.pass(10ms);
  }
  const NodeError error = node_error(here);
  CHECK(error.kind == Kind::moved);
  CHECK(error.text.starts_with("MOVED " + slot + " 127.0.0.1:"));
  CHECK_FALSE(error.is_passing());
}
