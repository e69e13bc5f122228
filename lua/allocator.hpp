// Lua's memory: counted, limited while a script's own code runs, and never refused while the server
// writes a reply into it.
//
// Small blocks come from free lists by size, since scripts make and drop the same few objects again
// and again. Not thread-safe; one per interpreter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace picklock::lua {

class Allocator {
 public:
  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  ~Allocator() {
    for (void* chunk : chunks_) std::free(chunk);
  }

  /// 0: no limit.
  void set_limit(std::size_t bytes) { limit_ = bytes; }
  std::size_t used() const { return used_; }
  /// Gives chunks back in which no block is used, if there is much of them.
  void trim();
  /// Whether the limit counts: only while Lua code runs, which can take an error.
  void set_enforced(bool on) { enforced_ = on; }
  bool enforced() const { return enforced_; }

  /// Counts up over the small blocks, which tables, functions and coroutines are: the order in
  /// which they were made.
  static std::uint32_t serial_of(const void* small_block) { return serial_at(small_block); }

  /// The contract of lua_Alloc, but that only a refused growth of a script gives nullptr.
  void* reallocate(void* block, std::size_t old_size, std::size_t new_size) {
    if (new_size == 0) {
      if (block != nullptr) release(block, old_size);
      used_ -= old_size;
      return nullptr;
    }
    if (new_size > old_size && enforced_ && limit_ != 0 && used_ + (new_size - old_size) > limit_)
      return nullptr;
    void* result = move(block, old_size, new_size);
    if (result == nullptr) return out_of_memory();
    used_ += new_size - old_size;
    return result;
  }

 private:
  static constexpr std::size_t kGrain = 16;
  // Blocks of up to 544 bytes, a closure with Lua's 60 upvalues at the most; class 0 is not used.
  static constexpr std::size_t kClasses = 35;
  // A chunk lies at a multiple of its size. It starts with the serial numbers of its blocks; the
  // first two, in the place of blocks that cannot be, are the bytes carved from it and, in trim(),
  // the free ones among them.
  static constexpr std::size_t kChunkBytes = 16 * 1024;
  static constexpr std::size_t kMaxIdleBytes = std::size_t{32} << 20;
  static constexpr std::size_t kSerialBytes = kChunkBytes / kGrain * sizeof(std::uint32_t);
  struct Free {
    Free* next;
  };

  static constexpr std::size_t class_of(std::size_t size) { return (size + kGrain - 1) / kGrain; }
  static constexpr bool is_small(std::size_t size) { return class_of(size) < kClasses; }

  void* move(void* block, std::size_t old_size, std::size_t new_size);
  void* take(std::size_t size) {
    if (!is_small(size)) return std::malloc(size);
    Free*& head = free_[class_of(size)];
    void* block = head;
    if (block == nullptr) {
      block = carve(class_of(size) * kGrain);
      if (block == nullptr) return nullptr;
    } else {
      head = head->next;
      __builtin_prefetch(head);  // What comes behind it stands there.
    }
    serial_at(block) = ++last_serial_;
    return block;
  }
  static std::uint32_t* chunk_of(const void* block) {
    return reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::uintptr_t>(block) &
                                            ~(kChunkBytes - 1));
  }
  static std::uint32_t& serial_at(const void* block) {
    std::uint32_t* const chunk = chunk_of(block);
    return chunk[(reinterpret_cast<std::uintptr_t>(block) -
                  reinterpret_cast<std::uintptr_t>(chunk)) /
                 kGrain];
  }
  void release(void* block, std::size_t size) {
    if (!is_small(size)) return std::free(block);
    auto* node = ::new (block) Free{free_[class_of(size)]};
    free_[class_of(size)] = node;
  }
  void* carve(std::size_t size);
  void* out_of_memory() const;

  std::array<Free*, kClasses> free_{};
  std::vector<void*> chunks_;
  std::byte* chunk_next_ = nullptr;
  std::size_t chunk_left_ = 0;
  std::size_t used_ = 0;
  std::size_t limit_ = 0;
  std::uint32_t last_serial_ = 0;
  bool enforced_ = false;
};

}  // namespace picklock::lua
