// Those at the other end who are no replica and no primary, or a bad one.
#include <fstream>
#include <sstream>

#include "tests/replicas/servers.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {
namespace {

const std::string kHistory(40, 'a');

std::string an_rdb() {
  Emulator emulator;
  auto client = emulator.connect();
  client.call("SET", "taken", "over");
  client.call("RPUSH", "list", "a", "b");
  return emulator.save_rdb();
}

std::string whole(const std::string& rdb) {
  return "+FULLRESYNC " + kHistory + " 100\r\n$" + std::to_string(rdb.size()) + "\r\n" + rdb;
}

/// A replica of ours that is told to follow a scripted primary.
struct Victim {
  Victim() {
    client.call({"SET", "mine", "1"});
    client.call({"REPLICAOF", "127.0.0.1", std::to_string(primary.port())});
  }
  /// It still serves, and nothing of it has changed.
  void check_unharmed() {
    CHECK(client.call({"GET", "mine"}) == "1");
    CHECK(info(client, "master_link_status") == "down");
    CHECK(client.call({"REPLICAOF", "NO", "ONE"}).text() == "OK");
    CHECK(client.call({"SET", "mine", "2"}).text() == "OK");
  }

  Scripted primary;
  Ours replica;
  Socket client = replica.socket();
};

}  // namespace

TEST_CASE("a primary that answers PING by nonsense is left") {
  for (const char* nonsense : {"-ERR go away\r\n", "-LOADING not yet\r\n"}) {
    Victim victim;
    const int connection = victim.primary.accept();
    Scripted::hear(connection, "PING");
    Scripted::say(connection, nonsense);
    CHECK(Scripted::was_closed(connection));
    victim.check_unharmed();
  }
}

