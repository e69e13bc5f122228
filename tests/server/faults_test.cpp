// Faults and the trace: what PICKLOCK FAULT makes of requests, and what PICKLOCK TRACE says of
// them.
#include <picklock/server.hpp>

#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace std::chrono_literals;
using picklock::test::Socket;

namespace {

Reply fault(Client& client, auto... words) {
  return client.call("PICKLOCK", "FAULT", "ADD", words...);
}

}  // namespace

TEST_CASE("an ERROR fault is answered instead of the request, once") {
  Emulator redis;
  Client client = redis.connect();
  CHECK(fault(client, "ERROR", "LOADING not yet", "COMMAND", "set") == 1);
  CHECK(client.call("SET", "k", "v") == error("LOADING not yet"));
  CHECK(client.call("EXISTS", "k") == 0);
  CHECK(client.call("SET", "k", "v") == status("OK"));
}

TEST_CASE("a fault strikes by command, key, client and number") {
  Emulator redis;
  Client alice = redis.connect();
  Client bob = redis.connect();
  alice.call("CLIENT", "SETNAME", "alice");
  CHECK(fault(bob, "ERROR", "ERR one", "COMMAND", "GET", "KEY", "lock:*", "CLIENT", "al*", "NTH", 2,
              "TIMES", 2) == 1);
  CHECK(alice.call("GET", "other") == nil);
  CHECK(bob.call("GET", "lock:1") == nil);
  CHECK(alice.call("STRLEN", "lock:1") == 0);
  CHECK(alice.call("GET", "lock:1") == nil);
  CHECK(alice.call("GET", "lock:2") == error("ERR one"));
  CHECK(alice.call("GET", "lock:3") == error("ERR one"));
  CHECK(alice.call("GET", "lock:4") == nil);
  CHECK(bob.call("PICKLOCK", "FAULT", "LIST") ==
        array(array("id", 1, "fault",
                    "ERROR \"ERR one\" COMMAND GET KEY lock:* CLIENT al* NTH 2 TIMES 2", "matched",
                    4, "struck", 2)));
}

TEST_CASE("TIMES 0 strikes for ever, a container's name stands for all its subcommands") {
  Emulator redis;
  Client client = redis.connect();
  fault(client, "ERROR", "ERR no", "COMMAND", "client", "TIMES", 0);
  for (int i = 0; i < 3; ++i) CHECK(client.call("CLIENT", "ID") == error("ERR no"));
  CHECK(client.call("PICKLOCK", "FAULT", "CLEAR", 1) == status("OK"));
  CHECK(client.call("CLIENT", "GETNAME") == nil);
}

TEST_CASE("an ERROR fault within MULTI spoils the transaction") {
  Emulator redis;
  Client client = redis.connect();
  fault(client, "ERROR", "OOM none left", "COMMAND", "incr");
  CHECK(client.call("MULTI") == status("OK"));
  CHECK(client.call("INCR", "n") == error("OOM none left"));
  CHECK(client.call("EXEC") ==
        error("EXECABORT Transaction discarded because of previous errors."));
}

TEST_CASE("a DELAY fault carries the request out later on the server's clock") {
  Emulator redis;
  Client slow = redis.connect();
  Client quick = redis.connect();
  fault(quick, "DELAY", 100, "KEY", "lock");
  auto waiting = slow.send("SET", "lock", "slow", "NX");
  CHECK(waiting.is_blocked());
  CHECK(redis.blocked_clients() == 1);
  redis.advance(99ms);
  CHECK(quick.call("SET", "lock", "quick", "NX") == status("OK"));
  CHECK(waiting.is_blocked());
  redis.advance(1ms);
  CHECK(waiting.reply() == nil);
  CHECK(redis.inspect().string("lock") == "quick");
}

TEST_CASE("CLIENT UNPAUSE and CLIENT UNBLOCK do not hurry a delayed request") {
  Emulator redis;
  Client slow = redis.connect();
  Client quick = redis.connect();
  fault(quick, "DELAY", 100, "COMMAND", "incr");
  auto waiting = slow.send("INCR", "n");
  CHECK(quick.call("CLIENT", "PAUSE", 10, "WRITE") == status("OK"));
  CHECK(quick.call("CLIENT", "UNPAUSE") == status("OK"));
  CHECK(quick.call("CLIENT", "UNBLOCK", slow.id()) == 0);
  CHECK(waiting.is_blocked());
  redis.advance(100ms);
  CHECK(waiting.reply() == 1);
}

