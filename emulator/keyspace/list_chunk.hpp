// Neighbouring elements of a list in one block of bytes, with room at its ends.
//
// Each element has its length before and behind it, so that one can go through them either way; a
// change moves what is on the shorter side of it. A copyable value; a copy has no room to spare, an
// assignment uses the memory that the target has, and a moved chunk is empty. Not thread-safe;
// places are valid until the next change, and what is given must not lie in the chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace picklock {

class ListChunk {
 public:
  /// Bytes that a chunk of more than one element may have: 8 KB, with what stands beside them in a
  /// block of the C library.
  static constexpr std::size_t kMostBytes = (8 << 10) - 5 * sizeof(std::size_t);

  ListChunk() = default;
  ListChunk(const ListChunk& other) { *this = other; }
  ListChunk(ListChunk&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  ListChunk& operator=(const ListChunk& other);
  ListChunk& operator=(ListChunk&& other) noexcept {
    std::swap(block_, other.block_);
    other.clear();
    return *this;
  }
  ~ListChunk() { clear(); }

  std::size_t size() const { return block_ ? block_->count : 0; }
  bool empty() const { return size() == 0; }
  /// Of its elements and their lengths.
  std::size_t size_bytes() const { return block_ ? block_->end - block_->begin : 0; }

  // Places of elements: begin() is the first one's, end() lies behind the last one.

  const char* begin() const { return block_ ? block_->bytes() + block_->begin : nullptr; }
  const char* end() const { return block_ ? block_->bytes() + block_->end : nullptr; }
  static const char* next(const char* at) {
    const Length length = length_at(at);
    return at + length.bytes + length.value + length.bytes;
  }
  static const char* previous(const char* at) {
    const Length length = length_before(at);
    return at - length.bytes - length.value - length.bytes;
  }
  static std::string_view element(const char* at) {
    const Length length = length_at(at);
    return {at + length.bytes, length.value};
  }
  /// Of the element at `index`, which must be at most size().
  const char* place_of(std::size_t index) const;

  /// Whether another element of that many bytes may come.
  bool takes(std::size_t length) const {
    return empty() || size_bytes() + bytes_for(length) <= kMostBytes;
  }
  /// Puts `element` before the one at `at`. Throws std::bad_alloc.
  void insert(const char* at, std::string_view element);
  void push_back(std::string_view element) { insert(end(), element); }
  void push_front(std::string_view element) { insert(begin(), element); }
  /// Puts `element` in place of the one at `at`. Throws std::bad_alloc.
  void replace(const char* at, std::string_view element);
  /// Removes `count` elements from `at` on; they must be there. Returns the place of what followed.
  const char* erase(const char* at, std::size_t count = 1);
  /// Takes the elements from `at` on out into a chunk of their own. Throws std::bad_alloc.
  ListChunk split(const char* at);
  void clear();

 private:
  /// How long an element is, and of how many bytes that is made: one, or a mark and two, or a mark
  /// and eight. Behind the element the mark comes last.
  struct Length {
    std::size_t value;
    std::size_t bytes;
  };
  static constexpr unsigned char kTwo = 254;
  static constexpr unsigned char kEight = 255;

  static std::size_t bytes_of(std::size_t length) {
    return length < kTwo ? 1 : length <= UINT16_MAX ? 3 : 9;
  }
  static std::size_t bytes_for(std::size_t length) { return 2 * bytes_of(length) + length; }
  static Length length_at(const char* at) {
    const auto mark = static_cast<unsigned char>(*at);
    return mark < kTwo ? Length{mark, 1} : long_length(mark, at + 1);
  }
  static Length length_before(const char* at) {
    const auto mark = static_cast<unsigned char>(at[-1]);
    return mark < kTwo ? Length{mark, 1} : long_length(mark, at - (mark == kTwo ? 3 : 9));
  }
  static Length long_length(unsigned char mark, const char* digits);
  static void write(char* at, std::string_view element);

  /// What stands before the bytes on the heap; those from `begin` to `end` are used.
  struct Block {
    std::size_t begin, end, capacity, count;
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
  };
  static Block* allocate(std::size_t capacity);
  std::size_t offset(const char* at) const {
    return block_ ? static_cast<std::size_t>(at - begin()) : 0;
  }
  /// Makes a gap of so many bytes, and returns where it is; `offset` counts from begin().
  char* open(std::size_t offset, std::size_t bytes);
  void make_room(bool in_front, std::size_t bytes);
  void reallocate(std::size_t capacity, std::size_t begin);
  void close(std::size_t offset, std::size_t bytes);

  Block* block_ = nullptr;
};

}  // namespace picklock
