// A first-in, first-out queue that keeps its memory: what comes and goes all the time takes none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace picklock {

/// Elements lie in a row, so that they can be searched. Adding one, of which nothing may lie in the
/// queue, may move them all.
template <class T>
class Fifo {
 public:
  Fifo() = default;
  Fifo(const Fifo&) = default;
  Fifo(Fifo&& other) noexcept
      : row_(std::exchange(other.row_, {})), first_(std::exchange(other.first_, 0)) {}
  Fifo& operator=(const Fifo&) = default;
  Fifo& operator=(Fifo&& other) noexcept {
    row_ = std::exchange(other.row_, {});
    first_ = std::exchange(other.first_, 0);
    return *this;
  }
  ~Fifo() = default;

  bool empty() const { return first_ == row_.size(); }
  std::size_t size() const { return row_.size() - first_; }
  T* begin() { return row_.data() + first_; }
  T* end() { return row_.data() + row_.size(); }
  const T* begin() const { return row_.data() + first_; }
  const T* end() const { return row_.data() + row_.size(); }
  T& front() { return *begin(); }
  T& back() { return row_.back(); }
  const T& front() const { return *begin(); }
  const T& back() const { return row_.back(); }

  template <class... Parts>
  T& emplace_back(Parts&&... parts) {
    // Rather than to take more memory, if more than half of this is free.
    if (row_.size() == row_.capacity() && first_ > row_.size() / 2) {
      row_.erase(row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    return row_.emplace_back(std::forward<Parts>(parts)...);
  }
  void push_back(T element) { emplace_back(std::move(element)); }
  void pop_front() {
    if (size() == 1) return clear();
    [[maybe_unused]] const T gone = std::move(front());  // What is left of it stays for a while.
    ++first_;
  }
  void pop_back() {
    row_.pop_back();
    if (empty()) clear();
  }
  /// Of the first one this takes as long as pop_front().
  void erase(T* element) {
    if (element == begin())
      pop_front();
    else
      row_.erase(row_.begin() + (element - row_.data()));
  }
  void clear() {
    row_.clear();
    if (row_.capacity() > kKept) row_ = std::vector<T>{};
    first_ = 0;
  }

 private:
  static constexpr std::size_t kKept = 1024;  ///< Memory for more is given back.

  std::vector<T> row_;
  std::size_t first_ = 0;  ///< Those before are gone.
};

/// The element that is numbered so, of a queue in the order of its numbers; null if there is none.
/// Mostly it is the first one.
template <class Number, class T>
std::pair<Number, T>* find_numbered(Fifo<std::pair<Number, T>>& queue, Number number) {
  auto* it = queue.begin();
  if (it != queue.end() && it->first != number)
    it = std::lower_bound(it, queue.end(), number,
                          [](const auto& one, Number named) { return one.first < named; });
  return it != queue.end() && it->first == number ? it : nullptr;
}

}  // namespace picklock
