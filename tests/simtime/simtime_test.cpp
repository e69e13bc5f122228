// Blocking code as it is, with the C library's clocks and sleeps, in the simulated world.
#include <condition_variable>
#include <mutex>
#include <sys/time.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#include <picklock/race/hiredis.hpp>

#include "tests/race/hiredis_lock.hpp"
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;
using picklock::tests::HiredisLock;
using picklock::tests::Release;
using std::chrono::steady_clock;
using std::chrono::system_clock;

namespace {

/// Runs `body` as the only worker of a world, in one schedule.
Verdict run_alone(const std::function<void(BlockingWorker&)>& body) {
  return explore(quiet(1), [&](World& world) { spawn_blocking(world, "alice", body); });
}

/// What `act` takes on the clocks of the thread that it runs on.
struct Taken {
  steady_clock::duration steady;
  system_clock::duration wall;
};
template <class Act>
Taken taken_by(Act act) {
  const auto steady = steady_clock::now();
  const auto wall = system_clock::now();
  act();
  return {steady_clock::now() - steady, system_clock::now() - wall};
}

/// A mutex as people write it: it tries again until it gives up, sleeps in between, and frees the
/// lock in its destructor.
class PatientLock {
 public:
  PatientLock(hiredis::redisContext* context, std::string token, Release release)
      : lock_(context, "lock", std::move(token), release) {
    const auto give_up = steady_clock::now() + 5s;
    while (!held_ && steady_clock::now() < give_up) {
      until_ = steady_clock::now() + 1000ms;
      held_ = lock_.acquire(1000);
      if (!held_) std::this_thread::sleep_for(100ms);
    }
  }
  ~PatientLock() {
    if (held_) lock_.release();
  }
  PatientLock(const PatientLock&) = delete;
  PatientLock& operator=(const PatientLock&) = delete;

  bool is_held() const { return held_ && steady_clock::now() < until_; }
  steady_clock::time_point until() const { return until_; }

 private:
  HiredisLock<hiredis::redisContext, hiredis::redisReply> lock_;
  bool held_ = false;
  steady_clock::time_point until_;
};

Verdict search_lock(Release release, std::uint64_t schedules) {
  ExploreOptions options = quiet(schedules);
  options.faults.crashes = 1;
  options.max_delay = 5ms;
  return explore(options, [=](World& world) {
    Node& redis = world.redis("redis");
    Exclusive& section = world.exclusive("section");
    world.lock_key(redis, "lock");
    for (const char* name : {"alice", "bob"}) {
      spawn_blocking(world, name, [&redis, &section, release](BlockingWorker& worker) {
        hiredis::redisContext context{worker, redis};
        const PatientLock lock{&context, std::string{worker.name()}, release};
        if (!lock.is_held()) return;
        const Turn turn = section.enter(worker.worker());
        std::this_thread::sleep_until(lock.until() - 3ms);
      });
    }
  });
}

}  // namespace

