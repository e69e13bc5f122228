// The link between a primary and its replica, one of them a real redis-server: what it does when it
// breaks, what each of both says of it, what WAIT hears.
#include "tests/replicas/servers.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {
namespace {

using namespace std::chrono_literals;

std::string stat(Socket& socket, const std::string& name) {
  const std::string text{socket.call({"INFO", "stats"}).text()};
  const auto from = text.find(name + ":") + name.size() + 1;
  return text.substr(from, text.find('\r', from) - from);
}

template <class Primary, class Replica>
void resume_after_a_cut(Primary& primary, Replica& replica) {
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  of_primary.call({"SELECT", "3"});
  of_primary.call({"SET", "before", "1"});
  follow(of_replica, primary.port());
  of_primary.call({"SET", "between", "2"});
  await_equal_offsets(of_primary, of_replica);
  CHECK(of_primary.call({"CLIENT", "KILL", "TYPE", "replica"}) == 1);
  of_primary.call({"SET", "after", "3"});
  await("the replica comes back", [&] { return stat(of_primary, "sync_partial_ok") == "1"; });
  of_primary.call({"SET", "last", "4"});
  await_equal_offsets(of_primary, of_replica);
  CHECK(stat(of_primary, "sync_full") == "1");
  of_replica.call({"SELECT", "3"});
  const Reply found = of_replica.call({"MGET", "before", "between", "after", "last"});
  for (int i = 0; i < 4; ++i) CHECK(found[static_cast<std::size_t>(i)] == std::to_string(i + 1));
}

template <class Primary, class Replica>
void exchange_roles(Primary& first, Replica& second) {
  Socket of_first = first.socket();
  Socket of_second = second.socket();
  of_first.call({"SET", "k", "1"});
  follow(of_second, first.port());
  await_equal_offsets(of_first, of_second);
  of_second.call({"REPLICAOF", "NO", "ONE"});
  of_second.call({"SET", "k", "2"});
  follow(of_first, second.port());
  await_equal_offsets(of_second, of_first);
  CHECK(of_first.call({"GET", "k"}) == "2");
  CHECK(stat(of_second, "sync_full") == "0");
  CHECK(stat(of_second, "sync_partial_ok") == "1");
  CHECK(info(of_second, "master_replid2") != std::string(40, '0'));
}

}  // namespace

TEST_CASE("a real replica that is cut off goes on where it was") {
  Ours primary;
  Theirs replica;
  resume_after_a_cut(primary, replica);
}

TEST_CASE("a replica of ours that is cut off goes on where it was") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  Ours replica;
  resume_after_a_cut(primary, replica);
}

TEST_CASE("a primary of ours that steps down follows its real successor without all the data") {
  Ours first;
  Theirs second;
  exchange_roles(first, second);
}

TEST_CASE("a real primary that steps down follows its successor of ours without all the data") {
  Theirs first{{"repl-diskless-sync-delay", "0"}};
  Ours second;
  exchange_roles(first, second);
}

TEST_CASE("a replica of ours that cuts its primary off goes on where it was") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  Ours replica;
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  CHECK(of_replica.call({"CLIENT", "KILL", "TYPE", "master"}) == 0);
  follow(of_replica, primary.port());
  CHECK(of_replica.call({"CLIENT", "KILL", "TYPE", "master"}) == 1);
  await("it comes back", [&] { return stat(of_primary, "sync_partial_ok") == "1"; });
  CHECK(stat(of_primary, "sync_full") == "1");
}

TEST_CASE("what the backlog no longer has is a full synchronisation") {
  Ours primary;
  Theirs replica;
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  of_primary.call({"CONFIG", "SET", "repl-backlog-size", "16384"});
  follow(of_replica, primary.port());
  of_replica.call({"REPLICAOF", "127.0.0.1", "1"});  // Where nobody listens.
  for (int i = 0; i < 20; ++i)
    of_primary.call({"SET", "k" + std::to_string(i), std::string(1000, 'x')});
  CHECK(info(of_primary, "repl_backlog_histlen") == "16384");
  follow(of_replica, primary.port());
  CHECK(stat(of_primary, "sync_full") == "2");
  CHECK(stat(of_primary, "sync_partial_err") == "2");
  CHECK(of_replica.call({"DBSIZE"}) == 20);
}

