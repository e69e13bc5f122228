// Coverage of abstract states: which kinds of steps the locks were seen to take.
//
// An edge is (abstract state, event, abstract state), where the abstract state is who holds which
// lock key, who is inside what, and how each worker stands. A fixed set of bits, so that sets from
// different machines can be joined. Plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/world/standing.hpp"

namespace picklock::race {

class Coverage {
 public:
  static constexpr std::size_t kBits = std::size_t{1} << 16;

  /// The number below kBits that stands for `edge`.
  static std::size_t bit_of(std::uint64_t edge) { return edge * 0x9e3779b97f4a7c15 >> 48; }
  /// set(bit) is to come.
  void prefetch(std::size_t bit) const { __builtin_prefetch(&words_[bit / kEach], 1); }
  /// Adds an edge by its number. Returns whether it is new.
  bool set(std::size_t bit) {
    std::uint64_t& word = words_[bit / kEach];
    const std::uint64_t mask = std::uint64_t{1} << bit % kEach;
    if ((word & mask) != 0) return false;
    word |= mask;
    used_[bit / kEach / kEach] |= std::uint64_t{1} << bit / kEach % kEach;
    ++count_;
    return true;
  }
  std::size_t count() const { return count_; }
  void clear() {
    for_each_word([this](std::size_t at) { words_[at] = 0; });
    used_ = {};
    count_ = 0;
  }
  /// Adds all edges of `other`; those that were there already join `repeated`.
  void join(const Coverage& other, Coverage& repeated) {
    other.for_each([&](std::size_t edge) {
      if (!set(edge)) repeated.set(edge);
    });
  }
  /// Calls `visit(edge)` for every edge, by its number below kBits, in their order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each_word([&](std::size_t at) {
      for_each_bit(words_[at], [&](std::size_t bit) { visit(at * kEach + bit); });
    });
  }
  /// A bit for every edge.
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  static constexpr std::size_t kEach = 64;

  /// Calls `visit(index)` for every word that has any.
  template <class Visit>
  void for_each_word(Visit&& visit) const {
    for (std::size_t i = 0; i < used_.size(); ++i)
      for_each_bit(used_[i], [&](std::size_t at) { visit(i * kEach + at); });
  }

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(kBits / kEach, 0);
  std::array<std::uint64_t, kBits / kEach / kEach> used_{};  ///< A bit for each word that has any.
  std::size_t count_ = 0;
};

}  // namespace picklock::race
