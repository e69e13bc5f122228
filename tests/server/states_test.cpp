// PICKLOCK SNAPSHOT, RESTORE, RESET, SET-TIME, SEED and LOAD, and the same from C++.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <picklock/server.hpp>

#include "tests/server/program.hpp"
#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/real_redis.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace std::chrono_literals;
using picklock::test::await;
using picklock::test::Socket;

TEST_CASE("RESTORE goes back to a snapshot, the clock too, and keeps who asks") {
  Emulator redis;
  Client early = redis.connect();
  early.call("SELECT", 2);
  early.call("SET", "k", "old", "PX", 1000);
  CHECK(early.call("PICKLOCK", "SNAPSHOT", "base") == status("OK"));
  early.call("SELECT", 3);
  Client late = redis.connect();
  late.call("SELECT", 2);
  late.call("SET", "k", "new");
  late.call("PICKLOCK", "ADVANCE", 5000);
  const std::uint64_t id = late.id();
  CHECK(late.call("PICKLOCK", "RESTORE", "base") == status("OK"));
  CHECK(late.call("PICKLOCK", "NOW") == to_unix_ms(kDefaultStart));
  CHECK(late.call("GET", "k") == "old");  // It stays where it was, in its database.
  CHECK(late.call("PTTL", "k") == 1000);
  CHECK(early.call("GET", "k") == "old");
  CHECK(redis.connect().id() > id);
}

TEST_CASE("RESTORE ends the connections that came later, and those that wait or waited") {
  Emulator redis;
  Server server{redis};
  Socket idle = Socket::tcp(server.port());
  Socket waited = Socket::tcp(server.port());
  idle.call({"SET", "k", "v"});
  idle.call({"SUBSCRIBE", "news"});
  waited.send(test::request({"BLPOP", "list", "0"}));
  Socket waits_now = Socket::tcp(server.port());
  CHECK(waits_now.call({"PING"}) == status("PONG"));
  Socket asks = Socket::tcp(server.port());
  CHECK(asks.call({"PICKLOCK", "BLOCKED", "MIN", "1"}) == 1);
  CHECK(asks.call({"PICKLOCK", "SNAPSHOT", "base"}) == status("OK"));
  CHECK(asks.call({"RPUSH", "list", "v"}) == 1);
  CHECK(waited.reply() == array("list", "v"));
  Socket late = Socket::tcp(server.port());
  CHECK(late.call({"PING"}) == status("PONG"));
  Socket waits = Socket::tcp(server.port());
  waits.send(test::request({"BLPOP", "list", "0"}));
  waits_now.send(test::request({"BLPOP", "list", "0"}));
  CHECK(asks.call({"PICKLOCK", "BLOCKED", "MIN", "2"}) == 2);
  CHECK(asks.call({"PICKLOCK", "RESTORE", "base"}) == status("OK"));
  CHECK(waited.ended());
  CHECK(late.ended());
  CHECK(waits.ended());
  CHECK(waits_now.ended());
  CHECK(asks.call({"PICKLOCK", "BLOCKED"}) == 0);
  CHECK(asks.call({"PUBLISH", "news", "x"}) == 1);
  await("they are forgotten", [&] { return server.connections() == 2; });
  const std::string clients = asks.call({"CLIENT", "LIST"}).text();
  CHECK(std::count(clients.begin(), clients.end(), '\n') == 2);
}

