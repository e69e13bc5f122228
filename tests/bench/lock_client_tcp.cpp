// The lock client over TCP beside hiredis, which sends the same two EVALSHAs by hand: called by
// lock_client.py, which starts the server.
//
//   picklock-lock-bench PORT RUNS PAIRS
//
// prints, for each run, the microseconds that an acquisition and its release take either way.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hiredis/hiredis.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/lock.hpp>
#include <picklock/redis_loop.hpp>

#include "lua/scripts.hpp"

namespace picklock::bench {
namespace {

constexpr const char* kHost = "127.0.0.1";

class ByHand {
 public:
  explicit ByHand(int port) : context_(redisConnect(kHost, port), redisFree) {
    if (!context_ || context_->err != 0) throw std::runtime_error("hiredis cannot connect");
    acquire_ = load("lock_acquire");
    release_ = load("lock_release");
  }

  void acquire_and_release() {
    const std::string owner = std::string(32, 'c') + ':' + std::to_string(++acquisitions_);
    const Reply taken = run(acquire_, owner);
    if (taken->type != REDIS_REPLY_INTEGER)
      throw std::runtime_error("hiredis did not take the lock");
    if (run(release_, owner)->integer != 1)
      throw std::runtime_error("hiredis did not give the lock back");
  }

 private:
  using Reply = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

  Reply call(const std::vector<std::string_view>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string_view word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    void* const reply = redisCommandArgv(context_.get(), static_cast<int>(words.size()),
                                         texts.data(), sizes.data());
    if (reply == nullptr) throw std::runtime_error(context_->errstr);
    return {static_cast<redisReply*>(reply), freeReplyObject};
  }
  std::string load(std::string_view name) {
    return call({"SCRIPT", "LOAD", scripts::find(name)})->str;
  }
  Reply run(const std::string& sha1, const std::string& owner) {
    return call({"EVALSHA", sha1, "3", "picklock:{by-hand}:over:" + std::string(32, 'c') + ":1",
                 "by-hand", "picklock:{by-hand}:over", owner, "30000",
                 std::to_string(kFirst + acquisitions_)});
  }

  std::unique_ptr<redisContext, decltype(&redisFree)> context_;
  std::string acquire_, release_;
  static constexpr std::uint64_t kFirst = 100'000'000'000'000;  // Numbers have 15 digits.
  std::uint64_t acquisitions_ = 0;
};

class ByClient {
 public:
  explicit ByClient(int port)
      : link_(loop_.connect({.host = kHost, .port = static_cast<std::uint16_t>(port)})) {}

  void acquire_and_release() {
    auto held = lock_.acquire().get();
    if (!held || held->release().get() != Released::released)
      throw std::runtime_error("the lock client did not take the lock and give it back");
  }

 private:
  RedisLoop loop_;
  std::unique_ptr<Link> link_;
  LockClient client_{*link_};
  Lock lock_{client_, "ledger", {.ttl = std::chrono::seconds{30}}};
};

template <class Way>
double microseconds(Way& way, int pairs) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < pairs; ++i) way.acquire_and_release();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  return took.count() / pairs;
}

void measure(int port, int runs, int pairs) {
  ByHand hand(port);
  ByClient client(port);
  microseconds(hand, pairs / 10);  // Both are warm before anything counts.
  microseconds(client, pairs / 10);
  for (int run = 0; run < runs; ++run) {
    const bool first = run % 2 == 0;
    const double before = first ? 0 : microseconds(hand, pairs);
    const double ours = microseconds(client, pairs);
    std::printf("%.3f %.3f\n", ours, first ? microseconds(hand, pairs) : before);
  }
}

}  // namespace
}  // namespace picklock::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: picklock-lock-bench PORT RUNS PAIRS\n");
    return 2;
  }
  try {
    picklock::bench::measure(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "picklock-lock-bench: %s\n", error.what());
    return 1;
  }
}
