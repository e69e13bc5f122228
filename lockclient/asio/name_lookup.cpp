#include "lockclient/asio/name_lookup.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <csignal>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace picklock {

struct NameLookup::State {
  void look_up();

  const std::string host;
  const std::uint16_t port;
  std::mutex mutex;  // Over what follows.
  bool asking = false;
  Then then;
  // While `then` is there: the thread may outlive all that the executor belongs to.
  std::optional<asio::executor_work_guard<asio::any_io_executor>> work;
};

void NameLookup::State::look_up() {
  asio::io_context nobody_runs;
  asio::error_code error;
  const auto found =
      asio::ip::tcp::resolver{nobody_runs}.resolve(host, std::to_string(port), error);
  Addresses addresses;
  for (const auto& one : found) addresses.push_back(one.endpoint());
  const std::lock_guard lock{mutex};
  asking = false;
  if (!then) return;
  asio::post(work->get_executor(),
             [then = std::exchange(then, nullptr), addresses = std::move(addresses),
              why = error ? error.message() : std::string{}] { then(why, addresses); });
  work.reset();
}

NameLookup::NameLookup(const asio::any_io_executor& executor, std::string host, std::uint16_t port)
    : executor_(executor),
      state_(std::shared_ptr<State>{new State{std::move(host), port, {}, {}, {}, {}}}) {}

NameLookup::~NameLookup() { cancel(); }

void NameLookup::start(Then then) {
  const std::lock_guard lock{state_->mutex};
  state_->then = std::move(then);
  state_->work.emplace(executor_);
  if (state_->asking) return;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);  // Signals are for the program's own threads.
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    std::thread{[state = state_] { state->look_up(); }}.detach();
    state_->asking = true;
  } catch (const std::system_error& error) {
    asio::post(executor_, [then = std::exchange(state_->then, nullptr),
                           why = std::string{error.what()}] { then(why, {}); });
    state_->work.reset();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void NameLookup::cancel() {
  const std::lock_guard lock{state_->mutex};
  state_->then = nullptr;
  state_->work.reset();
}

}  // namespace picklock
