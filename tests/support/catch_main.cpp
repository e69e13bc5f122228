// The test runner's main, compiled once. Takes the locale of its environment, as many programs do:
// whatever that is, every test must pass. A case that goes on for ever is ended and named.
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/time.h>
#include <unistd.h>

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using Listener = Catch::EventListenerBase;
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
using Listener = Catch::TestEventListenerBase;
#endif

namespace {

char case_name[256];

void end_case(int) {
  static const char kSays[] = "\nthis test case has used up its time: ";
  const bool written = write(STDERR_FILENO, kSays, sizeof kSays - 1) > 0 &&
                       write(STDERR_FILENO, case_name, std::strlen(case_name)) > 0;
  _exit(written ? 3 : 4);
}

/// In simulated time a client can wait for ever for what never comes. Counts the processor's time,
/// so that a busy machine fails nothing; PICKLOCK_CASE_SECONDS says how much, 0 sets no limit.
class CaseLimit : public Listener {
 public:
  using Listener::Listener;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    std::snprintf(case_name, sizeof case_name, "%s\n", info.name.c_str());
    const char* wanted = std::getenv("PICKLOCK_CASE_SECONDS");
    std::signal(SIGPROF, end_case);
    set(wanted != nullptr ? std::atol(wanted) : 0);
  }
  void testCaseEnded(const Catch::TestCaseStats&) override { set(0); }

 private:
  static void set(long seconds) {
    const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
  }
};
CATCH_REGISTER_LISTENER(CaseLimit)

}  // namespace

int main(int argc, char* argv[]) {
  std::setlocale(LC_ALL, "");
  return Catch::Session().run(argc, argv);
}