TEST_CASE("a client in the process is told that a request or its reply is lost") {
  Emulator redis;
  const auto [action, carried_out] = GENERATE(table<std::string, bool>(
      {{"DROP-REQUEST", false}, {"DROP-REPLY", true}, {"CLOSE", false}, {"CLOSE-AFTER", true}}));
  INFO(action);
  Client other = redis.connect();
  fault(other, action, "COMMAND", "set");
  Client client = redis.connect();
  CHECK_THROWS_AS(client.call("SET", "k", "v"), ReplyLost);
  CHECK(other.call("EXISTS", "k") == (carried_out ? 1 : 0));
  CHECK(client.is_connected() == action.starts_with("DROP"));
}

TEST_CASE("a request that was sent, and lost by a fault, is not waited for") {
  Emulator redis;
  const std::string action = GENERATE("DROP-REQUEST", "DROP-REPLY");
  Client other = redis.connect();
  fault(other, action, "COMMAND", "set");
  Client client = redis.connect();
  auto pending = client.send("SET", "k", "v");
  CHECK_THROWS_AS(pending.reply(), ReplyLost);
}

TEST_CASE("after a DROP the connection is dead, though nobody is told") {
  Emulator redis;
  Server server{redis};
  const bool reply_only = GENERATE(false, true);
  redis.add_fault(
      {.action = reply_only ? RequestFault::Action::drop_reply : RequestFault::Action::drop_request,
       .command = "incr"});
  Socket other = Socket::tcp(server.port());
  {
    Socket struck = Socket::tcp(server.port());
    struck.send(test::request({"INCR", "n"}) + test::request({"INCR", "later"}));
    test::await("struck", [&] { return redis.faults()[0].struck == 1; });
    CHECK(other.call({"GET", "n"}) == (reply_only ? Reply{bulk("1")} : Reply{nil}));
    CHECK(other.call({"EXISTS", "later"}) == 0);
    CHECK(other.call({"PICKLOCK", "BLOCKED"}) == 0);
    struck.finish_sending();
    CHECK(struck.ended());  // Without a byte.
  }
  CHECK(other.call({"INCR", "n"}) == (reply_only ? 2 : 1));
}

TEST_CASE("a lost reply of a request that blocked is lost when it comes") {
  Emulator redis;
  redis.add_fault({.action = RequestFault::Action::drop_reply, .command = "blpop"});
  Client waits = redis.connect();
  Client other = redis.connect();
  auto pending = waits.send("BLPOP", "list", 0);
  CHECK(other.call("RPUSH", "list", "v") == 1);
  CHECK(other.call("EXISTS", "list") == 0);
  CHECK(pending.is_blocked());
}

TEST_CASE("CLOSE ends the connection of a socket") {
  Emulator redis;
  Server server{redis};
  redis.add_fault({.action = RequestFault::Action::close_after, .command = "incr"});
  Socket struck = Socket::tcp(server.port());
  struck.send(test::request({"INCR", "n"}) + test::request({"INCR", "n"}));
  CHECK(struck.ended());
  CHECK(Socket::tcp(server.port()).call({"GET", "n"}) == "1");
}

TEST_CASE("FAULT refuses what makes no sense in one line") {
  Emulator redis;
  Client client = redis.connect();
  const auto refused = [&](auto... words) {
    const Reply reply = client.call("PICKLOCK", "FAULT", words...);
    return reply.is_error() ? reply.text() : "accepted: " + reply.to_string();
  };
  const std::string usage =
      "ERR PICKLOCK FAULT wants ADD <fault> [<condition> ...], LIST or CLEAR [<id>]; see PICKLOCK "
      "HELP";
  CHECK(refused("ADD") == usage);
  CHECK(refused("LIST", "all") == usage);
  CHECK(refused("CLEAR", "1", "2") == usage);
  CHECK(refused("REMOVE") == usage);
  const std::string actions =
      "ERR PICKLOCK FAULT ADD wants one of ERROR <text>, DELAY <milliseconds>, DROP-REQUEST, "
      "DROP-REPLY, CLOSE, CLOSE-AFTER";
  for (const char* action : {"EXPLODE", "ERROR", "DELAY", ""})
    CHECK(refused("ADD", action) == actions);
  for (const char* ms : {"-1", "soon", "1.5", "", "9223372036854775807", "31622400000001"})
    CHECK(refused("ADD", "DELAY", ms) ==
          "ERR PICKLOCK FAULT ADD DELAY takes milliseconds from 0 to 31622400000000");
  for (const char* text : {"", "ERR a\r\nERR b"})
    CHECK(refused("ADD", "ERROR", text) ==
          "ERR PICKLOCK FAULT ADD ERROR wants one line, its code first, such as 'LOADING not yet'");
  for (const char* nth : {"0", "-1", "x", "18446744073709551616"})
    CHECK(refused("ADD", "CLOSE", "NTH", nth) ==
          "ERR PICKLOCK FAULT ADD nth wants a whole number from 1 on");
  CHECK(refused("ADD", "CLOSE", "TIMES", "-1") ==
        "ERR PICKLOCK FAULT ADD times wants a whole number from 0 (for every one) on");
  CHECK(refused("ADD", "CLOSE", "NTH") == "ERR PICKLOCK FAULT ADD nth wants a word behind it");
  CHECK(refused("ADD", "CLOSE", "WHEN", "x") ==
        "ERR PICKLOCK FAULT ADD knows COMMAND, KEY, CLIENT, NTH and TIMES, not 'WHEN'");
  for (const char* name : {"eval*", "gte", "client|", "client|gte", "get|set", "delex"})
    CHECK(refused("ADD", "CLOSE", "COMMAND", name) ==
          "ERR PICKLOCK FAULT ADD COMMAND wants the name of one that there is, such as set or "
          "client|list, not '" +
              std::string{name} + "'");
  for (const char* id : {"1", "0", "-1", "x"})
    CHECK(refused("CLEAR", id) ==
          "ERR there is no fault '" + std::string{id} + "': PICKLOCK FAULT LIST shows their ids");
  CHECK(redis.faults().empty());
  CHECK_THROWS_AS(redis.add_fault({.nth = 0}), std::invalid_argument);
  CHECK_THROWS_AS(redis.add_fault({.command = "gte"}), std::invalid_argument);
  Emulator newer{{.profile = "redis-8.4"}};
  CHECK(newer.add_fault({.command = "DelEx"}) == 1);
  CHECK(newer.add_fault({.command = "client|list"}) == 2);
}

