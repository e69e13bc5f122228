// A value of its own on the heap, or none: one pointer, but copied and compared with nothing else.
//
// What is rarely there, or large, stands in one so that those who hold it stay small. A copyable
// value: copies are deep, and an assignment uses the memory that the target has. Not thread-safe.
#pragma once

#include <memory>
#include <utility>

namespace picklock {

template <class T>
class Box {
 public:
  Box() = default;
  /// With a value made of `arguments`.
  template <class... Arguments>
  explicit Box(std::in_place_t, Arguments&&... arguments)
      : value_(std::make_unique<T>(std::forward<Arguments>(arguments)...)) {}
  Box(const Box& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Box(Box&&) noexcept = default;  // Leaves none behind.
  Box& operator=(const Box& other) {
    if (value_ && other)
      *value_ = *other;
    else if (this != &other)
      value_ = other ? std::make_unique<T>(*other) : nullptr;
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  explicit operator bool() const { return value_ != nullptr; }
  /// The value, which must be there. A const box has a const value.
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_.get(); }
  T* operator->() { return value_.get(); }

  /// Makes a new value, in place of any other.
  T& emplace() {
    value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace picklock
