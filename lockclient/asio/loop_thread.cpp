#include <stdexcept>
#include <thread>

#include <picklock/loop_thread.hpp>
#include <picklock/redis_loop.hpp>

namespace picklock {
namespace {

constexpr Duration kEndWithin = std::chrono::seconds{1};

}  // namespace

struct LoopThread::State {
  void run();

  RedisLoop loop;
  std::vector<std::unique_ptr<Link>> links;
  std::optional<LockClient> client;
  std::thread thread;
};

// Whoever let go of the last reference may have released locks just before: the servers are to hear
// of it.
void LoopThread::State::run() {
  loop.run();
  const Instant limit = loop.now() + kEndWithin;
  while (client->under_way() > 0 && loop.now() < limit) loop.run_one_within(limit - loop.now());
  client.reset();
  links.clear();
}

std::shared_ptr<LoopThread> LoopThread::start(const std::vector<Endpoint>& endpoints) {
  const auto state = std::make_shared<State>();
  std::vector<Link*> links;
  for (const Endpoint& endpoint : endpoints) {
    state->links.push_back(state->loop.connect(endpoint));
    links.push_back(state->links.back().get());
  }
  state->client.emplace(links);
  return std::shared_ptr<LoopThread>{new LoopThread{state}};
}

LoopThread::LoopThread(std::shared_ptr<State> state) : state_(std::move(state)) {
  state_->thread = std::thread{[shared = state_] { shared->run(); }};
}

LoopThread::~LoopThread() {
  post([raw = state_.get()] { raw->loop.stop(); });
  if (is_this_thread()) {
    state_->thread.detach();
  } else {
    state_->thread.join();
  }
}

void LoopThread::post(std::function<void()> task) { state_->loop.post(std::move(task)); }
bool LoopThread::is_this_thread() const {
  return std::this_thread::get_id() == state_->thread.get_id();
}
LockClient& LoopThread::client() { return *state_->client; }

void LoopThread::refuse_to_wait_for_itself() const {
  if (is_this_thread())
    throw std::logic_error(
        "a callback of the locks must not wait for them: their thread would wait for itself");
}

}  // namespace picklock
