// A sequence whose elements never move: references stay valid while it grows. Faster to index than
// a deque of large elements. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace picklock::race {

template <class T>
class Stable {
 public:
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    elements_.push_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
    return *elements_.back();
  }
  std::size_t size() const { return elements_.size(); }
  T& operator[](std::size_t index) { return *elements_[index]; }
  const T& operator[](std::size_t index) const { return *elements_[index]; }

  template <class Value>
  struct Iterator {
    const std::unique_ptr<T>* at;
    Value& operator*() const { return **at; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Iterator<T> begin() { return {elements_.data()}; }
  Iterator<T> end() { return {elements_.data() + elements_.size()}; }
  Iterator<const T> begin() const { return {elements_.data()}; }
  Iterator<const T> end() const { return {elements_.data() + elements_.size()}; }

 private:
  std::vector<std::unique_ptr<T>> elements_;
};

}  // namespace picklock::race
