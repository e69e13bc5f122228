#include <stdexcept>
#include <string>
#include <vector>

#include <picklock/race/task.hpp>

#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

/// A parameter that brings its pool, as a Worker does.
struct Host {
  FramePool& frames() const { return *pool; }
  FramePool* pool;
};

Task<std::string> name(const Host&) { co_return "alice"; }
Task<int> fail(const Host&) {
  throw std::runtime_error{"no"};
  co_return 1;
}

Task<> greet(const Host& host, std::vector<std::string>& log) {
  const std::string who = co_await name(host);
  log.push_back("hello " + who);
  try {
    log.push_back(std::to_string(co_await fail(host)));
  } catch (const std::runtime_error& error) {
    log.push_back(error.what());
  }
}

struct Farewell {
  std::vector<std::string>& log;
  ~Farewell() { log.push_back("gone"); }
};

Task<> wait_for_ever(const Host&, std::vector<std::string>& log) {
  const Farewell farewell{log};
  co_await std::suspend_always{};
  log.push_back("never");
}

Task<> await_all(const Host&, std::vector<const Task<int>*> tasks, std::vector<std::string>& log) {
  for (const Task<int>* task : tasks) {
    try {
      co_await *task;
    } catch (const std::exception& error) {
      log.push_back(error.what());
    }
  }
}

Task<int> pause(const Host&, bool& resumed) {
  co_await std::suspend_always{};
  resumed = true;
  co_return 1;
}

Task<> outer(const Host& host, std::vector<std::string>& log) { co_await wait_for_ever(host, log); }

}  // namespace

TEST_CASE("a task starts when it is resumed and passes values and exceptions on") {
  FramePool pool;
  const Host host{&pool};
  std::vector<std::string> log;
  Task<> task = greet(host, log);
  CHECK(log.empty());
  task.handle().resume();
  CHECK(task.handle().done());
  CHECK(log == std::vector<std::string>{"hello alice", "no"});
}

TEST_CASE("a task that is empty, or was awaited before, says so to whoever awaits it") {
  FramePool pool;
  const Host host{&pool};
  std::vector<std::string> log;
  const Task<int> once = fail(host);
  const Task<int> empty;
  Task<> task = await_all(host, {&once, &once, &empty}, log);
  task.handle().resume();
  const std::string again = "this Task has no coroutine to await, or it was awaited before";
  CHECK(log == std::vector<std::string>{"no", again, again});
}

TEST_CASE("a task that somebody waits for is nobody else's") {
  FramePool pool;
  const Host host{&pool};
  std::vector<std::string> log;
  bool resumed = false;
  const Task<int> one = pause(host, resumed);
  Task<> first = await_all(host, {&one}, log);
  Task<> second = await_all(host, {&one}, log);
  first.handle().resume();
  second.handle().resume();
  CHECK_FALSE(resumed);
  CHECK(log ==
        std::vector<std::string>{"this Task has no coroutine to await, or it was awaited before"});
  CHECK_FALSE(first.handle().done());
  CHECK(second.handle().done());
}

TEST_CASE("destroying a task destroys what it waits for, as a crash does") {
  FramePool pool;
  const Host host{&pool};
  std::vector<std::string> log;
  Task<> task = outer(host, log);
  task.handle().resume();
  CHECK_FALSE(task.handle().done());
  task.reset();
  CHECK(log == std::vector<std::string>{"gone"});
}

TEST_CASE("an exception that leaves a task stays in its promise") {
  FramePool pool;
  const Host host{&pool};
  Task<int> task = fail(host);
  task.handle().resume();
  CHECK(task.handle().promise().thrown != nullptr);
}

TEST_CASE("a frame pool hands the same memory out again") {
  FramePool pool;
  void* first = FramePool::allocate(&pool, 100);
  void* second = FramePool::allocate(&pool, 100);
  CHECK(first != second);
  FramePool::release(first);
  CHECK(FramePool::allocate(&pool, 120) == first);
  FramePool::release(first);
  FramePool::release(second);
  FramePool::release(FramePool::allocate(&pool, 1'000'000));
  FramePool::release(FramePool::allocate(nullptr, 100));
}
