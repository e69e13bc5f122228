// picklock-server as a process, and redis-cli talking to it.
#include "tests/server/program.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/real_redis.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace picklock::test;

namespace {

Ended run(Words options) { return run_to_end(server_words(std::move(options))); }

}  // namespace

TEST_CASE("the server says in one line where it is ready") {
  Program program;
  CHECK(program.ready == "picklock-server ready on 127.0.0.1:" + std::to_string(program.port) +
                             " (redis-7.0, simulated clock)");
  CHECK(Socket::tcp(program.port).call({"PING"}) == status("PONG"));
}

TEST_CASE("the server stops cleanly when asked, with clients connected") {
  const int number = GENERATE(SIGTERM, SIGINT);
  Program program;
  Socket idle = Socket::tcp(program.port);
  CHECK(idle.call({"PING"}) == status("PONG"));
  const auto asked = std::chrono::steady_clock::now();
  program.process.signal(number);
  CHECK(program.process.wait() == 0);
  // It takes a millisecond or two; the bound leaves room for sanitizers and a machine under load.
  CHECK(std::chrono::steady_clock::now() - asked < std::chrono::seconds{1});
  CHECK(idle.ended());
}

TEST_CASE("the server outlives its terminal") {
  Program program;
  program.process.signal(SIGHUP);
  for (int i = 0; i < 3; ++i) CHECK(Socket::tcp(program.port).call({"PING"}) == status("PONG"));
}

TEST_CASE("a script that never ends can be killed, and does not keep the server from stopping") {
  Program program({"--script-budget", "1000000"});
  const auto start = [&](std::string_view script) {
    Socket client = Socket::tcp(program.port);
    client.send(picklock::test::request({"EVAL", script, "0"}));
    return client;
  };
  const auto is_busy = [&] {
    return Socket::tcp(program.port).call({"PING"}).text().starts_with("BUSY ");
  };
  Socket looping = start("while true do end");
  picklock::test::await("BUSY", is_busy);
  CHECK(program.cli({"SCRIPT", "KILL"}) == "OK\n");
  CHECK_THAT(looping.reply().text(), Catch::Contains("Script killed by user with SCRIPT KILL"));
  CHECK(program.cli({"PING"}) == "PONG\n");

  Socket writing = start("redis.call('set', 'k', 'v') while true do end");
  picklock::test::await("BUSY", is_busy);
  CHECK_THAT(program.cli({"SCRIPT", "KILL"}), Catch::StartsWith("UNKILLABLE "));
  const auto asked = std::chrono::steady_clock::now();
  program.process.signal(SIGTERM);
  CHECK(program.process.wait() == 0);
  CHECK(std::chrono::steady_clock::now() - asked < std::chrono::seconds{1});
}

TEST_CASE("a request that does not end holds up the end until somebody interrupts it") {
  Program program({"--script-budget", std::to_string(std::uint64_t{1} << 62)});
  Socket client = Socket::tcp(program.port);
  client.send(picklock::test::request(
      {"EVAL", "redis.log(redis.LOG_WARNING, 'begins') while true do end", "0"}));
  CHECK_THAT(program.process.line(), Catch::EndsWith("begins"));
  program.process.signal(SIGTERM);
  picklock::test::await("the signal's arrival", [&] {
    std::ifstream status("/proc/" + std::to_string(program.process.id()) + "/status");
    std::string word;
    while (status >> word && word != "ShdPnd:") {
    }
    return status >> word && word.find_first_not_of('0') == std::string::npos;
  });
  program.process.signal(SIGINT);
  CHECK(program.process.wait() == 1);
}

TEST_CASE("the server prints what scripts log at its log level or above, as Redis does") {
  Program program;
  const std::string from = std::to_string(program.process.id()) + ":M 01 Jan 2020 00:00:00.000 ";
  program.cli({"EVAL", "redis.log(redis.LOG_DEBUG, 'a') redis.log(redis.LOG_NOTICE, 'b')", "0"});
  CHECK(program.process.line() == from + "* b");
  program.cli({"CONFIG", "SET", "loglevel", "debug"});
  program.cli({"EVAL", "redis.log(redis.LOG_DEBUG, 'c') redis.log(redis.LOG_WARNING, 'd')", "0"});
  CHECK(program.process.line() == from + ". c");
  CHECK(program.process.line() == from + "# d");
}

