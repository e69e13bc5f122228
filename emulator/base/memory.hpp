// Giving memory back, where the standard library would keep it: a string or vector that an empty
// one is assigned to has its block still.
#pragma once

#include <cstddef>
#include <string>

namespace picklock {

/// Empties a string or a vector and frees its block.
template <class Container>
void give_back(Container& container) {
  Container{}.swap(container);
}

/// What an emptied object may keep for its next value, in bytes.
inline constexpr std::size_t kKeptForNext = 1024;

/// Whether the block of `object`, which is to be emptied, is too large to be kept. Types without a
/// block of that kind have none.
inline bool keeps_much(const std::string& object) { return object.capacity() > kKeptForNext; }
template <class T>
bool keeps_much(const T&) {
  return false;
}

}  // namespace picklock
