// Crowds of clients, and clients that do not read: nobody else is to notice, and memory comes back.
#include <fstream>
#include <iostream>
#include <sys/resource.h>
#include <vector>

#include "tests/server/program.hpp"
#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace picklock::test;

namespace {

void raise_descriptor_limit(rlim_t wanted) {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  REQUIRE(limit.rlim_max >= wanted);
  limit.rlim_cur = std::max(limit.rlim_cur, wanted);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/// Resident memory of a process.
double memory_mb(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/statm");
  std::size_t size = 0, resident = 0;
  file >> size >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1048576;
}

std::string connected(Socket& client) {
  const std::string text = client.call({"INFO", "clients"}).text();
  const auto at = text.find("connected_clients:") + 18;
  return text.substr(at, text.find('\r', at) - at);
}

}  // namespace

namespace {

constexpr std::size_t kIdle = 10'000, kBusy = 1'000;
constexpr int kRounds = 50;

/// A crowd that comes, works and goes; returns the server's memory while it is there.
double crowd(const Program& program, Socket& watch) {
  std::vector<Socket> idle, busy;
  for (std::size_t i = 0; i < kIdle; ++i) idle.push_back(Socket::tcp(program.port));
  for (std::size_t i = 0; i < kBusy; ++i) busy.push_back(Socket::tcp(program.port));
  std::size_t wrong = 0;
  for (int round = 1; round <= kRounds; ++round) {
    for (std::size_t i = 0; i < kBusy; ++i)
      busy[i].send(request({"INCR", "n" + std::to_string(i)}) +
                   request({"GET", "n" + std::to_string(i)}));
    for (Socket& client : busy) {
      wrong += client.reply() != round;
      wrong += client.reply() != Reply{bulk(std::to_string(round))};
    }
  }
  for (Socket& client : idle) client.send(request({"PING"}));
  for (Socket& client : idle) wrong += client.reply() != status("PONG");
  CHECK(wrong == 0);
  CHECK(connected(watch) == std::to_string(kIdle + kBusy + 1));
  return memory_mb(program.process.id());
}

}  // namespace

// What stays of a crowd is mostly asio's pool of descriptors, some 2 KB a client with the pages
// that they hold on to; the next crowd uses it again.
TEST_CASE("10,000 idle clients and 1,000 busy ones at once", "[.all]") {
  raise_descriptor_limit(kIdle + kBusy + 100);
  Program program({"--maxclients", "11500"});
  Socket watch = Socket::tcp(program.port);
  CHECK(watch.call({"PING"}) == status("PONG"));
  const double before = memory_mb(program.process.id());
  double first = 0;
  for (int number = 1; number <= 3; ++number) {
    const double most = crowd(program, watch);
    await("they are gone", [&] { return connected(watch) == "1"; });
    watch.call({"FLUSHALL"});
    const double after = memory_mb(program.process.id());
    std::cout << "a crowd of " << kIdle + kBusy << ": " << before << " MB before, " << most
              << " MB with it, " << after << " MB after\n";
    if (number == 1) first = after;
    CHECK(after <= before + 30);
    CHECK(after <= first + 2);
  }
}

TEST_CASE("clients that do not read are cut off at the limits, and others do not notice",
          "[.all]") {
  Program program({"--client-output-buffer-limit", "normal", "8mb", "4mb", "2",
                   "--client-query-buffer-limit", "2mb"});
  Socket other = Socket::tcp(program.port);
  const std::string large(1024 * 1024, 'x');
  CHECK(other.call({"SET", "large", large}) == status("OK"));
  const double before = memory_mb(program.process.id());
  double most = 0;
  for (int i = 0; i < 50; ++i) {
    Socket never_reads = Socket::tcp(program.port);
    std::string requests;
    for (int n = 0; n < 40; ++n) requests += request({"GET", "large"});
    never_reads.send(requests);
    await("it is cut off", [&] { return connected(other) == "1"; });
    most = std::max(most, memory_mb(program.process.id()));
    REQUIRE(other.call({"PING"}) == status("PONG"));
  }
  // One that reads, but too slowly, goes when it has been over the soft limit for too long.
  Socket slow = Socket::tcp(program.port);
  std::string requests;
  for (int n = 0; n < 7; ++n) requests += request({"GET", "large"});
  slow.send(requests);
  await("it has been served", [&] {
    return other.call({"INFO", "commandstats"}).text().find("cmdstat_get:calls=") !=
           std::string::npos;
  });
  CHECK(slow.reply() == large);
  CHECK(connected(other) == "2");
  other.call({"PICKLOCK", "ADVANCE", "2000"});
  CHECK(connected(other) == "2");
  other.call({"PICKLOCK", "ADVANCE", "1000"});
  await("it is cut off", [&] { return connected(other) == "1"; });
  // One whose request never ends.
  Socket endless = Socket::tcp(program.port);
  const std::string part(64 * 1024, 'y');
  try {
    endless.send("*2\r\n$4\r\nECHO\r\n$400000000\r\n");
    for (int n = 0; n < 100; ++n) endless.send(part);
  } catch (const std::runtime_error&) {
    // The connection is gone already.
  }
  CHECK(endless.ended());
  await("it is gone", [&] { return connected(other) == "1"; });
  const double after = memory_mb(program.process.id());
  std::cout << "50 clients that never read: " << before << " MB before, " << most << " MB at most, "
            << after << " MB after\n";
  CHECK(after <= before + 16);
}
