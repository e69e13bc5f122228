// A row of entries of different sizes, as bytes, that takes little more memory than it needs.
//
// For the packed forms of collections, of which there may be millions: it grows by little at a time
// and not by doubling, and up to what the allocator would round to. What an entry looks like its
// user knows. A copyable value; an assignment uses the memory that the target has, and a move
// leaves a row that may be used. Not thread-safe; pointers into it are valid until the next change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace picklock {

class PackedRow {
 public:
  PackedRow() = default;
  PackedRow(const PackedRow& other) { *this = other; }
  PackedRow(PackedRow&& other) noexcept { swap(other); }
  PackedRow& operator=(const PackedRow& other);
  PackedRow& operator=(PackedRow&& other) noexcept {
    swap(other);
    return *this;
  }
  ~PackedRow();

  const char* data() const { return data_; }
  char* data() { return data_; }
  const char* end() const { return data_ + size_; }
  std::size_t size_bytes() const { return size_; }
  /// The bytes that there is memory for.
  std::size_t capacity() const { return capacity_; }

  /// Makes the `old_size` bytes at `at`, which are there, `new_size` bytes, and returns where they
  /// begin now. What follows moves; what they contain is left open. Throws std::bad_alloc.
  char* resize_part(std::size_t at, std::size_t old_size, std::size_t new_size);
  /// Makes room for that many bytes in all. Throws std::bad_alloc.
  void reserve(std::size_t size) {
    if (size > capacity_) reallocate(size);
  }

  std::uint32_t entries = 0;  ///< How many it has; for its user to keep.

 private:
  void swap(PackedRow& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(entries, other.entries);
  }
  void reallocate(std::size_t size);

  char* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace picklock