TEST_CASE("WAIT hears of a real replica") {
  Ours primary;
  Theirs replica;
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  follow(of_replica, primary.port());
  of_primary.call({"SET", "k", "v"});
  CHECK(of_primary.call({"WAIT", "1", "0"}) == 1);
  CHECK(of_replica.call({"GET", "k"}) == "v");
  of_primary.call({"SET", "k", "w"});
  CHECK(of_primary.call({"WAIT", "2", "50"}) == 1);
  // One that does nothing confirms nothing.
  Socket sleeper = replica.socket();
  sleeper.send(request({"DEBUG", "SLEEP", "0.6"}));
  await("it sleeps", [&] {
    of_primary.call({"SET", "k", "x"});
    return of_primary.call({"WAIT", "1", "50"}) == 0;
  });
  CHECK(of_primary.call({"WAIT", "1", "0"}) == 1);
}

TEST_CASE("what a primary asks for WAIT is nothing that the client has written") {
  const auto check = [](auto& primary, auto& replica) {
    Socket of_primary = primary.socket();
    Socket of_replica = replica.socket();
    follow(of_replica, primary.port());
    of_primary.call({"SET", "k", "v"});
    CHECK(of_primary.call({"WAIT", "1", "0"}) == 1);  // A real one begins within a second.
    of_primary.call({"SET", "k", "w"});
    CHECK(of_primary.call({"WAIT", "2", "500"}) == 1);
    CHECK(of_primary.call({"WAIT", "0", "0"}) == 1);
  };
  Theirs real;
  Ours ours;
  SECTION("a real one") { check(real, ours); }
  SECTION("ours") { check(ours, real); }
}

TEST_CASE("a replica is no client of its primary, a primary is one of its replica") {
  Ours primary;
  Ours replica;
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  follow(of_replica, primary.port());
  const auto clients = [](Socket& socket) {
    const std::string text{socket.call({"INFO", "clients"}).text()};
    return text.substr(0, text.find("cluster_connections"));
  };
  CHECK(clients(of_primary) == "# Clients\r\nconnected_clients:1\r\n");
  CHECK(clients(of_replica) == "# Clients\r\nconnected_clients:2\r\n");
}

TEST_CASE("FAILOVER is refused, whoever follows") {
  Ours primary;
  Theirs replica;
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  follow(of_replica, primary.port());
  CHECK(of_primary.call({"FAILOVER"}) ==
        replies::error("ERR FAILOVER requires connected replicas."));
}

TEST_CASE("a server of ours that is stopped follows nobody, and comes back to its primary") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  SystemClock clock;
  Emulator emulator{{}, clock};
  ServerOptions options;
  options.nodes.push_back({.name = "other", .port = 0});
  const Server server{emulator, options};
  Socket of_primary = primary.socket();
  Socket of_replica = Socket::tcp(server.port());
  Socket other = Socket::tcp(server.port("other"));
  of_primary.call({"SET", "before", "1"});
  follow(of_replica, primary.port());
  CHECK(other.call({"PICKLOCK", "NODE", "STOP", "default"}).text() == "OK");
  await("the link breaks", [&] { return info(of_primary, "connected_slaves") == "0"; });
  of_primary.call({"SET", "meanwhile", "1"});
  CHECK(other.call({"PICKLOCK", "NODE", "START", "default", "KEEP", "NOTHING"}).text() == "OK");
  Socket again = Socket::tcp(server.port());
  await("it is back", [&] { return info(of_primary, "connected_slaves") == "1"; });
  await("it has all", [&] { return again.call({"DBSIZE"}) == 2; });
}

TEST_CASE("WAIT of a real primary hears of a replica of ours, whatever clock that has") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  Emulator emulator;  // Its clock stands still.
  Server server{emulator};
  Socket of_primary = primary.socket();
  Socket of_replica = Socket::tcp(server.port());
  follow(of_replica, primary.port());
  of_primary.call({"SET", "k", "v", "PX", "60000"});
  CHECK(of_primary.call({"WAIT", "1", "0"}) == 1);
  CHECK(of_replica.call({"GET", "k"}) == "v");
}

TEST_CASE("a simulated clock moves for a real replica, too") {
  Emulator emulator;
  Server server{emulator};
  Theirs replica;
  Socket of_primary = Socket::tcp(server.port());
  Socket of_replica = replica.socket();
  follow(of_replica, server.port());
  of_primary.call({"SET", "lock", "alice", "PX", "1500"});
  CHECK(of_primary.call({"WAIT", "1", "0"}) == 1);
  CHECK(of_replica.call({"DBSIZE"}) == 1);
  of_primary.call({"PICKLOCK", "ADVANCE", "1501"});
  await_equal_offsets(of_primary, of_replica);
  CHECK(of_replica.call({"DBSIZE"}) == 0);
  // Nobody was silent while the clock jumped.
  of_primary.call({"PICKLOCK", "ADVANCE", "3600000"});
  CHECK(info(of_primary, "connected_slaves") == "1");
  CHECK(info(of_primary, "slave0").ends_with("lag=0"));
}