TEST_CASE("redis-cli talks to the server as to Redis") {
  Program program;
  CHECK(program.cli({"SET", "lock", "alice", "NX", "PX", "1500"}) == "OK\n");
  CHECK(program.cli({"SET", "lock", "bob", "NX", "PX", "1500"}) == "\n");
  CHECK(program.cli({"--no-raw", "PTTL", "lock"}) == "(integer) 1500\n");
  CHECK(program.cli({"--no-raw", "PICKLOCK", "ADVANCE", "1501"}) == "(integer) 1577836801501\n");
  CHECK(program.cli({"--no-raw", "GET", "lock"}) == "(nil)\n");
  CHECK(program.cli({"--no-raw", "-3", "HGETALL", "none"}) == "(empty hash)\n");
  CHECK(program.cli({"--no-raw", "INCR"}) ==
        "(error) ERR wrong number of arguments for 'incr' command\n");
}

TEST_CASE("redis-cli --eval runs a script file") {
  Program program;
  const auto path = std::filesystem::temp_directory_path() /
                    ("picklock-eval-" + std::to_string(program.port) + ".lua");
  std::ofstream(path) << "if redis.call('get', KEYS[1]) == ARGV[1] then\n"
                         "  return redis.call('del', KEYS[1])\nend\nreturn 0\n";
  CHECK(program.cli({"SET", "lock", "alice"}) == "OK\n");
  CHECK(program.cli({"--no-raw", "--eval", path, "lock", ",", "bob"}) == "(integer) 0\n");
  CHECK(program.cli({"--no-raw", "--eval", path, "lock", ",", "alice"}) == "(integer) 1\n");
  CHECK(program.cli({"--no-raw", "EXISTS", "lock"}) == "(integer) 0\n");
  std::filesystem::remove(path);
}

TEST_CASE("a script file is loaded by redis-cli and used by two clients, as on a real server") {
  // What a shell prints that loads both scripts from their files and takes turns, with and without
  // a TTL.
  const auto session = [](const std::string& address) {
    const std::string script = "cli='redis-cli --no-raw " + address + R"sh('
      take=$($cli --raw script load "$(cat ../lua/scripts/simple_setnx_acquire.lua)")
      free=$($cli --raw script load "$(cat ../lua/scripts/simple_setnx_release.lua)")
      echo "$take $free"
      for ttl in '' 30; do
        $cli evalsha $take 1 lock alice $ttl; $cli evalsha $take 1 lock bob $ttl; $cli ttl lock
        $cli evalsha $free 1 lock bob; $cli evalsha $free 1 lock alice; $cli evalsha $take 1 lock bob $ttl
        $cli evalsha $free 1 lock bob; $cli exists lock
      done)sh";
    Process shell({"sh", "-c", script});
    std::string text = shell.output() + shell.errors();
    shell.wait();
    return text;
  };
  Program program;
  const picklock::test::RealRedis real;
  const std::string ours = session("-p " + std::to_string(program.port));
  CHECK(ours == session("-s " + real.socket_path()));
  CHECK_THAT(ours, Catch::Contains("(integer) 1\n(integer) 0\n(integer) -1\n"));
  CHECK_THAT(ours, Catch::Contains("(integer) 1\n(integer) 0\n(integer) 30\n"));
}

TEST_CASE("inline commands are understood") {
  Program program;
  Socket client = Socket::tcp(program.port);
  client.send("SET greeting \"hello world\"\r\n\r\nGET greeting\n");
  CHECK(client.reply() == status("OK"));
  CHECK(client.reply() == "hello world");
}

