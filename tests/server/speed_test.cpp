// How long the program takes to start and to stop. The figures are printed; the bounds are
// generous, for machines that are busy with other tests.
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
  std::vector<double> ready, gone;
  for (int i = 0; i < kRuns; ++i) {
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
  std::cout << "picklock-server: ready after " << median(ready) << " ms, gone after "
            << median(gone) << " ms (medians of " << kRuns << ")\n";
  CHECK(median(ready) <= 200);
  CHECK(median(gone) <= 500);
}
