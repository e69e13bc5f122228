// The baton that the world and one blocking worker's thread pass to each other.
//
// Used by blocking.cpp. Whoever holds it runs; the other one waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <picklock/race/blocking.hpp>

namespace picklock::race {

/// What a blocking body wants of the world.
struct Demand {
  enum class Kind : std::uint8_t { done, call, sleep, pause };
  Kind kind = Kind::done;
  Node* node = nullptr;
  std::span<const std::string_view> words;
  Duration least{}, most{};
};

/// Whether this thread is that of a blocking worker that was given up: its world may be gone.
bool is_left_behind() noexcept;

class BlockingWorker::Baton : public std::enable_shared_from_this<Baton> {
 public:
  /// The thread has a share in it, so that one that was left behind finds it when it comes back.
  explicit Baton(std::function<void(BlockingWorker&)> body);
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;

  // On the world's thread.
  /// Crashes the body if it has not ended, and waits for that.
  void end();
  struct Ending {
    Baton& baton;
    ~Ending() { baton.end(); }
  };
  /// Lets the body run until it wants something. Throws what the body threw, and
  /// std::runtime_error if it does not come back.
  const Demand& let_run(Worker& worker);
  void give(Reply reply) { shared_->reply = std::move(reply); }
  void give_lost() { shared_->lost = true; }

  // On the body's thread.
  /// Returns when the demand has been met.
  void want(const Demand& demand);
  Reply take_reply();
  /// Only the body runs once the worker has crashed: its thread alone reads what follows.
  bool has_crashed() const { return shared_->crashed; }
  /// Never comes back where there may be no worker any more.
  void stay_if_left_behind();
  /// A sleep after the crash, or another call that cannot throw. Throws WorkerCrashed all the same
  /// when there have been too many.
  void linger(Duration duration);
  Duration lingered() const { return lingered_; }
  /// What `ask(worker)` says; `otherwise` once the body was left behind: there may be no worker
  /// then.
  template <class Ask, class Answer>
  Answer ask(const Ask& ask, Answer otherwise) const {
    const std::lock_guard lock{shared_->mutex};
    return shared_->left_behind ? otherwise : ask();
  }

 private:
  enum class Turn : std::uint8_t { world, body };
  /// Shared with the thread, which is left behind if it never comes back.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    Turn turn = Turn::world;
    std::atomic<bool> crashed = false;      ///< Written while the body runs, if it is given up.
    std::atomic<bool> left_behind = false;  ///< It has not come back, and nobody waits any more.
    bool ended = false;
    Demand demand;
    Reply reply;
    bool lost = false;
    std::exception_ptr thrown;
    std::function<void(BlockingWorker&)> body;
  };
  static void run_body(Shared& shared, Worker& worker, Baton& baton);
  static bool pass(Shared& shared, std::unique_lock<std::mutex>& lock);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
  Duration lingered_{};
  int late_calls_ = 0;
  Worker* worker_ = nullptr;
};

}  // namespace picklock::race
