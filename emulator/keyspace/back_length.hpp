// How an element of a listpack ends: with its own length, seven bits a byte, so that a listpack can
// be walked backwards.
#pragma once

#include <cstddef>

namespace picklock {

/// In how many bytes an element of `length` bytes says so. Redis, lpEncodeBacklen: from two bytes
/// on, the greatest number that would fit takes one more.
constexpr std::size_t back_length_size(std::size_t length) {
  if (length < 128) return 1;
  std::size_t size = 2;
  while (size < 5 && length >= (std::size_t{1} << (7 * size)) - 1) ++size;
  return size;
}
static_assert(back_length_size(16'382) == 2 && back_length_size(16'383) == 3);

}  // namespace picklock