TEST_CASE("the trace keeps the last requests with what came of them") {
  Emulator redis;
  Client client = redis.connect();
  CHECK(client.call("PICKLOCK", "TRACE") ==
        error("ERR the trace is off: PICKLOCK TRACE KEEP <lines> turns it on"));
  CHECK(client.call("PICKLOCK", "TRACE", "KEEP", 3) == status("OK"));
  client.call("CLIENT", "SETNAME", "alice");
  client.call("SET", "a", "1");
  client.call("MSET", "a", "1", "b", "2");
  fault(client, "ERROR", "ERR no", "COMMAND", "get");
  client.call("GET", "a");
  const std::string from = "1577836800000 [0 1 alice] ";
  CHECK(client.call("PICKLOCK", "TRACE") ==
        array(from + "\"SET\" \"a\" \"1\" -> OK; changed \"a\"",
              from + "\"MSET\" \"a\" \"1\" \"b\" \"2\" -> OK; changed \"a\" \"b\"",
              from + "\"GET\" \"a\" -> (error) ERR no; struck by ERROR \"ERR no\" COMMAND get"));
  CHECK(client.call("PICKLOCK", "TRACE", 1).size() == 1);
  CHECK(redis.trace().size() == 3);
  CHECK(redis.trace()[1].changes == 2);
}

TEST_CASE("the trace shows when a wait has ended, and cuts what is long") {
  Emulator redis;
  redis.keep_trace(10);
  Client waits = redis.connect();
  Client other = redis.connect();
  auto pending = waits.send("BLPOP", "list", 0);
  CHECK(redis.trace().back().reply == "(waits)");
  redis.advance(5ms);
  other.call("RPUSH", "list", std::string(1000, 'x'));
  CHECK(redis.trace()[0].reply == "(waited until 1577836800005)");
  CHECK(redis.trace()[1].request ==
        "\"RPUSH\" \"list\" \"" + std::string(64, 'x') + "\"+936 bytes");
  CHECK(pending.reply().size() == 2);
}