TEST_CASE("RESET goes back to the start and keeps connections as they are") {
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  Socket other = Socket::tcp(server.port());
  Socket queues = Socket::tcp(server.port());
  other.call({"SELECT", "3"});
  other.call({"SET", "k", "v"});
  other.call({"CLIENT", "SETNAME", "other"});
  CHECK(queues.call({"MULTI"}) == status("OK"));
  client.call({"CONFIG", "SET", "timeout", "60"});
  client.call({"SCRIPT", "LOAD", "return 1"});
  client.call({"PICKLOCK", "FAULT", "ADD", "CLOSE", "COMMAND", "get"});
  client.call({"PICKLOCK", "ADVANCE", "1000"});
  CHECK(client.call({"PICKLOCK", "RESET"}) == status("OK"));
  CHECK(queues.ended());
  CHECK(client.call({"PICKLOCK", "NOW"}) == to_unix_ms(kDefaultStart));
  CHECK(client.call({"CONFIG", "GET", "timeout"}) == array("timeout", "0"));
  CHECK(client.call({"CONFIG", "GET", "port"}) == array("port", std::to_string(server.port())));
  CHECK(client.call({"SCRIPT", "EXISTS", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"}) == array(0));
  CHECK(other.call({"GET", "k"}) == nil);
  CHECK(other.call({"CLIENT", "INFO"}).text().find(" name=other ") != std::string::npos);
  CHECK(other.call({"CLIENT", "INFO"}).text().find(" db=3 ") != std::string::npos);
}

TEST_CASE("an emulator that is reset goes through the same again") {
  Emulator redis{{.seed = 7, .start = from_unix_ms(5000)}};
  Client client = redis.connect();
  const auto play = [&] {
    std::string text;
    for (int i = 0; i < 20; ++i) client.call("SADD", "s", i);
    for (int i = 0; i < 5; ++i) text += client.call("SRANDMEMBER", "s").to_string() + " ";
    redis.advance(3ms);
    return text + client.call("TIME").to_string();
  };
  const std::string first = play();
  redis.reset();
  CHECK(play() == first);
}

TEST_CASE("SEED starts the random generator anew") {
  Emulator redis;
  Client client = redis.connect();
  for (int i = 0; i < 100; ++i) client.call("SADD", "s", i);
  const auto draw = [&] { return client.call("SRANDMEMBER", "s", 50); };
  CHECK(client.call("PICKLOCK", "SEED", "18446744073709551615") == status("OK"));
  const Reply first = draw();
  CHECK(draw() != first);
  client.call("PICKLOCK", "SEED", "18446744073709551615");
  CHECK(draw() == first);
}

TEST_CASE("SET-TIME goes forwards like ADVANCE, and backwards without anything happening") {
  Emulator redis;
  Client client = redis.connect();
  const std::int64_t start = to_unix_ms(kDefaultStart);
  client.call("SET", "short", "v", "PX", 100);
  client.call("SET", "long", "v", "PX", 1000);
  CHECK(client.call("PICKLOCK", "SET-TIME", start + 101) == start + 101);
  CHECK(client.call("DBSIZE") == 1);
  CHECK(client.call("PICKLOCK", "SET-TIME", start - 1000) == start - 1000);
  CHECK(client.call("EXISTS", "short") == 0);
  CHECK(client.call("PTTL", "long") == 2000);
}

TEST_CASE("the offset clock is set too, and a reset takes it back to real time") {
  OffsetClock clock;
  Emulator redis{{}, clock};
  Client client = redis.connect();
  CHECK(client.call("PICKLOCK", "SET-TIME", 1000).integer() >= 1000);
  CHECK(client.call("PICKLOCK", "NOW").integer() < 1'000'000);
  CHECK(client.call("PICKLOCK", "RESET") == status("OK"));
  CHECK(client.call("PICKLOCK", "NOW").integer() > to_unix_ms(kDefaultStart));
}

TEST_CASE("commands and data are loaded") {
  Emulator redis;
  Client client = redis.connect();
  CHECK(client.call("PICKLOCK", "LOAD", "DATA",
                    "# users\r\nHSET user:1 name \"Ann B\"\n\nSELECT 1\nSET k v") == 3);
  CHECK(client.call("HGET", "user:1", "name") == "Ann B");
  CHECK(redis.inspect(1).string("k") == "v");
  CHECK(redis.load_commands("INCR n") == 1);
  CHECK(redis.load_commands("\n  # a fixture in a test's source\n  SET lock alice\n  ") == 1);
  CHECK(client.call("PICKLOCK", "LOAD", "DATA", "INCR n\nINCR user:1\nINCR n") ==
        error("ERR cannot load the data: line 2 'INCR user:1': WRONGTYPE Operation against a key "
              "holding the wrong kind of value"));
  CHECK(client.call("GET", "n") == "2");
  CHECK(client.call("PICKLOCK", "LOAD", "DATA", "GET \"n") ==
        error("ERR cannot load the data: line 1 'GET \"n': its quotes are not balanced"));
  CHECK(client.call("PICKLOCK", "LOAD", "DATA", "BLPOP l 0") ==
        error("ERR cannot load the data: line 1 'BLPOP l 0': it blocks"));
  CHECK(client.call("PICKLOCK", "LOAD", "/some/file") ==
        error("ERR only a server reads files: give the text with PICKLOCK LOAD DATA <text>"));
}

TEST_CASE("a file of commands that cannot do what it says is refused") {
  const test::TemporaryDirectory directory;
  Emulator redis;
  Server server{redis};
  Socket client = Socket::tcp(server.port());
  const auto load = [&](const std::string& text) {
    const std::string path = directory.write("commands", text);
    std::string said = client.call({"PICKLOCK", "LOAD", path}).to_string();
    const auto at = said.find(path);
    return at == std::string::npos ? said : said.replace(at, path.size(), "it");
  };
  const auto refused = [](const std::string& what) {
    return "(error) ERR cannot load it: " + what;
  };
  const std::string why = "this command is for a client, and not for a file";
  const std::string itself = "PICKLOCK LOAD " + directory.file("commands");
  CHECK(load(itself) == refused("line 1 '" + itself + "': " + why));
  CHECK(load("SET k v\npicklock node add other") ==
        refused("line 2 'picklock node add other': " + why));
  CHECK(client.call({"PICKLOCK", "NODE", "LIST"}).elements().size() == 1);
  CHECK(load("PICKLOCK USE default") == refused("line 1 'PICKLOCK USE default': " + why));
  CHECK(load("picklock RESTORE s") == refused("line 1 'picklock RESTORE s': " + why));
  CHECK(load("CLIENT REPLY OFF\nSET a") == refused("line 1 'CLIENT REPLY OFF': " + why));
  CHECK(load("PICKLOCK ADVANCE 5\nMULTI\nSET k w\nEXEC") == "(integer) 4");
  CHECK(load("MULTI\nSET k x\n") ==
        refused("it ends between MULTI and EXEC, so that nothing behind MULTI was done"));
  CHECK(client.call({"GET", "k"}) == "w");
  CHECK(load("MULTI\nSET k y\nINCR k\nEXEC\nSET k z") ==
        refused("line 4 'EXEC': ERR value is not an integer or out of range"));
  CHECK(client.call({"GET", "k"}) == "y");
}

TEST_CASE("a file that Redis has saved is loaded, with everything that is in it") {
  const test::RealRedis real;
  Socket saved = Socket::unix_path(real.socket_path());
  const auto fill = [](auto&& call) {
    call({"SET", "s", "text"});
    call({"SET", "n", "12345"});
    call({"RPUSH", "l", "a", "b", "c"});
    call({"SADD", "set", "1", "2", "x"});
    call({"ZADD", "z", "1.5", "a", "inf", "b"});
    call({"HSET", "h", "f", "v"});
    call({"XADD", "x", "1-1", "f", "v"});
    call({"XGROUP", "CREATE", "x", "g", "0"});
    call({"SET", "later", "v", "PXAT", "9999999999999"});
    call({"FUNCTION", "LOAD",
          "#!lua name=lib\nredis.register_function('one', function() return 1 end)"});
    call({"SELECT", "3"});
    call({"SET", "third", std::string(100'000, 'y')});
    call({"SELECT", "0"});
  };
  fill([&](std::initializer_list<std::string_view> words) {
    REQUIRE(!saved.call(words).is_error());
  });
  REQUIRE(saved.call({"SAVE"}) == status("OK"));
  const std::string path = saved.call({"CONFIG", "GET", "dir"})[1].text() + "/" +
                           saved.call({"CONFIG", "GET", "dbfilename"})[1].text();
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();

  Emulator redis;
  CHECK(redis.load_rdb(bytes.str()) == 9);
  Client client = redis.connect();
  CHECK(client.call("DEBUG", "DIGEST") == saved.call({"DEBUG", "DIGEST"}));
  CHECK(client.call("PEXPIRETIME", "later") == 9'999'999'999'999);
  CHECK(client.call("FCALL", "one", 0) == 1);

  Server server{redis};
  Socket socket = Socket::tcp(server.port());
  CHECK(socket.call({"FLUSHALL"}) == status("OK"));
  CHECK(socket.call({"PICKLOCK", "LOAD", path}) == 9);
  CHECK(socket.call({"DEBUG", "DIGEST"}) == saved.call({"DEBUG", "DIGEST"}));
  CHECK(socket.call({"PICKLOCK", "LOAD", "/none/there"}) ==
        error("ERR cannot read /none/there: No such file or directory"));
}

TEST_CASE("a damaged file is refused, and nothing of it is kept") {
  const test::RealRedis real;
  Socket saved = Socket::unix_path(real.socket_path());
  saved.call({"RPUSH", "l", "a", "b", "c"});
  saved.call({"SET", "k", "v", "PXAT", "9999999999999"});
  REQUIRE(saved.call({"SAVE"}) == status("OK"));
  std::ostringstream file;
  file << std::ifstream(saved.call({"CONFIG", "GET", "dir"})[1].text() + "/" +
                            saved.call({"CONFIG", "GET", "dbfilename"})[1].text(),
                        std::ios::binary)
              .rdbuf();
  const std::string bytes = file.str();
  Emulator redis;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS(redis.load_rdb(bytes.substr(0, size)), std::invalid_argument);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string spoilt = bytes;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 0x5a);
    CHECK_THROWS_AS(redis.load_rdb(spoilt), std::invalid_argument);
  }
  CHECK(redis.connect().call("DBSIZE") == 0);
  CHECK_THROWS_WITH(redis.load_rdb("REDIS0011\xff"),
                    "its version is 11, and Redis 7.0 reads those up to 10");
  CHECK_THROWS_WITH(redis.load_rdb("hello"), "it is no RDB file");
}

TEST_CASE("the state commands refuse what makes no sense in one line") {
  Emulator redis;
  Client client = redis.connect();
  const auto refused = [&](auto... words) {
    const Reply reply = client.call("PICKLOCK", words...);
    return reply.is_error() ? reply.text() : "accepted: " + reply.to_string();
  };
  for (const char* ms : {"-1", "x", "", "1.5", "253402300800000", "9223372036854775808"})
    CHECK(refused("SET-TIME", ms) ==
          "ERR PICKLOCK SET-TIME takes a Unix time in milliseconds from 0 to 253402300799999");
  for (const char* seed : {"-1", "x", "", "18446744073709551616"})
    CHECK(refused("SEED", seed) ==
          "ERR PICKLOCK SEED takes a whole number from 0 to 18446744073709551615");
  for (const std::string& name : {std::string{}, std::string(65, 'n'), std::string{"a b"}})
    CHECK(refused("SNAPSHOT", name) ==
          "ERR a name has 1 to 64 visible ASCII characters, without quotes");
  CHECK(refused("RESTORE", "none") ==
        "ERR there is no snapshot 'none': take one with PICKLOCK SNAPSHOT <name>");
  CHECK(refused("LOAD", "a", "b") ==
        "ERR PICKLOCK LOAD takes <path>, or DATA <commands or bytes of a .rdb>");
  CHECK(refused("NEW", "x") == "ERR there is no server here: make another Emulator in the program");
  for (const char* name : {"SNAPSHOT", "RESTORE", "SEED", "SET-TIME", "LOAD", "NEW", "USE"})
    CHECK(refused(name).starts_with("ERR wrong number of arguments for 'picklock|"));
  client.call("MULTI");
  CHECK(refused("RESET") == "ERR Command not allowed inside a transaction");
}

TEST_CASE("the system clock refuses what would move it") {
  SystemClock system;
  Emulator redis{{}, system};
  Client client = redis.connect();
  const Reply refusal =
      error("ERR the system clock cannot be moved: start with --clock simulated or --clock offset");
  CHECK(client.call("PICKLOCK", "SET-TIME", 5) == refusal);
  CHECK(client.call("PICKLOCK", "ADVANCE", 5) == refusal);
  client.call("SET", "k", "v");
  CHECK(client.call("PICKLOCK", "SNAPSHOT", "s") == status("OK"));
  client.call("DEL", "k");
  CHECK(client.call("PICKLOCK", "RESTORE", "s") == status("OK"));
  CHECK(client.call("GET", "k") == "v");
}
