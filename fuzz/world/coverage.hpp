// Coverage of abstract states: which kinds of steps the locks were seen to take.
//
// An edge is (abstract state, event, abstract state), where the abstract state is who holds which
// lock key, who is inside what, and how each worker stands. A fixed set of bits, so that sets from
// different machines can be joined. Plain values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace picklock::race {

class Coverage {
 public:
  static constexpr std::size_t kBits = std::size_t{1} << 16;

  /// The number below kBits that stands for `edge`.
  static std::size_t bit_of(std::uint64_t edge) { return edge * 0x9e3779b97f4a7c15 >> 48; }
  /// Returns whether the edge is new.
  bool add(std::uint64_t edge) { return set(bit_of(edge)); }
  /// set(bit) is to come.
  void prefetch(std::size_t bit) const { __builtin_prefetch(&words_[bit / 64], 1); }
  /// add() by the edge's number.
  bool set(std::size_t bit) {
    std::uint64_t& word = words_[bit / 64];
    const std::uint64_t mask = std::uint64_t{1} << bit % 64;
    if ((word & mask) != 0) return false;
    word |= mask;
    ++count_;
    return true;
  }
  std::size_t count() const { return count_; }
  void clear() {
    words_.assign(kBits / 64, 0);
    count_ = 0;
  }
  /// Adds all edges of `other`.
  void join(const Coverage& other) {
    count_ = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] |= other.words_[i];
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) ++count_;
    }
  }
  /// As above; those that were there already join `repeated`.
  void join(const Coverage& other, Coverage& repeated) {
    count_ = repeated.count_ = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      repeated.words_[i] |= words_[i] & other.words_[i];
      words_[i] |= other.words_[i];
      count_ += static_cast<std::size_t>(std::popcount(words_[i]));
      repeated.count_ += static_cast<std::size_t>(std::popcount(repeated.words_[i]));
    }
  }
  /// Calls `visit(edge)` for every edge, by its number below kBits.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
        visit(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
  std::vector<std::uint64_t>& words() { return words_; }
  const std::vector<std::uint64_t>& words() const { return words_; }
  bool operator==(const Coverage&) const = default;

 private:
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(kBits / 64, 0);
  std::size_t count_ = 0;
};

}  // namespace picklock::race
