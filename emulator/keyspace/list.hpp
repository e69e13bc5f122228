// The value of a list key: strings in order, cheap to push and pop at both ends.
//
// One contiguous row with room left at its front, so that every element is found by its index at
// once and a range is a span. Pushing and popping at the ends is O(1) on average. A copyable value;
// not thread-safe; pointers into it are valid until the next change.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace picklock {

class ListValue {
 public:
  ListValue() = default;
  ListValue(const ListValue& other)
      : slots_(other.elements().begin(), other.elements().end()) {}  // Without the room.
  ListValue(ListValue&& other) noexcept
      : slots_(std::move(other.slots_)), head_(std::exchange(other.head_, 0)) {
    other.slots_.clear();
  }
  ListValue& operator=(ListValue other) noexcept {
    slots_.swap(other.slots_);
    std::swap(head_, other.head_);
    return *this;
  }
  ~ListValue() = default;

  std::size_t size() const { return slots_.size() - head_; }
  bool empty() const { return size() == 0; }
  std::span<const std::string> elements() const {
    return std::span<const std::string>{slots_}.subspan(head_);
  }
  const std::string& operator[](std::size_t index) const { return slots_[head_ + index]; }
  std::string& operator[](std::size_t index) { return slots_[head_ + index]; }

  void push_back(std::string_view element) { slots_.emplace_back(element); }
  void push_front(std::string_view element) {
    std::string copy{element};  // First, for it may be one of ours.
    if (head_ == 0) make_room();
    slots_[--head_] = std::move(copy);
  }
  /// Takes the first element; the list must not be empty.
  std::string pop_front() {
    std::string element = std::exchange(slots_[head_++], {});
    if (head_ > size() + kLeastRoom) drop_room();
    return element;
  }
  /// Takes the last element; the list must not be empty.
  std::string pop_back() {
    std::string element = std::move(slots_.back());
    slots_.pop_back();
    return element;
  }

  /// Puts `element` before the one at `index`, or at the end for size().
  void insert(std::size_t index, std::string_view element) { slots_.emplace(at(index), element); }
  /// Keeps `count` elements from `index` on; they must be there.
  void keep(std::size_t index, std::size_t count) {
    slots_.erase(at(index + count), slots_.end());
    slots_.erase(slots_.begin(), at(index));
    head_ = 0;
  }
  /// Removes the first `limit` elements that equal `element`; returns how many there were.
  std::size_t remove_first(std::string_view element, std::size_t limit) {
    std::size_t removed = 0;
    slots_.erase(std::remove_if(at(0), slots_.end(),
                                [&](const std::string& other) {
                                  return removed < limit && other == element && ++removed > 0;
                                }),
                 slots_.end());
    return removed;
  }
  /// The same from the end.
  std::size_t remove_last(std::string_view element, std::size_t limit) {
    std::reverse(at(0), slots_.end());
    const std::size_t removed = remove_first(element, limit);
    std::reverse(at(0), slots_.end());
    return removed;
  }

 private:
  static constexpr std::size_t kLeastRoom = 8;

  std::vector<std::string>::iterator at(std::size_t index) {
    return slots_.begin() + static_cast<std::ptrdiff_t>(head_ + index);
  }
  void make_room() {
    const std::size_t room = std::max(kLeastRoom, size());
    slots_.insert(slots_.begin(), room, std::string{});
    head_ = room;
  }
  void drop_room() {
    slots_.erase(slots_.begin(), at(0));
    head_ = 0;
  }

  std::vector<std::string> slots_;  // Those before head_ are room.
  std::size_t head_ = 0;
};

}  // namespace picklock