TEST_CASE("a primary that answers PSYNC by nonsense is left, and asked again") {
  for (const std::string& nonsense :
       {std::string{" \r\n"}, std::string{"+FULLRESYNC\r\n"}, std::string{"+FULLRESYNC x y\r\n"},
        "+FULLRESYNC " + kHistory + " -1\r\n",
        "+FULLRESYNC " + kHistory + " 9223372036854775807\r\n", std::string{"+CONTINUE\r\n"},
        "+CONTINUE " + kHistory + "\r\n", std::string{"+CONTINUE x\r\n"}, std::string{"+OK\r\n"},
        std::string{":1\r\n"}, std::string{"HTTP/1.1 400 Bad Request\r\n\r\n"},
        std::string{"-NOMASTERLINK no\r\n"}, std::string(70'000, 'x'),
        "+FULLRESYNC " + kHistory + " 1\r\n$-5\r\n", "+FULLRESYNC " + kHistory + " 1\r\n$x\r\n",
        "+FULLRESYNC " + kHistory + " 1\r\n-ERR no memory\r\n",
        "+FULLRESYNC " + kHistory + " 1\r\n$EOF:short\r\n",
        "+FULLRESYNC " + kHistory + " 1\r\n$4\r\nNOPE"}) {
    Victim victim;
    int connection = -1;
    victim.primary.greet(connection);
    Scripted::say(connection, nonsense);
    INFO(nonsense.substr(0, 80));
    CHECK(Scripted::was_closed(connection));
    victim.check_unharmed();
  }
}

TEST_CASE("data that are cut off or damaged change nothing") {
  const std::string rdb = an_rdb();
  for (std::size_t size : {std::size_t{0}, std::size_t{5}, rdb.size() / 2, rdb.size() - 1}) {
    Victim victim;
    int connection = -1;
    victim.primary.greet(connection);
    Scripted::say(connection, whole(rdb).substr(0, whole(rdb).size() - rdb.size() + size));
    ::shutdown(connection, SHUT_WR);
    CHECK(Scripted::was_closed(connection));
    victim.check_unharmed();
  }
  for (std::size_t at = 0; at < rdb.size(); at += 7) {
    Victim victim;
    int connection = -1;
    victim.primary.greet(connection);
    std::string damaged = rdb;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    Scripted::say(connection, whole(damaged));
    CHECK(Scripted::was_closed(connection));
    victim.check_unharmed();
  }
}

TEST_CASE("a primary that breaks its stream off has given what came before") {
  for (const std::string& nonsense :
       {std::string{"SET k inline\r\n"}, std::string{"\r\n"}, std::string{"*1\r\n$x\r\n"},
        std::string{"*99999999999\r\n"}, std::string{"+OK\r\n"}}) {
    Victim victim;
    int connection = -1;
    victim.primary.greet(connection);
    Scripted::say(connection, whole(an_rdb()));
    Scripted::hear(connection, "ACK");
    Scripted::say(connection, request({"SET", "streamed", "1"}) + request({"MULTI"}) +
                                  request({"SET", "half", "1"}) + nonsense);
    CHECK(Scripted::was_closed(connection));
    CHECK(victim.client.call({"GET", "taken"}) == "over");
    CHECK(victim.client.call({"GET", "streamed"}) == "1");
    CHECK(victim.client.call({"GET", "half"}).is_null());
    if (!nonsense.starts_with("SET")) continue;
    // What it has, it names; half a transaction does not count.
    const std::string asked = victim.primary.greet(connection);
    const auto after = 101 + request({"SET", "streamed", "1"}).size();
    CHECK(asked.find(kHistory) != std::string::npos);
    CHECK(asked.find("\r\n" + std::to_string(after) + "\r\n") != std::string::npos);
    ::close(connection);
  }
}

TEST_CASE("commands that are no effects do nothing to a replica") {
  Victim victim;
  int connection = -1;
  victim.primary.greet(connection);
  Scripted::say(connection, whole(an_rdb()));
  Scripted::hear(connection, "ACK");
  std::string stream;
  for (const auto& words : std::initializer_list<std::initializer_list<std::string_view>>{
           {"SUBSCRIBE", "c"},
           {"MONITOR"},
           {"QUIT"},
           {"SHUTDOWN"},
           {"PSYNC", "?", "-1"},
           {"SYNC"},
           {"REPLICAOF", "NO", "ONE"},
           {"BLPOP", "none", "0"},
           {"XREAD", "BLOCK", "0", "STREAMS", "s", "$"},
           {"CLIENT", "PAUSE", "100000"},
           {"DEBUG", "SLEEP", "100"},
           {"PICKLOCK", "RESET"},
           {"NOSUCH"},
           {"GET"},
           {"EXEC"},
           {"DISCARD"},
           {"WATCH", "k"},
           {"WAIT", "1", "0"},
           {"RESET"},
           {"HELLO", "3"},
           {"AUTH", "x"},
           {"REPLCONF", "x"},
           {"REPLCONF", "ACK", "-1"},
           {"FAILOVER"},
           {"BRPOPLPUSH", "none", "other", "0"},
           {"SELECT", "99999"},
           {"CONFIG", "SET", "maxclients", "1"}})
    stream += request(words);
  Scripted::say(connection,
                stream + request({"SET", "end", "1"}) + request({"REPLCONF", "GETACK", "*"}));
  const std::string expected =
      "\r\n" + std::to_string(100 + stream.size() + request({"SET", "end", "1"}).size());
  Scripted::hear(connection, expected);
  CHECK(victim.client.call({"GET", "end"}) == "1");
  CHECK(info(victim.client, "role") == "slave");
  CHECK(info(victim.client, "master_link_status") == "up");
  ::close(connection);
}

TEST_CASE("a primary that never answers is given up after repl-timeout") {
  Victim victim;
  victim.client.call({"CONFIG", "SET", "repl-timeout", "1"});
  const int first = victim.primary.accept();
  CHECK(Scripted::was_closed(first));
  const int second = victim.primary.accept();
  ::close(second);
  victim.check_unharmed();
}

TEST_CASE("hosts that are none do no harm") {
  Ours replica;
  Socket client = replica.socket();
  for (const char* host :
       {"no.such.host.invalid", "", "999.1.1.1", "127.0.0.1", "::1", "localhost"}) {
    client.call({"REPLICAOF", host, "1"});
    CHECK(info(client, "master_link_status") == "down");
    CHECK(info(client, "master_host") == host);
  }
  client.call({"REPLICAOF", "127.0.0.1", "0"});
  CHECK(client.call({"PING"}).text() == "PONG");
}

TEST_CASE("a server that follows itself, or its own replica, waits for ever and serves") {
  Ours one;
  Ours two;
  Socket first = one.socket();
  Socket second = two.socket();
  first.call({"SET", "k", "1"});
  first.call({"REPLICAOF", "127.0.0.1", std::to_string(one.port())});
  second.call({"REPLICAOF", "127.0.0.1", std::to_string(one.port())});
  const auto refused = [&] {
    return std::string{first.call({"INFO", "errorstats"}).text()}.find("NOMASTERLINK") !=
           std::string::npos;
  };
  await("it refuses itself", refused);
  first.call({"REPLICAOF", "127.0.0.1", std::to_string(two.port())});
  first.call({"CONFIG", "RESETSTAT"});
  await("two that follow each other refuse each other", refused);
  CHECK(info(first, "master_link_status") == "down");
  CHECK(first.call({"GET", "k"}) == "1");
  first.call({"REPLICAOF", "NO", "ONE"});
  await_link(second);
  CHECK(second.call({"GET", "k"}) == "1");
}

TEST_CASE("SYNC, PSYNC and REPLCONF answer nonsense as a real server does") {
  Ours ours;
  Theirs theirs{{"repl-diskless-sync-delay", "0"}};
  for (const std::vector<std::string>& words : std::initializer_list<std::vector<std::string>>{
           {"PSYNC"},
           {"PSYNC", "?"},
           {"PSYNC", "?", "x"},
           {"PSYNC", "", "1.5"},
           {"SYNC", "x"},
           {"PSYNC", "?", "-1", "FAILOVER"},
           {"REPLCONF", "x"},
           {"REPLCONF", "x", "y"},
           {"REPLCONF", "listening-port", "x"},
           {"REPLCONF", "listening-port", "99999999999999999999"},
           {"REPLCONF", "ip-address", std::string(255, 'x')},
           {"REPLCONF", "ip-address", std::string(256, 'x')},
           {"REPLCONF", "capa", "nonsense", "capa", "eof"},
           {"REPLCONF", "rdb-only", "7"},
           {"REPLCONF", "rdb-filter-only", "keys"},
           {"REPLCONF", "rdb-filter-only", "functions"},
           {"REPLCONF", "rdb-filter-only", "'"},
           {"REPLCONF"}}) {
    Socket one = ours.socket();
    Socket other = theirs.socket();
    std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words)
      bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    one.send(bytes);
    other.send(bytes);
    INFO(words.back());
    CHECK(one.reply() == other.reply());
  }
  for (const std::string& before :
       {request({"PING"}), request({"REPLCONF", "rdb-filter-only", "functions"})}) {
    Socket one = ours.socket();
    Socket other = theirs.socket();
    // In one go, so that the first reply is still to be sent.
    one.send(before + request({"SYNC"}));
    other.send(before + request({"SYNC"}));
    CHECK(one.reply() == other.reply());
    const Reply refused = one.reply();
    CHECK(refused == other.reply());
    CHECK(refused == replies::error("ERR SYNC and PSYNC are invalid with pending output"));
  }
}

