// An optional value that is hardly ever there, of something that is copied all the time: what a
// snapshot keeps of a client or a database. It stands apart, and takes a word where it is not.
//
// A copyable value, whose copies share nothing; not thread-safe.
#pragma once

#include <memory>
#include <utility>

namespace picklock {

template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(const Rare& other) { *this = other; }
  Rare(Rare&&) noexcept = default;
  Rare& operator=(const Rare& other) {
    if (value_ || other.value_) assign(other);
    return *this;
  }
  Rare& operator=(Rare&&) noexcept = default;
  Rare& operator=(T value) {
    value_ = std::make_unique<T>(std::move(value));
    return *this;
  }
  ~Rare() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  /// References are valid until the next assignment or reset().
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  void reset() { value_.reset(); }

 private:
  [[gnu::noinline]] void assign(const Rare& other) {
    if (value_ && other.value_)
      *value_ = *other.value_;  // Uses the memory that is there.
    else
      value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
  }

  std::unique_ptr<T> value_;
};

}  // namespace picklock
