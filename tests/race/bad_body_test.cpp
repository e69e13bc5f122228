// Programs under test that cannot be searched: one clear line for each, and never a hang.
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <sys/wait.h>
#include <unistd.h>

#include <picklock/race/blocking.hpp>

#include "fuzz/search/trace.hpp"
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;

namespace {

/// What a body waits for that waits for something outside its world; the test opens it at its end.
class Gate {
 public:
  void wait() {
    std::unique_lock lock{mutex_};
    opened_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock{mutex_};
    open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

/// A worker that gives its call number away in what it sends.
Verdict search_counter(int from, const char* command) {
  int calls = 0;
  return explore(quiet(100), [&](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&](Worker& worker) -> Task<> {
      co_await worker.call(redis, "PING");
      const int call = ++calls;
      if (call > from) co_await worker.call(redis, command, "n", call);
    });
    world.spawn("bob", [&](Worker& worker) -> Task<> { co_await worker.call(redis, "GET", "n"); });
  });
}

}  // namespace

TEST_CASE("a body that throws before it is a coroutine is destroyed all the same") {
  const auto held = std::make_shared<int>();
  const auto search = [held] {
    return explore(quiet(2), [held](World& world) {
      world.spawn("alice", [held](Worker&) -> Task<> { throw std::runtime_error("too early"); });
    });
  };
  CHECK_THROWS_AS(search(), std::runtime_error);
  CHECK(held.use_count() == 2);
}

TEST_CASE("what a worker throws is the verdict, and the schedule that leads there") {
  const Verdict verdict = explore(quiet(10), [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "PING");
      throw std::runtime_error{"no luck"};
    });
  });
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.oracle == Oracle::threw);
  CHECK(verdict.message == "alice: no luck");
  CHECK(verdict.timeline.find("PING") != std::string::npos);
}

TEST_CASE("a worker that leaves its lock behind is named by what is left") {
  const Verdict verdict = explore(quiet(10), [](World& world) {
    Node& redis = world.redis("redis");
    world.leaves_nothing(redis, 1s);
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "SET", "lock", "alice");
    });
  });
  CHECK(verdict.verdict == Class::violation);
  CHECK(verdict.oracle == Oracle::leaked);
}

TEST_CASE("a program that is not deterministic is told the first step that differs") {
  const Verdict verdict = search_counter(0, "SET");
  INFO(verdict);
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.oracle == Oracle::nondeterminism);
  CHECK(verdict.message.find("first in step ") != std::string::npos);
  CHECK(verdict.message.find("\"alice: SET n 13\" the one time, \"alice: SET n 14\" the other") !=
        std::string::npos);
  CHECK(verdict.message.find('\n') == std::string::npos);
}

TEST_CASE("a run that goes on where the first one ended is told from there") {
  const Verdict verdict = search_counter(3, "SET");
  INFO(verdict);
  CHECK(verdict.oracle == Oracle::nondeterminism);
}

TEST_CASE("a worker that blocks outside its world for ever is given up once, by name") {
  // Shared with a thread that outlives the search.
  const auto gate = std::make_shared<Gate>();
  const auto back = std::make_shared<Gate>();
  const auto began = std::chrono::steady_clock::now();
  const Verdict verdict = explore(quiet(100), [&](World& world) {
    Node& redis = world.redis("redis");
    spawn_blocking(world, "alice", [gate, back, &redis](BlockingWorker& worker) {
      gate->wait();
      const struct Tell {
        Gate& gate;
        ~Tell() { gate.open(); }
      } tell{*back};
      worker.call(redis, "SET", worker.name(), worker.random());  // Its world has gone.
    });
  });
  CHECK(std::chrono::steady_clock::now() - began < 60s);
  gate->open();
  back->wait();
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.message.starts_with("alice has not come back for 10 s: "));
  CHECK(verdict.message.find('\n') == std::string::npos);
}

TEST_CASE("a worker that outlives its crash for ever is given up once, by name") {
  const auto gate = std::make_shared<Gate>();
  const auto began = std::chrono::steady_clock::now();
  ExploreOptions options = quiet(1'000);
  options.faults.crashes = 1;
  const Verdict verdict = explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    spawn_blocking(world, "alice", [gate, &redis](BlockingWorker& worker) {
      try {
        worker.call(redis, "PING");
      } catch (...) {
        gate->wait();
      }
    });
  });
  CHECK(std::chrono::steady_clock::now() - began < 60s);
  gate->open();
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.message.starts_with("alice has not come back for 10 s: "));
}