TEST_CASE("a replica that asks something is cut off, as a real primary does it") {
  Ours primary;
  for (const auto& words :
       std::initializer_list<std::initializer_list<std::string_view>>{{"PING"},
                                                                      {"GET", "k"},
                                                                      {"SET", "k", "v"},
                                                                      {"NOSUCH"},
                                                                      {"SUBSCRIBE", "c"},
                                                                      {"MULTI"},
                                                                      {"WAIT", "9", "0"}}) {
    const int connection = [&] {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(primary.port());
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      REQUIRE(::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
              0);
      return descriptor;
    }();
    Scripted::say(connection, request({"PSYNC", "?", "-1"}));
    Scripted::hear(connection, "REDIS0010");
    Scripted::say(connection, request({"REPLCONF", "ACK", "9223372036854775807"}) +
                                  request({"REPLCONF", "ACK", "x"}) +
                                  request({"REPLCONF", "GETACK", "*"}) + request({"SYNC"}) +
                                  request({"PSYNC", "?", "-1"}) + request(words));
    CHECK(Scripted::was_closed(connection));
  }
  Socket client = primary.socket();
  await("none is left", [&] { return info(client, "connected_slaves") == "0"; });
  CHECK(client.call({"GET", "k"}).is_null());
}

}  // namespace picklock::test
