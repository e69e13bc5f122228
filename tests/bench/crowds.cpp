#include "tests/bench/crowds.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

namespace picklock::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::array<std::size_t, 3> kSizes{100, 1'000, 10'000};
constexpr std::size_t kRuns = 5;
/// What 10,000 at once may cost of what 100 do: their memory is no longer in the processor's
/// caches, and the maps in which they stand are deeper.
constexpr double kMostGrowth = 8;

enum Step : std::size_t { take, give_back, wait, be_woken, ask };
constexpr std::array kSteps{"taken, free", "given back", "waited for", "given on", "looked at"};
using Costs = std::array<double, kSteps.size()>;  ///< Microseconds of each.

/// Two clients, and as many locks.
class Crowd {
 public:
  explicit Crowd(std::size_t size) : size_(size) {}

  Costs run() {
    Costs costs{};
    const auto timed = [&](Step step, auto work) {
      const auto begin = steady_clock::now();
      work();
      const std::chrono::duration<double, std::micro> spent = steady_clock::now() - begin;
      costs[step] = spent.count() / static_cast<double>(size_);
    };
    timed(take, [&] { holds_ = finish(begin(client_)); });
    timed(ask, [&] { look(); });
    timed(give_back, [&] { release(); });
    holds_ = finish(begin(client_));
    std::vector<Ongoing<Outcome<Hold>>> waiting;
    timed(wait, [&] {
      waiting = begin(other_);
      loop_.advance(milliseconds{1});
    });
    timed(be_woken, [&] {
      release();
      holds_ = finish(std::move(waiting));
    });
    release();
    return costs;
  }

 private:
  std::vector<Ongoing<Outcome<Hold>>> begin(LockClient& client) {
    std::vector<Ongoing<Outcome<Hold>>> begun;
    for (std::size_t i = 0; i < size_; ++i) begun.push_back(Lock{client, name(i)}.acquire());
    return begun;
  }
  static std::vector<Hold> finish(std::vector<Ongoing<Outcome<Hold>>> begun) {
    std::vector<Hold> holds;
    for (auto& one : begun) holds.push_back(one.get().value());
    return holds;
  }
  void release() {
    std::vector<Ongoing<Released>> begun;
    for (Hold& hold : holds_) begun.push_back(hold.release());
    for (auto& one : begun) {
      if (one.get() != Released::released) throw std::runtime_error("a lock was not released");
    }
    holds_.clear();
  }
  void look() {
    std::vector<Ongoing<Outcome<std::vector<Holder>>>> begun;
    for (std::size_t i = 0; i < size_; ++i) begun.push_back(client_.who_holds(name(i)));
    for (auto& one : begun) {
      if (one.get().value().size() != 1) throw std::runtime_error("a lock was not held");
    }
  }
  static std::string name(std::size_t number) { return "lock " + std::to_string(number); }

  std::size_t size_;
  Emulator redis_;
  LocalLoop loop_;
  std::unique_ptr<Link> link_ = loop_.connect(redis_);
  std::unique_ptr<Link> other_link_ = loop_.connect(redis_);
  LockClient client_{*link_};
  LockClient other_{*other_link_};
  std::vector<Hold> holds_;
};

Costs median(std::size_t size) {
  std::array<Costs, kRuns> runs;
  for (Costs& costs : runs) costs = Crowd{size}.run();
  Costs middle{};
  for (std::size_t step = 0; step < middle.size(); ++step) {
    std::array<double, kRuns> sorted{};
    for (std::size_t i = 0; i < kRuns; ++i) sorted[i] = runs[i][step];
    std::sort(sorted.begin(), sorted.end());
    middle[step] = sorted[kRuns / 2];
  }
  return middle;
}

}  // namespace

bool print_crowds() {
  std::array<Costs, kSizes.size()> costs;
  for (std::size_t i = 0; i < kSizes.size(); ++i) costs[i] = median(kSizes[i]);
  std::printf("\n%-34s", "locks of one client at once (us each)");
  for (const std::size_t size : kSizes) std::printf(" %10zu", size);
  std::printf("   growth\n");
  bool met = true;
  for (std::size_t step = 0; step < kSteps.size(); ++step) {
    std::printf("%-37s", kSteps[step]);
    for (const Costs& one : costs) std::printf(" %10.2f", one[step]);
    const double growth = costs.back()[step] / costs.front()[step];
    met = met && growth <= kMostGrowth;
    std::printf("   %6.2f <= %.0f  %s\n", growth, kMostGrowth,
                growth <= kMostGrowth ? "" : "MISSED");
  }
  return met;
}

}  // namespace picklock::bench