TEST_CASE(
    "the trace knows how long each word was, and forgets what its lines were used for before") {
  Emulator redis;
  redis.keep_trace(2);
  Client client = redis.connect();
  for (const std::size_t size : {0, 1, 63, 64, 65, 254, 255, 256, 70'000}) {
    const std::string word(size, 'x');
    client.call("SET", word, "1");
    client.call("ECHO", word);
    const std::string shown = "\"" + word.substr(0, 64) + "\"" +
                              (size > 64 ? "+" + std::to_string(size - 64) + " bytes" : "");
    CHECK(redis.trace()[0].request == "\"SET\" " + shown + " \"1\"");
    CHECK(redis.trace()[0].effects.front().key == word);
    CHECK(redis.trace()[0].reply == "OK");
    CHECK(redis.trace()[1].request == "\"ECHO\" " + shown);
    CHECK(redis.trace()[1].effects.empty());
    CHECK(redis.trace()[1].reply.size() == std::min<std::size_t>(size + 2, 163));
  }
  std::vector<std::string_view> words(300, "w");
  words[0] = "DEL";
  client.call(words);
  CHECK(redis.trace().back().request.ends_with("\"w\" \"w\" and 284 words"));
}

TEST_CASE("the trace names the keys that changed, how, and by whom if by another") {
  Emulator redis;
  redis.keep_trace(10);
  Client alice = redis.connect();
  Client bob = redis.connect();
  alice.call("SET", "lock", "alice", "PX", 10);
  alice.call("SELECT", 3);
  alice.call("EVAL", "redis.call('set', 'x', 1) redis.call('del', 'x') redis.call('set', 'y', 1)",
             0);
  redis.advance(11ms);
  auto pending = bob.send("BLMOVE", "a", "b", "LEFT", "RIGHT", 0);
  bob.send("PING");
  alice.call("SELECT", 0);
  alice.call("RPUSH", "a", "1");
  alice.call("COPY", "b", "c", "DB", 1);
  alice.call("FLUSHDB");
  std::vector<std::string> told;
  for (const Reply& line : alice.call("PICKLOCK", "TRACE", 100).elements())
    if (const auto at = line.text().find("; "); at != std::string::npos)
      told.push_back(line.text().substr(at + 2));
    else if (line.text().find(" clock] ") != std::string::npos)
      told.push_back(line.text());
  CHECK(told == std::vector<std::string>{
                    "changed \"lock\"",
                    "changed \"x\"; deleted \"x\"; changed \"y\"",
                    "1577836800011 [0 clock] expired \"lock\"",
                    "changed \"a\"; changed \"b\" \"a\" for 2; deleted \"a\" for 2",
                    "changed db1 \"c\"",
                    "flushed db0",
                });
}

TEST_CASE("a key that a request meets after its time is an effect of the request") {
  Emulator redis;
  redis.keep_trace(10);
  Client client = redis.connect();
  client.call("DEBUG", "SET-ACTIVE-EXPIRE", 0);
  client.call("SET", "k", "v", "PX", 5);
  redis.advance(10ms);
  client.call("GET", "k");
  CHECK(redis.trace().back().effects ==
        std::vector<TraceEffect>{{TraceEffect::Kind::expired, 0, "k", 1}});
  std::vector<std::string> words{"MSET"};
  for (int i = 0; i < 100; ++i) words.insert(words.end(), {"k" + std::to_string(i), "v"});
  client.call(std::vector<std::string_view>(words.begin(), words.end()));
  CHECK(redis.trace().back().effects.size() == 64);
  CHECK(redis.trace().back().more_effects == 36);
}

TEST_CASE("what a fixture or a snapshot does to keys is no request's effect") {
  Emulator redis;
  redis.keep_trace(10);
  Client client = redis.connect();
  const Snapshot before = redis.snapshot();
  redis.load_commands("SET a 1\nSET b 2 PX 5");
  client.call("GET", "a");
  CHECK(redis.trace().back().effects.empty());
  redis.restore(before);
  client.call("SET", "c", "1");
  CHECK(redis.trace().back().effects.size() == 1);
}

TEST_CASE("the trace changes nothing that a client could see") {
  Emulator traced;
  Emulator plain;
  traced.keep_trace(10);
  const auto play = [](Emulator& redis) {
    Client client = redis.connect();
    std::vector<Reply> replies;
    replies.push_back(client.call("HELLO", 3));
    replies.push_back(client.call("HSET", "h", "f", "v"));
    replies.push_back(client.call("HGETALL", "h"));
    replies.push_back(client.call("INCR", "h"));
    replies.push_back(client.call("DEBUG", "ERROR", "MADE up"));
    replies.push_back(client.call("EVAL", "return redis.pcall('incr', 'h')", 0));
    replies.push_back(client.call("INFO", "errorstats"));
    replies.push_back(client.call("INFO", "commandstats"));
    replies.push_back(client.call("SUBSCRIBE", "news"));
    replies.push_back(client.call("PUBLISH", "news", "x"));
    replies.push_back(*client.next_message());
    return replies;
  };
  CHECK(play(traced) == play(plain));
}

TEST_CASE("TRACE refuses what makes no sense in one line") {
  Emulator redis;
  Client client = redis.connect();
  const auto refused = [&](auto... words) {
    return client.call("PICKLOCK", "TRACE", words...).text();
  };
  for (const char* lines : {"-1", "x", "1000001", ""}) {
    CHECK(refused(lines) == "ERR PICKLOCK TRACE takes a number of lines from 0 to 1000000");
    CHECK(refused("KEEP", lines) == "ERR PICKLOCK TRACE takes a number of lines from 0 to 1000000");
  }
  CHECK(refused("1", "2") == "ERR PICKLOCK TRACE takes [<lines>], or KEEP <lines>");
  CHECK(refused("KEEP", "1", "2") == "ERR PICKLOCK TRACE takes [<lines>], or KEEP <lines>");
  CHECK(refused("KEEP") == "ERR PICKLOCK TRACE takes a number of lines from 0 to 1000000");
}
