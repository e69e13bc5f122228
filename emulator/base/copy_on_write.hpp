// A value that its copies share until one of them changes it.
//
// For what is copied all the time and changes seldom: what a snapshot keeps of a server. To assign
// a copy that is shared already costs a comparison, and a value that was never changed takes no
// memory. Copies may be used on several threads, one copy may not.
#pragma once

#include <atomic>
#include <memory>

namespace picklock {

template <class T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  CopyOnWrite(const CopyOnWrite&) = default;
  CopyOnWrite(CopyOnWrite&&) noexcept = default;
  CopyOnWrite& operator=(const CopyOnWrite& other) {
    if (value_ != other.value_) value_ = other.value_;
    return *this;
  }
  CopyOnWrite& operator=(CopyOnWrite&&) noexcept = default;
  ~CopyOnWrite() = default;

  /// References are valid until the next edit() or assignment.
  const T& operator*() const { return value_ ? *value_ : initial(); }
  const T* operator->() const { return &**this; }
  /// The value, to be changed: this copy's own from now on.
  T& edit() {
    if (!value_ || value_.use_count() > 1) value_ = std::make_shared<T>(**this);
    // What a copy on another thread has read, it read before it let go.
    std::atomic_thread_fence(std::memory_order_acquire);
    return *value_;
  }
  /// Back to the beginning.
  void reset() { value_.reset(); }

 private:
  static const T& initial() {
    static const T value{};
    return value;
  }

  std::shared_ptr<T> value_;  // Null until the first edit(): T{}.
};

}  // namespace picklock