TEST_CASE("a replica hides what has expired until its real primary deletes it") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  Ours replica;
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  of_primary.call({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  of_primary.call({"SET", "old", "v", "PX", "1"});
  follow(of_replica, primary.port());  // It comes with the data, expired as it is.
  of_primary.call({"SET", "k", "v", "PX", "1"});
  await_equal_offsets(of_primary, of_replica);
  await("it is gone", [&] { return of_replica.call({"GET", "k"}).is_null(); });
  CHECK(of_replica.call({"GET", "old"}).is_null());
  CHECK(of_replica.call({"DBSIZE"}) == 2);
  of_primary.call({"MGET", "k", "old"});
  await_equal_offsets(of_primary, of_replica);
  CHECK(of_replica.call({"DBSIZE"}) == 0);
}

TEST_CASE("a wrong password keeps a replica of ours away, the right one lets it in") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  Ours replica;
  Socket of_replica = replica.socket();
  Socket of_primary = primary.socket();
  of_primary.call({"CONFIG", "SET", "requirepass", "secret"});
  of_primary.call({"SET", "k", "v"});
  of_replica.call({"CONFIG", "SET", "masterauth", "wrong"});
  of_replica.call({"REPLICAOF", "127.0.0.1", std::to_string(primary.port())});
  await("it is refused", [&] { return stat(of_primary, "total_error_replies") != "0"; });
  CHECK(info(of_replica, "master_link_status") == "down");
  CHECK(of_replica.call({"GET", "k"}).is_null());
  of_replica.call({"CONFIG", "SET", "masterauth", "secret"});
  await_link(of_replica);
  CHECK(of_replica.call({"GET", "k"}) == "v");
}

TEST_CASE("a real replica has to log in") {
  Options options;
  options.password = "secret";
  Ours primary{options};
  Theirs replica;
  Socket of_replica = replica.socket();
  Socket of_primary = primary.socket();
  of_primary.call({"AUTH", "secret"});
  of_primary.call({"ACL", "SETUSER", "copier", "on", ">pass", "+psync", "+replconf", "+ping"});
  of_primary.call({"SET", "k", "v"});
  of_replica.call({"REPLICAOF", "127.0.0.1", std::to_string(primary.port())});
  await("it is refused", [&] { return stat(of_primary, "total_error_replies") != "0"; });
  CHECK(info(of_replica, "master_link_status") == "down");
  of_replica.call({"CONFIG", "SET", "masteruser", "copier", "masterauth", "pass"});
  await_link(of_replica);
  CHECK(of_replica.call({"GET", "k"}) == "v");
}

TEST_CASE("a real primary goes away and comes back") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  Ours replica;
  Socket of_replica = replica.socket();
  Socket of_primary = primary.socket();
  of_primary.call({"SET", "k", "1"});
  follow(of_replica, primary.port());
  primary.redis.kill();
  await_link(of_replica, "down");
  CHECK(of_replica.call({"GET", "k"}) == "1");
  of_replica.call({"CONFIG", "SET", "replica-serve-stale-data", "no"});
  CHECK(of_replica.call({"GET", "k"}).text() ==
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.");
  CHECK(info(of_replica, "master_link_down_since_seconds") != "-1");
  CHECK(of_replica.call({"ROLE"})[4] == -1);
  primary.redis.start_again();
  RawClient{primary.redis.socket_path()}.call({"SET", "k", "2"});
  RawClient{primary.redis.socket_path()}.call(
      {"CONFIG", "SET", "port", std::to_string(primary.port())});
  await_link(of_replica);
  CHECK(of_replica.call({"GET", "k"}) == "2");
  CHECK(of_replica.call({"ROLE"})[3] == "connected");
}

TEST_CASE("a primary of ours goes away and comes back") {
  Theirs replica;  // First, so that it inherits no socket of ours.
  Ours primary;
  Socket of_replica = replica.socket();
  const std::uint16_t port = primary.port();
  primary.emulator.connect().call("SET", "k", "1");
  follow(of_replica, port);
  primary.server.reset();
  await_link(of_replica, "down");
  primary.emulator.connect().call("SET", "k", "2");
  primary.server.emplace(primary.emulator, ServerOptions{.port = port});
  await_link(of_replica);
  CHECK(of_replica.call({"GET", "k"}) == "2");
  Socket of_primary = primary.socket();
  CHECK(stat(of_primary, "sync_full") == "1");
  CHECK(stat(of_primary, "sync_partial_ok") == "1");
}

