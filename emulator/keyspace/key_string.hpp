// A key's bytes in 16 bytes: up to 15 stand in the object itself, more in a block of the heap.
//
// Made for the tables of keys, where a std::string's 32 bytes are a third of all that a key takes.
// It is assigned and read as a whole, through std::string_view. A copyable value; not thread-safe;
// views are valid until it is changed or moved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/base/short_text.hpp"

namespace picklock {

class KeyString {
 public:
  static constexpr std::size_t kInline = 15;  ///< Bytes that need no block.
  static constexpr std::size_t kMost = 0xffffffff;

  KeyString() = default;
  explicit KeyString(std::string_view text) { assign(text); }
  KeyString(const KeyString& other) { assign(other); }
  KeyString(KeyString&& other) noexcept { swap(other); }
  KeyString& operator=(const KeyString& other) {
    if (this != &other) assign(other);
    return *this;
  }
  KeyString& operator=(KeyString&& other) noexcept {
    KeyString taken{std::move(other)};
    swap(taken);
    return *this;
  }
  ~KeyString() { release(); }

  /// `text` must not lie within this string; std::length_error beyond kMost bytes. A block that is
  /// large enough is used again.
  void assign(std::string_view text) {
    if (!has_block() && text.size() <= kInline) {
      copy_text(bytes_, text);
      bytes_[kTag] = static_cast<char>(text.size());
      return;
    }
    if (text.size() > kMost) throw std::length_error("a key of more than 4 GB");
    Block block = has_block() ? load() : Block{};
    if (block.capacity() < text.size()) {
      block.units = units_for(text.size());
      char* const fresh = new char[std::max(block.capacity(), text.size())];
      release();
      block.data = fresh;
    }
    std::copy_n(text.data(), text.size(), block.data);
    block.size = static_cast<std::uint32_t>(text.size());
    store(block);
  }

  std::size_t size() const {
    return has_block() ? load().size : static_cast<std::size_t>(bytes_[kTag]);
  }
  bool empty() const { return size() == 0; }
  const char* data() const { return has_block() ? load().data : bytes_; }

  operator std::string_view() const { return {data(), size()}; }
  /// A copy, for who keeps the key beyond its entry.
  operator std::string() const { return std::string{data(), size()}; }

  void swap(KeyString& other) noexcept { std::swap(bytes_, other.bytes_); }

  friend bool operator==(const KeyString& a, const KeyString& b) { return is_same(a, b); }
  friend bool operator==(const KeyString& a, std::string_view b) { return is_same(a, b); }

 private:
  // In bytes_, as long as the last one says so: a pointer, the size, and what the block holds.
  struct Block {
    char* data = nullptr;
    std::uint32_t size = 0;
    std::uint32_t units = 0;  // 0: no block. More than 24 bits' worth is not remembered.

    // What an allocator makes of a request, less its own word: 24, 40, 56 bytes...
    std::size_t capacity() const { return units == 0 ? 0 : std::size_t{units} * 16 + 8; }
  };
  static constexpr std::size_t kTag = 15;
  static constexpr char kBlock = 16;
  static constexpr std::uint32_t kMostUnits = (1 << 24) - 1;

  static std::uint32_t units_for(std::size_t size) {
    return static_cast<std::uint32_t>(std::clamp<std::size_t>((size + 7) / 16, 1, kMostUnits));
  }

  bool has_block() const { return bytes_[kTag] == kBlock; }
  Block load() const {
    Block block;
    std::memcpy(&block.data, bytes_, sizeof block.data);
    std::memcpy(&block.size, bytes_ + 8, sizeof block.size);
    for (std::size_t i = 0; i < 3; ++i)
      block.units |= std::uint32_t{static_cast<unsigned char>(bytes_[12 + i])} << (8 * i);
    return block;
  }
  void store(const Block& block) {
    std::memcpy(bytes_, &block.data, sizeof block.data);
    std::memcpy(bytes_ + 8, &block.size, sizeof block.size);
    for (std::size_t i = 0; i < 3; ++i) bytes_[12 + i] = static_cast<char>(block.units >> (8 * i));
    bytes_[kTag] = kBlock;
  }
  void release() {
    if (has_block()) delete[] load().data;
  }

  alignas(8) char bytes_[16] = {};  // The last: how many of the others are the key's, or kBlock.
};

static_assert(sizeof(KeyString) == 16 && sizeof(char*) <= 8);

}  // namespace picklock