TEST_CASE("every way to sleep takes the world's time, to the microsecond, and none of ours") {
  const auto began = steady_clock::now();
  int ways = 0;
  const auto takes = [&](steady_clock::duration expected, const std::function<void()>& act) {
    const Taken taken = taken_by(act);
    CHECK(taken.steady == expected);
    CHECK(taken.wall == expected);
    ++ways;
  };
  const Verdict verdict = run_alone([&](BlockingWorker&) {
    takes(1h, [] { std::this_thread::sleep_for(1h); });
    takes(90min, [] { std::this_thread::sleep_until(system_clock::now() + 90min); });
    takes(1500us, [] { std::this_thread::sleep_for(1500us); });
    takes(1us, [] { std::this_thread::sleep_for(1ns); });
    takes(0s, [] { std::this_thread::sleep_until(steady_clock::now() - 1h); });
    takes(3600s, [] { CHECK(::sleep(3600) == 0); });
    takes(250ms, [] { CHECK(::usleep(250'000) == 0); });
    takes(2s, [] {
      const timespec time{2, 0};
      CHECK(::nanosleep(&time, nullptr) == 0);
    });
    takes(7s, [] {
      timespec time{};
      CHECK(::clock_gettime(CLOCK_MONOTONIC, &time) == 0);
      time.tv_sec += 7;
      CHECK(::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == 0);
    });
    takes(40min, [] {
      std::mutex mutex;
      std::condition_variable condition;
      std::unique_lock lock{mutex};
      CHECK(condition.wait_for(lock, 40min) == std::cv_status::timeout);
      CHECK(lock.owns_lock());
    });
    takes(50min, [] {
      std::mutex mutex;
      std::condition_variable condition;
      std::unique_lock lock{mutex};
      CHECK_FALSE(condition.wait_until(lock, system_clock::now() + 50min, [] { return false; }));
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(ways == 22);  // Each schedule is run twice.
  CHECK(steady_clock::now() - began < 60s);
}

TEST_CASE("every clock of a worker is the world's") {
  bool done = false;
  const Verdict verdict = run_alone([&](BlockingWorker& worker) {
    const auto start = picklock::kDefaultStart;
    CHECK(worker.wall_clock() == start);
    CHECK(system_clock::now() == start);
    CHECK(::time(nullptr) ==
          std::chrono::duration_cast<std::chrono::seconds>(start.time_since_epoch()).count());
    std::this_thread::sleep_for(1500ms);
    timeval now{};
    CHECK(::gettimeofday(&now, nullptr) == 0);
    CHECK(now.tv_usec == 500'000);
    timespec standard{};
    CHECK(std::timespec_get(&standard, TIME_UTC) == TIME_UTC);
    CHECK(standard.tv_sec == now.tv_sec);
    CHECK(standard.tv_nsec == 500'000'000);
    CHECK(std::timespec_get(&standard, 0) == 0);
    CHECK(std::chrono::duration_cast<picklock::Duration>(steady_clock::now().time_since_epoch()) ==
          worker.now().time_since_epoch());
    done = true;
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(done);
}

TEST_CASE("what is no time is refused as the C library does") {
  run_alone([&](BlockingWorker&) {
    const timespec wrong{0, 1'000'000'000};
    CHECK(::nanosleep(&wrong, nullptr) == -1);
    CHECK(errno == EINVAL);
    CHECK(::clock_nanosleep(CLOCK_REALTIME, 0, &wrong, nullptr) == EINVAL);
  });
  const timespec wrong{0, 1'000'000'000};
  CHECK(::nanosleep(&wrong, nullptr) == -1);
  CHECK(errno == EINVAL);
}

TEST_CASE("threads that are no workers have real clocks and sleeps") {
  CHECK(system_clock::now() > system_clock::time_point{picklock::kDefaultStart + 24h * 365 * 3});
  const Taken taken = taken_by([] {
    std::this_thread::sleep_for(20ms);
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock{mutex};
    condition.wait_for(lock, 20ms);
    condition.wait_until(lock, system_clock::now() + 20ms);
  });
  CHECK(taken.steady >= 60ms);
  CHECK(taken.steady < 20s);
}

TEST_CASE("a lock that sleeps and reads clocks as they are is searched unchanged") {
  const Verdict sound = search_lock(Release::checked_by_script, 1'000);
  INFO(sound);
  CHECK(sound);
  const Verdict broken = search_lock(Release::get_then_del, 10'000);
  INFO(broken);
  CHECK(broken.verdict == Class::violation);
  CHECK(broken.oracle == Oracle::ownership);
  CHECK(search_lock(Release::get_then_del, 10'000).timeline == broken.timeline);
}

TEST_CASE("a worker that has crashed ends, in whatever loop the crash finds it") {
  ExploreOptions options = quiet(100);
  options.faults.crashes = 1;
  for (const bool with_deadline : {true, false}) {
    int late_entries = 0;
    const Verdict verdict = explore(options, [&](World& world) {
      Node& redis = world.redis("redis");
      Exclusive& section = world.exclusive("section");
      spawn_blocking(world, "alice", [&, with_deadline](BlockingWorker& worker) {
        const auto until = steady_clock::now() + (with_deadline ? 1h : 24h * 365);
        int tries = 0;
        while (steady_clock::now() < until && ++tries < (with_deadline ? 10'000 : 100)) {
          hiredis::redisContext context{worker, redis};
          auto* reply = static_cast<hiredis::redisReply*>(redisCommand(&context, "INCR n"));
          const bool lost = reply == nullptr;
          freeReplyObject(reply);
          if (lost && !with_deadline) tries = 0;  // For ever.
          std::this_thread::sleep_for(1min);
        }
        Turn turn = section.enter(worker.worker());
        late_entries += worker.worker().name().empty() ? 1 : 0;
      });
    });
    INFO(verdict);
    CHECK(verdict);
    CHECK(late_entries == 0);
  }
}

TEST_CASE("a crash in a sleep unwinds, and destructors on the way may call and sleep") {
  ExploreOptions options = quiet(200);
  options.faults.crashes = 1;
  int unwound = 0;
  const Verdict verdict = explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    spawn_blocking(world, "alice", [&](BlockingWorker& worker) {
      struct Guard {
        BlockingWorker& worker;
        Node& redis;
        int& unwound;
        ~Guard() {
          const bool crashed = std::uncaught_exceptions() > 0;
          unwound += crashed ? 1 : 0;
          worker.sleep_quietly(10ms);
          hiredis::redisContext context{worker, redis};
          auto* reply = static_cast<hiredis::redisReply*>(redisCommand(&context, "INCR n"));
          if (crashed) CHECK(reply == nullptr);
          freeReplyObject(reply);
        }
      } const guard{worker, redis, unwound};
      worker.call(redis, "INCR", "n");
      worker.sleep(1h);
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(unwound > 0);
}
