// Workers that block, and how their threads and the world take turns.
#include <chrono>
#include <stdexcept>
#include <utility>

#include "fuzz/world/baton.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {

namespace {
/// Of real time: only to notice a body that waits for something outside its world.
constexpr std::chrono::seconds kPatience{10};

/// Calls of code that cannot throw, after a crash: enough for destructors, not for ever.
constexpr int kMostLateCalls = 256;

thread_local BlockingWorker* current_worker = nullptr;
thread_local const std::atomic<bool>* left_behind = nullptr;  ///< Of this thread's worker.

/// Where a crash finds its worker's thread. Destructors on the way out must not throw it again.
void leave_crashed(Demand::Kind kind) {
  if (std::uncaught_exceptions() == 0) throw WorkerCrashed{};
  if (kind == Demand::Kind::call) throw ConnectionLost{};
}
}  // namespace

BlockingWorker::Baton::Baton(std::function<void(BlockingWorker&)> body)
    : shared_(std::make_shared<Shared>()) {
  shared_->body = std::move(body);
}

void BlockingWorker::Baton::end() {
  if (!thread_.joinable()) return;
  std::unique_lock lock{shared_->mutex};
  if (!shared_->ended && !shared_->left_behind) {
    shared_->crashed = true;
    if (!pass(*shared_, lock)) {
      shared_->left_behind = true;
      give_up(*worker_);
    }
  }
  const bool ended = shared_->ended;
  lock.unlock();
  ended ? thread_.join() : thread_.detach();
}

/// Gives the body its turn and waits for it to end. False if it does not.
bool BlockingWorker::Baton::pass(Shared& shared, std::unique_lock<std::mutex>& lock) {
  shared.turn = Turn::body;
  shared.changed.notify_all();
  return shared.changed.wait_for(lock, kPatience, [&] { return shared.turn == Turn::world; });
}

void BlockingWorker::Baton::run_body(Shared& shared, Worker& worker, Baton& baton) {
  BlockingWorker handle{worker, baton};
  std::exception_ptr thrown;
  current_worker = &handle;
  left_behind = &shared.left_behind;
  try {
    shared.body(handle);
  } catch (const WorkerCrashed&) {
  } catch (...) {
    thrown = std::current_exception();
  }
  current_worker = nullptr;
  const std::lock_guard lock{shared.mutex};
  shared.thrown = std::exchange(thrown, nullptr);
  shared.demand = {};
  shared.ended = true;
  shared.turn = Turn::world;
  shared.changed.notify_all();
}

void BlockingWorker::give_up(Worker& worker) { worker.simulation_->give_up(worker.index_); }

const Demand& BlockingWorker::Baton::let_run(Worker& worker) {
  std::unique_lock lock{shared_->mutex};
  worker_ = &worker;
  if (!thread_.joinable()) {
    thread_ = std::thread{[baton = shared_from_this(), &worker] {
      Shared& shared = *baton->shared_;
      {
        std::unique_lock wait{shared.mutex};
        shared.changed.wait(wait, [&] { return shared.turn == Turn::body; });
      }
      run_body(shared, worker, *baton);
    }};
  }
  if (!pass(*shared_, lock)) {
    shared_->left_behind = shared_->crashed = true;  // Should it come back after all.
    give_up(worker);
    throw std::runtime_error{"it has been given up"};
  }
  if (shared_->thrown) std::rethrow_exception(std::exchange(shared_->thrown, nullptr));
  return shared_->demand;
}

void BlockingWorker::Baton::want(const Demand& demand) {
  Shared& shared = *shared_;
  std::unique_lock lock{shared.mutex};
  if (shared.crashed) return leave_crashed(demand.kind);
  shared.demand = demand;
  shared.turn = Turn::world;
  shared.changed.notify_all();
  shared.changed.wait(lock, [&] { return shared.turn == Turn::body; });
  if (shared.crashed) leave_crashed(demand.kind);
}

void BlockingWorker::Baton::linger(Duration duration) {
  lingered_ += duration;
  if (++late_calls_ > kMostLateCalls && std::uncaught_exceptions() == 0) throw WorkerCrashed{};
}

void BlockingWorker::Baton::stay_if_left_behind() {
  std::unique_lock lock{shared_->mutex};
  if (shared_->left_behind) shared_->changed.wait(lock, [] { return false; });
}

Reply BlockingWorker::Baton::take_reply() {
  if (std::exchange(shared_->lost, false)) throw ConnectionLost{};
  return std::move(shared_->reply);
}

BlockingWorker* BlockingWorker::current() noexcept { return current_worker; }
bool is_left_behind() noexcept { return left_behind != nullptr && *left_behind; }
std::string_view BlockingWorker::name() const {
  return baton_->ask([this] { return worker_->name(); }, std::string_view{});
}
Instant BlockingWorker::now() const {
  return baton_->ask([this] { return worker_->now(); }, kDefaultStart) + baton_->lingered();
}
Instant BlockingWorker::wall_clock() const {
  return baton_->ask([this] { return worker_->wall_clock(); }, kDefaultStart) + baton_->lingered();
}
Worker& BlockingWorker::worker() {
  if (baton_->has_crashed() && std::uncaught_exceptions() == 0) throw WorkerCrashed{};
  baton_->stay_if_left_behind();  // A destructor's call, which cannot be refused.
  return *worker_;
}
std::uint64_t BlockingWorker::random() {
  return baton_->ask([this] { return worker_->random(); }, std::uint64_t{0});
}

Reply BlockingWorker::call(Node& node, std::span<const std::string_view> words) {
  baton_->want({.kind = Demand::Kind::call, .node = &node, .words = words});
  return baton_->take_reply();
}
void BlockingWorker::sleep(Duration duration) {
  baton_->want({.kind = Demand::Kind::sleep, .least = duration});
}
void BlockingWorker::sleep_quietly(Duration duration) {
  try {
    sleep(duration);
  } catch (const WorkerCrashed&) {
  }
  if (baton_->has_crashed()) baton_->linger(duration);
}
std::optional<Reply> BlockingWorker::call_quietly(Node& node,
                                                  std::span<const std::string_view> words) {
  try {
    return call(node, words);
  } catch (const ConnectionLost&) {
  } catch (const WorkerCrashed&) {
    baton_->linger({});
  }
  return std::nullopt;
}
void BlockingWorker::pause(Duration least, Duration most) {
  baton_->want({.kind = Demand::Kind::pause, .least = least, .most = most});
}

Task<> run_blocking(Worker& worker, std::function<void(BlockingWorker&)> body) {
  const auto baton = std::make_shared<BlockingWorker::Baton>(std::move(body));
  const BlockingWorker::Baton::Ending ending{*baton};
  while (true) {
    const Demand demand = baton->let_run(worker);
    switch (demand.kind) {
      case Demand::Kind::done:
        co_return;
      case Demand::Kind::sleep:
        co_await worker.sleep(demand.least);
        break;
      case Demand::Kind::pause:
        co_await worker.pause(demand.least, demand.most);
        break;
      case Demand::Kind::call:
        try {
          const Call call = worker.call(*demand.node, demand.words);
          Reply reply = co_await call;
          baton->give(std::move(reply));
        } catch (const ConnectionLost&) {
          baton->give_lost();
        }
        break;
    }
  }
}

}  // namespace picklock::race
