// Workers that block: code that waits for replies and sleeps, as it is, in the simulated world.
//
//   spawn_blocking(world, "alice", [&redis](BlockingWorker& worker) {
//     Reply reply = worker.call(redis, "SET", "lock", "alice", "NX", "PX", 500);
//     worker.sleep(100ms); ...
//   });
//
// The body runs on a thread of its own, but only while the world waits for it: one baton goes round
// and only its holder runs, so that nothing hangs on the machine's scheduler. Time passes only in
// sleep() and in waiting for replies; in a program that links picklock::simtime also in
// std::this_thread::sleep_for and its like, and the clocks of std::chrono are the worker's. When
// the world crashes the worker, the call that it is in throws WorkerCrashed: let it pass. A body
// that does not come back to the world for ten seconds is given up: it waits for something outside
// its world.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <picklock/race/world.hpp>

#pragma GCC visibility push(default)

namespace picklock::race {

/// Leaves whatever call of a BlockingWorker the crash of its worker finds it in. Not an
/// std::exception, so that handlers of errors let it pass. In destructors on its way a sleep is
/// over at once, and a request finds its connection lost. What is called like C (hiredis's
/// interface, the sleeps of picklock::simtime) throws nothing and does the same, until the body
/// ends by itself or has called a few hundred times more.
struct WorkerCrashed {};

/// What a worker of blocking code is given. Belongs to the thread of its body.
class BlockingWorker {
 public:
  /// As Worker::name().
  std::string_view name() const;
  /// As Worker::now(): the worker's monotonic time.
  Instant now() const;
  /// As Worker::wall_clock(), which may jump.
  Instant wall_clock() const;
  /// 64 bits that the schedule decides.
  std::uint64_t random();

  /// Sends a request and waits for its reply. Throws ConnectionLost when the connection breaks
  /// first.
  template <class... Words>
  requires(sizeof...(Words) > 0 && (std::constructible_from<picklock::detail::Word, const Words&> &&
                                    ...)) Reply call(Node& node, const Words&... words) {
    const std::array<picklock::detail::Word, sizeof...(Words)> texts{
        picklock::detail::Word(words)...};
    std::array<std::string_view, sizeof...(Words)> views;
    for (std::size_t i = 0; i < texts.size(); ++i) views[i] = texts[i].view();
    return call(node, std::span<const std::string_view>{views});
  }
  /// The same for words that are known at run time only.
  Reply call(Node& node, std::span<const std::string_view> words);
  /// Lets simulated time pass; throws WorkerCrashed if the worker crashes meanwhile.
  void sleep(Duration duration);
  /// See Worker::pause().
  void pause(Duration least, Duration most);

  /// The worker whose body runs on this thread; null on every other thread.
  static BlockingWorker* current() noexcept;

  /// As sleep(), for code that cannot throw.
  void sleep_quietly(Duration duration);
  /// As call(), for code that cannot throw; nullopt if the connection breaks or the worker has
  /// crashed.
  std::optional<Reply> call_quietly(Node& node, std::span<const std::string_view> words);

  /// The worker itself, for Exclusive::enter and its like.
  Worker& worker();

  class Baton;
  /// spawn_blocking() makes it.
  BlockingWorker(Worker& worker, Baton& baton) : worker_(&worker), baton_(&baton) {}

 private:
  static void give_up(Worker& worker);

  Worker* worker_;
  Baton* baton_;
};

/// A worker's task that runs `body` on a thread of its own.
Task<> run_blocking(Worker& worker, std::function<void(BlockingWorker&)> body);

/// Adds a worker whose body blocks.
inline void spawn_blocking(World& world, std::string_view name,
                           std::function<void(BlockingWorker&)> body) {
  world.spawn(name,
              [body = std::move(body)](Worker& worker) { return run_blocking(worker, body); });
}

}  // namespace picklock::race

#pragma GCC visibility pop
