// A script that runs on within a turn that is not its client's own: of a request that was held
// back, of a client that was moved or that waited. Others have their turns within it, and may
// vanish.
#include <string>

#include "tests/server/busy.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using picklock::test::await;
using picklock::test::kKilled;
using picklock::test::request;
using picklock::test::Socket;

namespace {

struct Fixture : picklock::test::BusyServer {
  void kill_script() const { CHECK(connect().call({"SCRIPT", "KILL"}) == status("OK")); }
};

const std::string kForEver = request({"EVAL", "while true do end", "0"});

}  // namespace

TEST_CASE("a client that vanishes while its held-back script runs harms nobody") {
  for (const std::string held : {"pause", "delay"}) {
    Fixture f;
    Socket steers = f.connect();
    if (held == "pause")
      steers.call({"CLIENT", "PAUSE", "100000", "WRITE"});
    else
      steers.call({"PICKLOCK", "FAULT", "ADD", "DELAY", "200", "COMMAND", "eval"});
    Socket looping = f.connect();
    looping.call({"PING"});
    looping.send(kForEver);
    await("held back", [&] {
      return steers.call({"INFO", "clients"}).text().find("blocked_clients:1") != std::string::npos;
    });
    steers.send(held == "pause" ? request({"CLIENT", "UNPAUSE"})
                                : request({"PICKLOCK", "ADVANCE", "200"}));
    f.await_script();
    looping.reset();
    for (int i = 0; i < 30; ++i) f.connect().call({"CLIENT", "SETNAME", std::string(40, 'x')});
    f.kill_script();
    CHECK(f.connect().call({"PING"}) == status("PONG"));
    steers.reply();
    CHECK(steers.call({"PING"}) == status("PONG"));
  }
}

TEST_CASE("what the client of a held-back script sends meanwhile is answered behind it") {
  Fixture f;
  Socket steers = f.connect();
  steers.call({"CLIENT", "PAUSE", "100000", "WRITE"});
  Socket looping = f.connect();
  looping.send(kForEver);
  await("held back", [&] {
    return steers.call({"INFO", "clients"}).text().find("blocked_clients:1") != std::string::npos;
  });
  steers.send(request({"CLIENT", "UNPAUSE"}));
  f.await_script();
  looping.send(request({"ECHO", "behind"}));
  f.kill_script();
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
  CHECK(looping.reply() == "behind");
  CHECK(steers.reply() == status("OK"));
}

TEST_CASE("whom the script of a moved client wakes up is answered") {
  Fixture f;
  Socket waits = f.connect();
  CHECK(waits.call({"PICKLOCK", "NEW", "other"}) == status("OK"));
  CHECK(waits.call({"PICKLOCK", "USE", "other"}) == status("OK"));
  waits.send(request({"BLPOP", "q", "0"}));
  Socket watches = f.connect();
  watches.call({"PICKLOCK", "USE", "other"});
  CHECK(watches.call({"PICKLOCK", "BLOCKED", "MIN", "1"}) == 1);
  Socket moves = f.connect();
  moves.send(request({"PICKLOCK", "USE", "other"}) +
             request({"EVAL", "for i = 1, 300000 do end redis.call('LPUSH', KEYS[1], 'v') return 1",
                      "1", "q"}));
  CHECK(waits.reply() == array("q", "v"));
  CHECK(moves.reply() == status("OK"));
  CHECK(moves.reply() == 1);
}

TEST_CASE("a barrier may go while a script behind another one runs") {
  Fixture f;
  Socket looping = f.connect();
  looping.send(request({"PICKLOCK", "BLOCKED", "MIN", "1", "TIMEOUT", "60000"}) + kForEver);
  Socket leaves = f.connect();
  leaves.send(request({"PICKLOCK", "BLOCKED", "MIN", "5", "TIMEOUT", "60000"}));
  Socket waits = f.connect();
  waits.send(request({"BLPOP", "q", "0"}));
  f.await_script();
  leaves.reset();
  f.connect().call({"PING"});
  f.kill_script();
  CHECK(looping.reply() == 1);
  CHECK_THAT(looping.reply().text(), Catch::Contains(kKilled));
  CHECK(f.connect().call({"PING"}) == status("PONG"));
}

TEST_CASE("a server that is stopped starts no script that waits in a pipeline") {
  Emulator redis(Fixture::options());
  {
    Server server(redis);
    Socket looping = Socket::tcp(server.port());
    std::string scripts;
    for (int i = 0; i < 50; ++i) scripts += kForEver;
    looping.send(scripts);
    Socket other = Socket::tcp(server.port());
    await("BUSY", [&] { return other.call({"PING"}).text().starts_with("BUSY "); });
  }
  Client client = redis.connect();
  CHECK_THAT(client.call("INFO", "commandstats").text(), Catch::Contains("cmdstat_eval:calls=1,"));
  Server again(redis);
  Socket socket = Socket::tcp(again.port());
  CHECK(socket.call({"PING"}) == status("PONG"));
}
