#include "emulator/keyspace/list_chunk.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace picklock {

ListChunk::Block* ListChunk::allocate(std::size_t capacity) {
  return new (::operator new(sizeof(Block) + capacity)) Block{0, 0, capacity, 0};
}

void ListChunk::clear() { ::operator delete(std::exchange(block_, nullptr)); }

ListChunk& ListChunk::operator=(const ListChunk& other) {
  if (this == &other) return *this;
  const std::size_t bytes = other.size_bytes();
  if (bytes == 0) return clear(), *this;
  // Of a block that a very long element has had, little would be used.
  const std::size_t most = std::max(kMostBytes, bytes * 4);
  if (!block_ || block_->capacity < bytes || block_->capacity > most) {
    clear();
    block_ = allocate(bytes);
  }
  block_->begin = 0;
  block_->end = bytes;
  block_->count = other.block_->count;
  std::memcpy(block_->bytes(), other.begin(), bytes);
  return *this;
}

ListChunk::Length ListChunk::long_length(unsigned char mark, const char* digits) {
  if (mark == kTwo) {
    std::uint16_t value = 0;
    std::memcpy(&value, digits, sizeof value);
    return {value, 1 + sizeof value};
  }
  std::uint64_t value = 0;
  std::memcpy(&value, digits, sizeof value);
  return {static_cast<std::size_t>(value), 1 + sizeof value};
}

void ListChunk::write(char* at, std::string_view element) {
  const std::size_t bytes = bytes_of(element.size());
  char* const text = at + bytes;
  if (!element.empty()) std::memcpy(text, element.data(), element.size());
  char* const behind = text + element.size();
  if (bytes == 1) {
    *at = *behind = static_cast<char>(element.size());
    return;
  }
  *at = behind[bytes - 1] = static_cast<char>(bytes == 3 ? kTwo : kEight);
  const auto two = static_cast<std::uint16_t>(element.size());
  const auto eight = static_cast<std::uint64_t>(element.size());
  const void* const digits = bytes == 3 ? static_cast<const void*>(&two) : &eight;
  std::memcpy(at + 1, digits, bytes - 1);
  std::memcpy(behind, digits, bytes - 1);
}

const char* ListChunk::place_of(std::size_t index) const {
  const char* at = nullptr;
  if (index <= size() / 2)
    for (at = begin(); index > 0; --index) at = next(at);
  else
    for (at = end(), index = size() - index; index > 0; --index) at = previous(at);
  return at;
}

void ListChunk::insert(const char* at, std::string_view element) {
  write(open(offset(at), bytes_for(element.size())), element);
  ++block_->count;
}

void ListChunk::replace(const char* at, std::string_view element) {
  const std::size_t place = offset(at);
  const std::size_t old = bytes_for(ListChunk::element(at).size());
  const std::size_t bytes = bytes_for(element.size());
  if (bytes > old) open(place, bytes - old);
  if (bytes < old) close(place, old - bytes);
  write(block_->bytes() + block_->begin + place, element);
}

const char* ListChunk::erase(const char* at, std::size_t count) {
  const char* behind = at;
  for (std::size_t i = 0; i < count; ++i) behind = next(behind);
  const std::size_t place = offset(at);
  block_->count -= count;
  close(place, static_cast<std::size_t>(behind - at));
  return begin() + place;
}

ListChunk ListChunk::split(const char* at) {
  ListChunk rest;
  const std::size_t place = offset(at);
  const std::size_t bytes = size_bytes() - place;
  rest.block_ = allocate(bytes);
  std::memcpy(rest.block_->bytes(), at, bytes);
  rest.block_->end = bytes;
  for (const char* each = at; each != end(); each = next(each)) ++rest.block_->count;
  block_->count -= rest.block_->count;
  close(place, bytes);
  return rest;
}

char* ListChunk::open(std::size_t offset, std::size_t bytes) {
  const std::size_t used = size_bytes();
  const bool in_front = offset < used - offset;
  if (!block_ || (in_front ? block_->begin : block_->capacity - block_->end) < bytes)
    make_room(in_front, bytes);
  if (in_front) {
    char* const first = block_->bytes() + block_->begin;
    std::memmove(first - bytes, first, offset);
    block_->begin -= bytes;
  } else {
    char* const gap = block_->bytes() + block_->begin + offset;
    std::memmove(gap + bytes, gap, used - offset);
    block_->end += bytes;
  }
  return block_->bytes() + block_->begin + offset;
}

/// At least `bytes` of room at that end. Amortised: either a good part of the block becomes room
/// there, or the block grows to twice its size. A full chunk's moves are bounded by its size.
void ListChunk::make_room(bool in_front, std::size_t bytes) {
  const std::size_t used = size_bytes();
  const std::size_t capacity = block_ ? block_->capacity : 0;
  std::size_t room = capacity - used;
  // A power of two, together with what stands beside it. One that is full cannot grow any more.
  constexpr std::size_t kBeside = sizeof(Block) + sizeof(std::size_t);
  const std::size_t needed = used + bytes;
  const std::size_t grown =
      needed > kMostBytes ? needed : std::bit_ceil(needed + kBeside) - kBeside;
  if (room >= bytes && (room >= capacity / 4 || grown <= capacity)) {
    const std::size_t other = (room - bytes) / 2;
    const std::size_t begin = in_front ? room - other : other;
    char* const all = block_->bytes();
    std::memmove(all + begin, all + block_->begin, used);
    block_->begin = begin;
    block_->end = begin + used;
    return;
  }
  room = grown - used;
  reallocate(grown, in_front ? room : 0);
}

void ListChunk::reallocate(std::size_t capacity, std::size_t begin) {
  Block* const moved = allocate(capacity);
  const std::size_t used = size_bytes();
  moved->begin = begin;
  moved->end = begin + used;
  moved->count = size();
  if (used > 0) std::memcpy(moved->bytes() + begin, this->begin(), used);
  clear();
  block_ = moved;
}

void ListChunk::close(std::size_t offset, std::size_t bytes) {
  const std::size_t used = size_bytes();
  char* const first = block_->bytes() + block_->begin;
  const std::size_t behind = used - offset - bytes;
  if (offset < behind) {
    std::memmove(first + bytes, first, offset);
    block_->begin += bytes;
  } else {
    std::memmove(first + offset, first + offset + bytes, behind);
    block_->end -= bytes;
  }
  // What has shrunk to a quarter gives back the rest, but what is small is not worth it.
  constexpr std::size_t kWorth = 512;
  if (block_->capacity <= kWorth || used - bytes >= block_->capacity / 4) return;
  try {
    reallocate((used - bytes) * 2, (used - bytes) / 2);
  } catch (const std::bad_alloc&) {  // Then it keeps what it has.
  }
}

}  // namespace picklock
