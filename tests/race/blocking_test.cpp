// Blocking code in the simulated world: workers on threads, and the interface of hiredis.
#include <set>

#include <picklock/race/hiredis.hpp>

#include "tests/race/hiredis_lock.hpp"
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;
using picklock::tests::HiredisLock;
using picklock::tests::Release;

namespace {

Verdict search_lock(Release release, std::uint64_t schedules) {
  ExploreOptions options = quiet(schedules);
  options.faults.pauses = 1;
  return explore(options, [=](World& world) {
    Node& redis = world.redis("redis");
    Exclusive& section = world.exclusive("section");
    world.lock_key(redis, "lock");
    for (const char* name : {"alice", "bob"}) {
      spawn_blocking(world, name, [&redis, &section, release](BlockingWorker& worker) {
        hiredis::redisContext context{worker, redis};
        HiredisLock<hiredis::redisContext, hiredis::redisReply> lock{
            &context, "lock", std::string{worker.name()}, release};
        const auto until = worker.now() + 1000ms;
        if (!lock.acquire(1000)) return;
        if (worker.now() < until) {
          Turn turn = section.enter(worker.worker());
          worker.pause(0ms, until - worker.now());
        }
        lock.release();
      });
    }
  });
}

/// What one command answers over the interface of hiredis, and what it was.
std::string shown(const hiredis::redisReply* reply) {
  if (reply == nullptr) return "null";
  std::string text = std::to_string(reply->type) + ":";
  if (reply->type == hiredis::kReplyInteger) return text + std::to_string(reply->integer);
  if (reply->str != nullptr) return text + std::string{reply->str, reply->len};
  for (std::size_t i = 0; i < reply->elements; ++i)
    text += (i == 0 ? "" : ",") + shown(reply->element[i]);
  return text;
}

}  // namespace

TEST_CASE("a blocking lock class with GET and DEL in two steps is caught") {
  const Verdict verdict = search_lock(Release::get_then_del, 10'000);
  INFO(verdict);
  CHECK(verdict.verdict == Class::violation);
  CHECK(verdict.oracle == Oracle::ownership);
}

TEST_CASE("the same class with a checked release holds") {
  const Verdict verdict = search_lock(Release::checked_by_script, 1'500);
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("blocking workers are searched exhaustively, too") {
  ExploreOptions options = quiet(100'000);
  options.strategy = Strategy::exhaustive;
  std::set<std::string> ends;
  const Verdict verdict = explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    for (const char* name : {"a", "b"}) {
      spawn_blocking(world, name, [&](BlockingWorker& worker) {
        worker.call(redis, "APPEND", "log", worker.name());
        ends.insert(worker.call(redis, "GET", "log").text());
      });
    }
  });
  CHECK(verdict.complete);
  CHECK(ends == std::set<std::string>{"a", "b", "ab", "ba"});
}

TEST_CASE("a blocking worker that crashes is unwound, and its world goes on") {
  ExploreOptions options = quiet(300);
  options.faults.crashes = 1;
  int unwound = 0;
  int whole = 0;
  const Verdict verdict = explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    spawn_blocking(world, "alice", [&](BlockingWorker& worker) {
      struct Count {
        int* counter;
        ~Count() { ++*counter; }
      } count{&unwound};
      worker.call(redis, "INCR", "n");
      worker.sleep(10ms);
      worker.call(redis, "INCR", "n");
      count.counter = &whole;
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(unwound > 0);
  CHECK(whole > 0);
}

TEST_CASE("what a blocking worker throws is the verdict") {
  const Verdict verdict = explore(quiet(10), [](World& world) {
    spawn_blocking(world, "alice", [](BlockingWorker&) { throw std::runtime_error{"no luck"}; });
  });
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.message == "alice: no luck");
}

TEST_CASE("the interface of hiredis words commands and answers as hiredis does") {
  const Verdict verdict = explore(quiet(1), [](World& world) {
    Node& redis = world.redis("redis");
    spawn_blocking(world, "alice", [&](BlockingWorker& worker) {
      hiredis::redisContext context{worker, redis};
      const auto call = [&](auto... arguments) {
        auto* reply = static_cast<hiredis::redisReply*>(redisCommand(&context, arguments...));
        const std::string text = shown(reply);
        freeReplyObject(reply);
        return text;
      };
      CHECK(call("SET %s %b", "k", "a b\0c", std::size_t{5}) == "5:OK");
      CHECK(call("GET  k") == "1:" + std::string("a b\0c", 5));
      CHECK(call("GET none") == "4:");
      CHECK(call("INCRBY n %lld", 40LL) == "3:40");
      CHECK(call("INCRBY n %d", 2) == "3:42");
      CHECK(call("SET pct-%s 100%%", "x") == "5:OK");
      CHECK(call("MGET n pct-x none") == "2:1:42,1:100%,4:");
      CHECK(call("INCR k") == "6:ERR value is not an integer or out of range");
      CHECK(call("SET f %.3f", 0.5) == "5:OK");
      CHECK(call("GET f") == "1:0.500");
      CHECK(call("ECHO %0200d", 7) == "1:" + std::string(199, '0') + "7");
      CHECK(call("STRLEN %.500f", 1e300) == "3:0");
      CHECK(call("ECHO %hhd,%hd,%ld,%lu", 300, 70'000, -5L, 5UL) == "1:44,4464,-5,5");
      const char* words[] = {"SET", "e", ""};
      auto* reply =
          static_cast<hiredis::redisReply*>(redisCommandArgv(&context, 3, words, nullptr));
      CHECK(shown(reply) == "5:OK");
      freeReplyObject(reply);
    });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("a format that hiredis does not understand is an error of the context, as there") {
  const Verdict verdict = explore(quiet(1), [](World& world) {
    Node& redis = world.redis("redis");
    spawn_blocking(world, "alice", [&](BlockingWorker& worker) {
      for (const char* format : {"ECHO %q", "ECHO %5", "ECHO %zu", "ECHO %lf", "ECHO %lll"}) {
        CAPTURE(format);
        hiredis::redisContext context{worker, redis};
        CHECK(redisCommand(&context, format, 7) == nullptr);
        CHECK(context.err == hiredis::kErrOther);
        CHECK(std::string{context.errstr} == "Invalid format string");
        CHECK(redisCommand(&context, "PING") == nullptr);
      }
    });
  });
  INFO(verdict);
  CHECK(verdict);
}

TEST_CASE("a broken connection gives null until it is made again") {
  ExploreOptions options = quiet(200);
  options.faults.lost_requests = 1;
  int broken = 0;
  const Verdict verdict = explore(options, [&](World& world) {
    Node& redis = world.redis("redis");
    spawn_blocking(world, "alice", [&](BlockingWorker& worker) {
      hiredis::redisContext context{worker, redis};
      auto* reply = static_cast<hiredis::redisReply*>(redisCommand(&context, "INCR n"));
      const bool lost = reply == nullptr;
      freeReplyObject(reply);
      if (!lost) return;
      ++broken;
      CHECK(context.err == hiredis::kErrEof);
      CHECK(redisCommand(&context, "INCR n") == nullptr);
      CHECK(redisReconnect(&context) == 0);
      reply = static_cast<hiredis::redisReply*>(redisCommand(&context, "INCR n"));
      CHECK((reply != nullptr && reply->integer == 1));
      freeReplyObject(reply);
    });
  });
  INFO(verdict);
  CHECK(verdict);
  CHECK(broken > 0);
}