TEST_CASE("the options reach the emulator") {
  Program program({"--start-time", "1700000000000", "--databases", "3", "--requirepass", "secret"});
  Socket client = Socket::tcp(program.port);
  CHECK(client.call({"GET", "k"}) == error("NOAUTH Authentication required."));
  CHECK(client.call({"AUTH", "secret"}) == status("OK"));
  CHECK(client.call({"TIME"}) == array("1700000000", "0"));
  CHECK(client.call({"SELECT", "2"}) == status("OK"));
  CHECK(client.call({"SELECT", "3"}) == error("ERR DB index is out of range"));
  CHECK(client.call({"CONFIG", "GET", "port"}) == array("port", std::to_string(program.port)));
  CHECK(client.call({"CONFIG", "GET", "bind"}) == array("bind", "127.0.0.1"));
}

TEST_CASE("with --auto-advance a wait ends as soon as nobody else could do anything") {
  Program program({"--auto-advance"});
  CHECK(Socket::tcp(program.port).call({"PICKLOCK", "NOW"}) == 1'577'836'800'000);
  CHECK(Socket::tcp(program.port).call({"WAIT", "1", "60000"}) == 0);
  CHECK(Socket::tcp(program.port).call({"PICKLOCK", "NOW"}) == 1'577'836'860'000);
}

TEST_CASE("the system clock is not moved") {
  Program program({"--clock", "system"});
  CHECK(program.ready.find("system clock") != std::string::npos);
  CHECK(Socket::tcp(program.port).call({"PICKLOCK", "ADVANCE", "1"}).is_error());
}

TEST_CASE("the offset clock flows and is moved") {
  Program program({"--clock", "offset"});
  Socket client = Socket::tcp(program.port);
  const std::int64_t before = client.call({"PICKLOCK", "NOW"}).integer();
  CHECK(client.call({"PICKLOCK", "ADVANCE", "3600000"}).integer() >= before + 3'600'000);
  CHECK(client.call({"SET", "lock", "alice", "PX", "3600000"}) == status("OK"));
  CHECK(client.call({"PICKLOCK", "NEXT"}).integer() >= before + 7'200'000);
  CHECK(client.call({"GET", "lock"}) == nil);
}

TEST_CASE("a wait on the offset clock ends soon after the clock was moved near to its end") {
  Program program({"--clock", "offset"});
  Socket waits = Socket::tcp(program.port);
  Socket moves = Socket::tcp(program.port);
  for (int i = 0; i < 3; ++i) {
    waits.send(picklock::test::request({"BLPOP", "q", "10"}));
    CHECK(moves.call({"PICKLOCK", "BLOCKED", "MIN", "1"}) == 1);
    const auto moved = std::chrono::steady_clock::now();
    moves.call({"PICKLOCK", "ADVANCE", "9900"});
    CHECK(waits.reply() == nil);
    // A tenth of a second; a timer that was set before would take a whole one.
    CHECK(std::chrono::steady_clock::now() - moved < std::chrono::milliseconds{600});
  }
}

TEST_CASE("no socket of the server stays open in the children of its process") {
  const std::string path = "/tmp/picklock-children-" + std::to_string(::getpid());
  Program program({"--unixsocket", path});
  Socket tcp = Socket::tcp(program.port);
  CHECK(tcp.call({"PING"}) == status("PONG"));
  const std::string of_process = "/proc/" + std::to_string(program.process.id());
  int sockets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(of_process + "/fd")) {
    if (!std::filesystem::read_symlink(entry.path()).string().starts_with("socket:")) continue;
    std::ifstream facts(of_process + "/fdinfo/" + entry.path().filename().string());
    std::string word, flags;
    while (facts >> word && word != "flags:") continue;
    facts >> flags;
    CHECK((std::stol(flags, nullptr, 8) & O_CLOEXEC) != 0);
    ++sockets;
  }
  CHECK(sockets >= 3);
  CHECK(std::filesystem::remove(path));
}

