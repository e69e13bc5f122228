// How the workers of a world stand, and which connections have messages on their way: kept as bits,
// for every step asks these of all of them.
//
// Plain values.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/world/ids.hpp"

namespace picklock::race {

/// Calls `visit(index)` for each bit that is set, the lowest first.
template <class Bits, class Visit>
void for_each_bit(Bits bits, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

enum class WorkerState : std::uint8_t {
  ready,
  sleeping,
  waiting,
  pausing,
  elsewhere,  ///< Waits for something that a listener of one of its links will resume.
  finished,
  crashed,
};

class Standing {
 public:
  /// A bit for each worker.
  using Set = std::uint32_t;

  /// Without workers.
  void clear() { *this = Standing{}; }
  /// Has one more, the next one: ready, and not yet started.
  void add(std::size_t worker) {
    all_ |= bit(worker);
    who_[static_cast<std::size_t>(WorkerState::ready)] |= bit(worker);
    full_lanes_ = (worker + 1) / kTogether;
    unused_bits_ = kBits * (kTogether - (worker + 1) % kTogether);
  }

  WorkerState state(std::size_t worker) const {
    return static_cast<WorkerState>(lanes_[lane(worker)] >> shift(worker) >> 2 & 7);
  }
  /// As state() would say, and quicker.
  bool is(WorkerState state, std::size_t worker) const { return (in(state) >> worker & 1) != 0; }
  void set_state(std::size_t worker, WorkerState state) {
    const auto before = static_cast<std::uint64_t>(this->state(worker));
    const auto after = static_cast<std::uint64_t>(state);
    lanes_[lane(worker)] ^= (before ^ after) << 2 << shift(worker);
    who_[before] &= ~bit(worker);
    who_[after] |= bit(worker);
  }
  bool has_started(std::size_t worker) const { return (started_ & bit(worker)) != 0; }
  void start(std::size_t worker) { started_ |= bit(worker); }
  /// Something for the listeners of its links.
  bool has_news(std::size_t worker) const { return (news_ & bit(worker)) != 0; }
  void set_news(std::size_t worker, bool news) { put(news_, worker, news); }
  void set_frozen(std::size_t worker, bool frozen) {
    put(frozen_, worker, frozen);
    std::uint64_t& word = lanes_[lane(worker)];
    const std::uint64_t bit = std::uint64_t{2} << shift(worker);
    word = frozen ? word | bit : word & ~bit;
  }
  /// Whether it is inside anything.
  void set_inside(std::size_t worker, bool inside) {
    std::uint64_t& word = lanes_[lane(worker)];
    const std::uint64_t bit = std::uint64_t{1} << shift(worker);
    word = inside ? word | bit : word & ~bit;
  }
  /// Whether its listeners want to be called at some instant.
  void set_alarmed(std::size_t worker, bool alarmed) { put(alarmed_, worker, alarmed); }

  Set started() const { return started_; }
  Set late() const { return all_ & ~started_; }  ///< Have yet to start.
  Set frozen() const { return frozen_; }
  Set alarmed() const { return alarmed_; }
  /// Those in that state.
  Set in(WorkerState state) const { return who_[static_cast<std::size_t>(state)]; }
  /// Have something to do, frozen or not.
  Set busy() const { return started_ & (in(WorkerState::ready) | news_); }
  Set runnable() const { return busy() & ~frozen_; }

  /// Calls `visit` with words that say of each worker its state, and whether it is frozen and
  /// inside anything.
  template <class Visit>
  void pack(Visit&& visit) const {
    if (full_lanes_ > 0) [[unlikely]]
      visit(lanes_[0]);
    visit(lanes_[full_lanes_] >> unused_bits_);
  }

 private:
  static constexpr std::size_t kBits = 5;
  static constexpr std::size_t kTogether = 64 / kBits;
  static constexpr std::size_t kLanes = 2;
  static_assert(kMostWorkers < kLanes * kTogether);

  static constexpr std::array<std::uint8_t, kMostWorkers> kShifts = [] {
    std::array<std::uint8_t, kMostWorkers> shifts{};
    for (std::size_t i = 0; i < kMostWorkers; ++i)
      shifts[i] = static_cast<std::uint8_t>(kBits * (kTogether - 1 - i % kTogether));
    return shifts;
  }();

  static constexpr Set bit(std::size_t worker) { return Set{1} << worker; }
  static constexpr std::size_t lane(std::size_t worker) { return worker < kTogether ? 0 : 1; }
  static constexpr std::size_t shift(std::size_t worker) { return kShifts[worker]; }
  static void put(Set& set, std::size_t worker, bool in) {
    set = (set & ~bit(worker)) | static_cast<Set>(in) << worker;
  }

  Set all_ = 0;
  Set started_ = 0;
  Set news_ = 0;
  Set frozen_ = 0;
  Set alarmed_ = 0;
  std::array<Set, 7> who_{};  ///< Is in each state.
  std::size_t full_lanes_ = 0;
  std::size_t unused_bits_ = kBits * kTogether;  // Of the lane behind them.
  // Of each worker five bits, the first one's uppermost: its state in three, whether it is frozen,
  // and whether it is inside.
  std::array<std::uint64_t, kLanes> lanes_{};
};

/// Numbers from 0 on, of connections. Keeps its memory.
class Indices {
 public:
  void clear() {
    if (count_ > 0) words_.assign(words_.size(), 0);
    count_ = 0;
  }
  /// To be called before: for numbers below `count`.
  void make_room(std::size_t count) { words_.resize((count + kBits - 1) / kBits); }
  void put(std::size_t index, bool in) {
    std::uint64_t& word = words_[index / kBits];
    const std::uint64_t was_in = word >> index % kBits & 1;
    word ^= (was_in ^ static_cast<std::uint64_t>(in)) << index % kBits;
    count_ += static_cast<std::size_t>(in) - was_in;
  }
  bool empty() const { return count_ == 0; }
  /// Calls `visit(index)` for each, the lowest first.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for_each_bit(words_[i], [&](std::size_t at) { visit(i * kBits + at); });
  }

 private:
  static constexpr std::size_t kBits = 64;

  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0;
};

}  // namespace picklock::race
