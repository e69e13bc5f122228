// A list that is filled and emptied again and again, and keeps its elements' memory.
//
// A vector's emplace_back is no inline code, for its growth is part of it; here that stands apart.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <vector>

namespace picklock::race {

template <class T>
class Reused {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  /// A used element to fill in: all of it.
  T& push() {
    T& next = draft();
    ++size_;
    return next;
  }
  /// The same, but it is there only once it is kept.
  T& draft() {
    if (size_ == room_) [[unlikely]]
      grow();
    return slots_[size_];
  }
  void keep(bool it) { size_ += static_cast<std::size_t>(it); }
  void push_back(const T& element) { push() = element; }
  T& operator[](std::size_t index) { return slots_[index]; }
  const T& operator[](std::size_t index) const { return slots_[index]; }
  const T& front() const { return slots_[0]; }
  T* data() { return slots_.data(); }
  const T* data() const { return slots_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  [[gnu::noinline]] void grow() {
    slots_.emplace_back();
    room_ = slots_.size();
  }

  std::vector<T> slots_;
  std::size_t size_ = 0;
  std::size_t room_ = 0;  ///< Of the slots: to count those takes a division.
};

}  // namespace picklock::race