TEST_CASE("a port in use is no bad usage: one line, exit 1") {
  Program program;
  const Ended ended = run({"--port", std::to_string(program.port)});
  CHECK(ended.code == 1);
  CHECK(ended.output.empty());
  CHECK(ended.errors ==
        "picklock-server: cannot listen on 127.0.0.1:" + std::to_string(program.port) +
            ": Address already in use; choose another --port (0 picks a free one)\n");
  // Another port is no help against an address that is none, or that another machine has.
  CHECK(run({"--port", "0", "--bind", "192.0.2.1"}).errors ==
        "picklock-server: cannot listen on 192.0.2.1:0: Cannot assign requested address: this "
        "machine has no such address\n");
  const TemporaryDirectory directory;
  const Ended named = run({directory.write("redis.conf", "bind localhost\n"), "--port", "6380"});
  CHECK(named.code == 1);
  CHECK(named.errors ==
        "picklock-server: cannot listen on localhost:6380: not an IP address, such as 127.0.0.1 or "
        "0.0.0.0\n");
}

TEST_CASE("bad usage is one line that says what to do, exit 2") {
  const Words options = GENERATE(values<Words>({
      {"--port", "abc"},
      {"--port", "65536"},
      {"--port", "-1"},
      {"--port"},
      {"--bind", "nowhere"},
      {"--clock", "sundial"},
      {"--start-time", "soon"},
      {"--start-time", "-1"},
      {"--seed", "x"},
      {"--seed", "-1"},
      {"--seed", "18446744073709551616"},
      {"--seed", "010"},
      {"--start-time", "01000"},
      {"--databases", "0"},
      {"--profile", "redis-1.0"},
      {"--unixsocket", ""},
      {"--bogus"},
      {"serve"},
      {"--clock", "offset", "--start-time", "5"},
      {"--clock", "system", "--auto-advance"},
  }));
  INFO(options.front() << " " << options.back());
  const Ended ended = run(options);
  CHECK(ended.code == 2);
  CHECK(ended.output.empty());
  CHECK(ended.errors.starts_with("picklock-server: "));
  CHECK(ended.errors.ends_with("; see picklock-server --help\n"));
  CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1);
}

TEST_CASE("help and version are printed and end well") {
  const Ended help = run({"--help"});
  CHECK(help.code == 0);
  CHECK(help.errors.empty());
  for (const char* option :
       {"--port", "--bind", "--unixsocket", "--clock", "--start-time", "--seed", "--auto-advance",
        "--requirepass", "--databases", "--profile", "--version"})
    CHECK(help.output.find(option) != std::string::npos);
  const Ended version = run({"--version"});
  CHECK(version.code == 0);
  CHECK(version.output == "picklock-server " PICKLOCK_VERSION "\n");
}

TEST_CASE("a Unix socket in use is said in one line, exit 1, and one left behind is replaced") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("redis.sock");
  Process first(server_words({"--unixsocket", path}));
  CHECK(first.line() == "picklock-server ready on " + path + " (redis-7.0, simulated clock)");
  const Ended second = run({"--unixsocket", path});
  CHECK(second.code == 1);
  CHECK(second.errors ==
        "picklock-server: cannot listen on " + path + ": another server answers there\n");
  CHECK(Socket::unix_path(path).call({"PING"}) == status("PONG"));
  first.signal(SIGKILL);
  CHECK(first.wait() == 128 + SIGKILL);
  REQUIRE(std::filesystem::is_socket(path));
  Process third(server_words({"--unixsocket", path}));
  CHECK(third.line().find(" ready on ") != std::string::npos);
  Socket last = Socket::unix_path(path);
  last.send(request({"SHUTDOWN", "NOSAVE"}));
  CHECK(last.ended());
  CHECK(third.wait() == 0);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("redis-benchmark runs against the server without an error") {
  Program program;
  const Ended ended = run_to_end({"redis-benchmark", "-p", std::to_string(program.port), "-n",
                                  "500", "-c", "20", "-P", "4", "-q", "-r", "50"});
  CHECK(ended.code == 0);
  CHECK(ended.errors.find("rror") == std::string::npos);
  CHECK(ended.output.find("rror") == std::string::npos);
  for (const char* name :
       {"PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "LPUSH", "RPUSH", "LPOP", "RPOP", "SADD",
        "HSET", "SPOP", "ZADD", "ZPOPMIN", "LRANGE_600", "MSET"})
    CHECK(ended.output.find(name) != std::string::npos);
}
