// A list for what there is mostly one of: that one takes no memory of its own.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace picklock {

/// As much of std::vector as its users need. T is default constructible; what is taken out may be
/// destroyed only with the list.
template <class T>
class OneOrMore {
 public:
  OneOrMore() = default;
  OneOrMore(const OneOrMore&) = default;
  OneOrMore(OneOrMore&& other) noexcept
      : size_(std::exchange(other.size_, 0)),
        one_(std::move(other.one_)),
        more_(std::exchange(other.more_, {})) {}
  OneOrMore& operator=(const OneOrMore&) = default;
  OneOrMore& operator=(OneOrMore&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    one_ = std::move(other.one_);
    more_ = std::exchange(other.more_, {});
    return *this;
  }
  ~OneOrMore() = default;
  /// So many default values.
  explicit OneOrMore(std::size_t size) : size_(size), more_(size > 1 ? size : 0) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return is_one() ? &one_ : more_.data(); }
  T* end() { return begin() + size_; }
  const T* begin() const { return is_one() ? &one_ : more_.data(); }
  const T* end() const { return begin() + size_; }
  T& operator[](std::size_t index) { return begin()[index]; }
  const T& operator[](std::size_t index) const { return begin()[index]; }
  const T& front() const { return *begin(); }
  const T& back() const { return end()[-1]; }

  void push_back(T element) {
    if (empty() && is_one()) {
      one_ = std::move(element);
    } else {
      if (is_one()) more_.push_back(std::move(one_));
      more_.push_back(std::move(element));
    }
    ++size_;
  }
  void erase(T* element) {
    if (!is_one()) more_.erase(more_.begin() + (element - more_.data()));
    --size_;
  }
  void clear() {
    more_.clear();
    size_ = 0;
  }

 private:
  bool is_one() const { return more_.empty(); }

  std::size_t size_ = 0;
  T one_{};              ///< Unless there are `more_`.
  std::vector<T> more_;  ///< All of them.
};

}  // namespace picklock
