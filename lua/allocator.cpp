#include "lua/allocator.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace picklock::lua {

void* Allocator::move(void* block, std::size_t old_size, std::size_t new_size) {
  if (block == nullptr) return take(new_size);
  if (!is_small(old_size) && !is_small(new_size)) return std::realloc(block, new_size);
  if (class_of(old_size) == class_of(new_size)) return block;
  void* result = take(new_size);
  if (result == nullptr) return nullptr;
  std::memcpy(result, block, std::min(old_size, new_size));
  release(block, old_size);
  return result;
}

void* Allocator::carve(std::size_t size) {
  if (chunk_left_ < size) {
    void* chunk = std::aligned_alloc(kChunkBytes, kChunkBytes);
    if (chunk == nullptr) return nullptr;
    chunks_.push_back(chunk);
    chunk_next_ = static_cast<std::byte*>(chunk) + kSerialBytes;
    chunk_left_ = kChunkBytes - kSerialBytes;
  }
  void* result = chunk_next_;
  chunk_next_ += size;
  chunk_left_ -= size;
  return result;
}

void* Allocator::out_of_memory() const {
  // A script takes it as Lua's "not enough memory". Elsewhere Lua would unwind C++ frames with
  // longjmp.
  if (enforced_) return nullptr;
  std::terminate();
}

}  // namespace picklock::lua
