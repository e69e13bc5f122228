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
    if (size_ == room_) [[unlikely]]
      make_room(1);
    return slots_[size_++];
  }
  /// The next of `count` used elements: those that are filled in are there once they are kept.
  T* draft(std::size_t count) {
    if (size_ + count > room_) [[unlikely]]
      make_room(count);
    return end();
  }
  /// Keeps what was drafted before `end`.
  void keep(const T* end) { size_ = static_cast<std::size_t>(end - data()); }
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
  [[gnu::noinline]] void make_room(std::size_t count) {
    slots_.resize(size_ + count);
    room_ = slots_.size();
  }

  std::vector<T> slots_;
  std::size_t size_ = 0;
  std::size_t room_ = 0;  ///< Of the slots: to count those takes a division.
};

}  // namespace picklock::race