TEST_CASE("a search of nothing, and bounds beyond all sense, are refused with what to do") {
  const auto scenario = [](World& world) { world.redis("redis"); };
  ExploreOptions options = quiet(0);
  CHECK_THROWS_WITH(explore(options, scenario),
                    "schedules must be at least 1: a search of none says nothing");
  options = quiet(1);
  options.max_delay = std::chrono::milliseconds::max();
  CHECK_THROWS_WITH(explore(options, scenario), "max_delay must be between 0 and a year");
  options = quiet(1);
  options.faults.pauses = 1'000'000'000;
  CHECK_THROWS_WITH(explore(options, scenario), "a fault budget must be between 0 and 1000");
}

TEST_CASE("a world that is to call nothing is refused with what to do") {
  CHECK_THROWS_WITH(explore(quiet(1), [](World& world) { world.shares({}); }),
                    "World::shares() needs a function to call");
  CHECK_THROWS_WITH(explore(quiet(1), [](World& world) { world.at_rest({}); }),
                    "World::at_rest() needs a function to call");
}

TEST_CASE("a replay string of scripts or settings that have changed since is refused") {
  const auto scenario = [](World& world) {
    for (const char* name : {"alice", "bob"})
      world.spawn(name, [&section = world.exclusive("s")](Worker& worker) -> Task<> {
        const Turn turn = section.enter(worker);
        co_await worker.sleep(1ms);
      });
  };
  ExploreOptions options = quiet();
  options.configuration = 1;
  const Verdict found = explore(options, scenario);
  REQUIRE_FALSE(found);
  options.configuration = 2;
  const Verdict refused = replay(found.replay, scenario, options);
  CHECK(refused.oracle == Oracle::replay);
  CHECK(refused.message.find("is of another configuration of 'test'") != std::string::npos);
  const auto changed = [](World& world) {
    world.spawn("alice", [](Worker& worker) -> Task<> { co_await worker.sleep(1ms); });
  };
  options.configuration = 1;
  const Verdict misfit = replay(found.replay, changed, options);
  CHECK(misfit.oracle == Oracle::replay);
  CHECK(misfit.message.starts_with("the replay string does not fit this program ("));
}

namespace {

/// What a process says on standard error that searches `scenario`, and the signal that ends it.
std::pair<std::string, int> end_of_search(const Scenario& scenario) {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    dup2(pipe_ends[1], STDERR_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    ExploreOptions options = quiet(10);
    options.patience = 1s;
    static_cast<void>(explore(options, scenario));
    std::_Exit(0);
  }
  close(pipe_ends[1]);
  std::string said;
  char buffer[512];
  for (ssize_t size; (size = read(pipe_ends[0], buffer, sizeof(buffer))) > 0;)
    said.append(buffer, static_cast<std::size_t>(size));
  close(pipe_ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return {said, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

}  // namespace

TEST_CASE("a coroutine that never comes back ends the process, with a line that names it") {
  const auto [spun, spin_signal] = end_of_search([](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("bob", [&redis](Worker& worker) -> Task<> {
      co_await worker.call(redis, "PING");
      volatile bool goes_on = true;
      while (goes_on) {
      }
    });
  });
  CHECK(spin_signal == SIGABRT);
  CHECK(
      spun.starts_with("picklock: bob has not come back for 1 s: it goes round without co_await"));
  CHECK(std::count(spun.begin(), spun.end(), '\n') == 1);
  const auto [waited, wait_signal] = end_of_search([](World&) {
    Gate gate;
    gate.wait();
  });
  CHECK(wait_signal == SIGABRT);
  CHECK(waited.starts_with("picklock: the scenario has not come back for 1 s"));
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("a worker that asks for ever is told so in seconds") {
  const std::clock_t before = std::clock();  // Of the processor's time.
  const Verdict verdict = explore({.schedules = 3}, [](World& world) {
    Node& redis = world.redis("redis");
    world.spawn("alice", [&redis](Worker& worker) -> Task<> {
      while (true) {
        co_await worker.call(redis, "GET", "lock");
        co_await worker.sleep(1ms);
      }
    });
  });
  CHECK(verdict.oracle == Oracle::endless);
  CHECK((std::clock() - before) / CLOCKS_PER_SEC < 30);
}
#endif