TEST_CASE("a replica that changes its mind has the data of whom it follows") {
  Theirs one{{"repl-diskless-sync-delay", "0"}};
  Theirs two{{"repl-diskless-sync-delay", "0"}};
  Ours replica;
  one.socket().call({"SET", "k", "one"});
  two.socket().call({"SET", "k", "two"});
  Socket of_replica = replica.socket();
  follow(of_replica, one.port());
  CHECK(of_replica.call({"GET", "k"}) == "one");
  CHECK(of_replica.call({"REPLICAOF", "127.0.0.1", std::to_string(one.port())}).text() ==
        "OK Already connected to specified master");
  follow(of_replica, two.port());
  CHECK(of_replica.call({"GET", "k"}) == "two");
  of_replica.call({"REPLICAOF", "NO", "ONE"});
  Socket of_two = two.socket();
  await("the old primary sees it go", [&] { return info(of_two, "connected_slaves") == "0"; });
  of_two.call({"SET", "k", "three"});
  CHECK(of_replica.call({"SET", "mine", "1"}).text() == "OK");
  CHECK(of_replica.call({"GET", "k"}) == "two");
}

TEST_CASE("a primary that is put back to a snapshot gives its replica everything anew") {
  Ours primary;
  Theirs replica;
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  of_primary.call({"SET", "k", "1"});
  of_primary.call({"PICKLOCK", "SNAPSHOT", "then"});
  follow(of_replica, primary.port());
  of_primary.call({"SET", "k", "2"});
  await_equal_offsets(of_primary, of_replica);
  of_primary.call({"PICKLOCK", "RESTORE", "then"});
  await("it starts anew", [&] { return of_replica.call({"GET", "k"}) == "1"; });
  CHECK(info(of_replica, "master_replid") == info(of_primary, "master_replid"));
  of_primary.call({"SET", "k", "3"});
  CHECK(of_primary.call({"WAIT", "1", "0"}) == 1);
  CHECK(of_replica.call({"GET", "k"}) == "3");
}

TEST_CASE("a replica that is put back to a snapshot takes everything anew") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  Ours replica;
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  of_primary.call({"SET", "k", "1"});
  follow(of_replica, primary.port());
  of_replica.call({"PICKLOCK", "SNAPSHOT", "then"});
  of_primary.call({"SET", "k", "2"});
  await_equal_offsets(of_primary, of_replica);
  of_replica.call({"PICKLOCK", "RESTORE", "then"});
  await_link(of_replica);
  CHECK(of_replica.call({"GET", "k"}) == "2");
  of_replica.call({"PICKLOCK", "RESET"});
  await("it is a primary again", [&] { return info(of_replica, "role") == "master"; });
  CHECK(of_replica.call({"DBSIZE"}) == 0);
  await("its primary sees it go", [&] { return info(of_primary, "connected_slaves") == "0"; });
}

TEST_CASE("each says of the other what a real server would") {
  Ours primary;
  Theirs replica;
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  of_primary.call({"CONFIG", "SET", "min-replicas-to-write", "1"});
  CHECK(of_primary.call({"SET", "k", "v"}).text() ==
        "NOREPLICAS Not enough good replicas to write.");
  follow(of_replica, primary.port());
  await("it has confirmed",
        [&] { return info(of_primary, "slave0").find("state=online") != std::string::npos; });
  CHECK(of_primary.call({"SET", "k", "v"}).text() == "OK");
  CHECK(of_primary.call({"WAIT", "1", "0"}) == 1);
  CHECK(info(of_primary, "min_slaves_good_slaves") == "1");
  const Reply role = of_primary.call({"ROLE"});
  CHECK(role[2][0][0] == "127.0.0.1");
  CHECK(role[2][0][1] == std::to_string(replica.port()));
  const std::string list{of_primary.call({"CLIENT", "LIST", "TYPE", "replica"}).text()};
  CHECK(list.find(" flags=S ") != std::string::npos);
  CHECK(of_primary.call({"CLIENT", "LIST", "TYPE", "normal"}).text().find(" flags=S ") ==
        std::string::npos);
  CHECK(info(of_replica, "master_port") == std::to_string(primary.port()));
  CHECK(info(of_replica, "slave_repl_offset") == info(of_primary, "master_repl_offset"));
}

}  // namespace picklock::test
