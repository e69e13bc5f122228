#include "emulator/keyspace/packed_row.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace picklock {
namespace {

/// The most bytes that fit where `size` do, in the C library's blocks: multiples of 16, of which 8
/// bytes are its own.
std::size_t rounded(std::size_t size) {
  constexpr std::size_t kBlock = 16;
  constexpr std::size_t kOwn = 8;
  constexpr std::size_t kLeast = 24;
  return std::max(kLeast, (size + kOwn + kBlock - 1) / kBlock * kBlock - kOwn);
}

constexpr std::size_t kSlack = 16;  // A sixteenth may be free.

}  // namespace

PackedRow& PackedRow::operator=(const PackedRow& other) {
  if (this == &other) return *this;
  if (other.size_ > capacity_) {
    size_ = 0;  // Not worth a copy.
    reallocate(other.size_);
  }
  size_ = other.size_;
  entries = other.entries;
  if (size_ > 0) std::memcpy(data_, other.data_, size_);
  return *this;
}

PackedRow::~PackedRow() { std::free(data_); }

char* PackedRow::resize_part(std::size_t at, std::size_t old_size, std::size_t new_size) {
  const std::size_t size = size_ - old_size + new_size;
  if (size > capacity_) reallocate(std::max(size, std::size_t{capacity_} + capacity_ / kSlack));
  char* const part = data_ + at;
  const std::size_t behind = size_ - at - old_size;
  if (behind > 0) std::memmove(part + new_size, part + old_size, behind);
  size_ = static_cast<std::uint32_t>(size);
  // What has shrunk to a half gives back the rest, but what is small is not worth it.
  constexpr std::size_t kWorth = 256;
  if (capacity_ > kWorth && size < capacity_ / 2) {
    reallocate(size + size / kSlack);
    return data_ + at;
  }
  return part;
}

void PackedRow::reallocate(std::size_t size) {
  const std::size_t capacity = rounded(size);
  if (size_ == 0) std::free(std::exchange(data_, nullptr));
  auto* const moved = static_cast<char*>(std::realloc(data_, capacity));
  if (!moved) {
    if (size_ == 0) capacity_ = 0;
    throw std::bad_alloc{};
  }
  data_ = moved;
  capacity_ = static_cast<std::uint32_t>(capacity);
}

}  // namespace picklock
