// How long the program takes to start and to stop. The figures are printed; the bounds are
// generous, for machines that are busy with other tests. What it takes to say its version is what
// any program of its size takes to be loaded (a quarter of a second under sanitizers), and does not
// count.
#include <algorithm>
#include <chrono>
#include <iostream>

#include "tests/server/program.hpp"
#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace picklock::test;

namespace {

using Timer = std::chrono::steady_clock;

double ms_since(Timer::time_point start) {
  return std::chrono::duration<double, std::milli>(Timer::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

TEST_CASE("the server is ready and gone in no time") {
  constexpr int kRuns = 9;
  std::vector<double> loaded, ready, gone;
  for (int i = 0; i < kRuns; ++i) {
    const auto begun = Timer::now();
    Process version(server_words({"--version"}));
    CHECK(version.line().starts_with("picklock-server "));
    loaded.push_back(ms_since(begun));
    CHECK(version.wait() == 0);
    const auto started = Timer::now();
    Program program;
    ready.push_back(ms_since(started));
    Socket client = Socket::tcp(program.port);
    CHECK(client.call({"PING"}) == status("PONG"));
    const auto asked = Timer::now();
    program.process.signal(SIGTERM);
    CHECK(program.process.wait() == 0);
    gone.push_back(ms_since(asked));
  }
  std::cout << "picklock-server: loaded after " << median(loaded) << " ms, ready after "
            << median(ready) << ", gone after " << median(gone) << " (medians of " << kRuns
            << ")\n";
  CHECK(median(ready) - median(loaded) <= 150);
  CHECK(median(gone) <= 500);
}
