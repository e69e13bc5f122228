// A sequence that grows at its end without ever moving what it holds, but for a short beginning.
//
// The first items stand in a vector, so that a short one costs what a vector does and assignment
// uses its memory again; further ones in blocks of a fixed size, which come and go one at a time.
// A copyable value; not thread-safe; references are valid until the next push_back().
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace picklock {

template <class T, std::size_t kBlock = 4096>
class Segmented {
 public:
  static_assert((kBlock & (kBlock - 1)) == 0);

  Segmented() = default;
  Segmented(const Segmented&) = default;
  Segmented(Segmented&&) noexcept = default;
  /// Most are short, and many empty.
  Segmented& operator=(const Segmented& other) {
    const std::size_t most = std::max(size_, other.size_);
    if (most > 0) first_ = other.first_;
    if (most > kBlock) more_ = other.more_;
    size_ = other.size_;
    return *this;
  }
  Segmented& operator=(Segmented&&) noexcept = default;
  ~Segmented() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  T& operator[](std::size_t at) {
    return at < kBlock ? first_[at] : more_[at / kBlock - 1][at % kBlock];
  }
  const T& operator[](std::size_t at) const {
    return at < kBlock ? first_[at] : more_[at / kBlock - 1][at % kBlock];
  }
  T& back() { return (*this)[size_ - 1]; }

  /// Written where it is to lie: to copy what has just been stored in pieces, a processor waits.
  void push_back(const T& item) {
    std::vector<T>& block = size_ < kBlock ? first_ : block_for_next();
    block.emplace_back() = item;
    ++size_;
  }
  void pop_back() {
    if (--size_ < kBlock) return first_.pop_back();
    more_.back().pop_back();
    if (more_.back().empty()) more_.pop_back();
  }
  void clear() {
    first_.clear();
    more_.clear();
    size_ = 0;
  }

 private:
  std::vector<T>& block_for_next() {
    if (size_ % kBlock == 0) more_.emplace_back();
    std::vector<T>& block = more_.back();
    // A copy's block has no room to spare.
    if (block.size() == block.capacity()) block.reserve(kBlock);
    return block;
  }

  std::vector<T> first_;
  std::vector<std::vector<T>> more_;  // Each is full, but for the last.
  std::size_t size_ = 0;
};

}  // namespace picklock
