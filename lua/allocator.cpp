#include "lua/allocator.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace picklock::lua {

namespace {

// Places in a chunk's head.
constexpr std::size_t kCarved = 0;
constexpr std::size_t kFree = 1;

}  // namespace

void Allocator::trim() {
  if (chunks_.size() * kChunkBytes < used_ + kMaxIdleBytes) return;
  for (void* chunk : chunks_) chunk_of(chunk)[kFree] = 0;
  for (std::size_t size = 0; size < kClasses; ++size)
    for (Free* node = free_[size]; node != nullptr; node = node->next)
      chunk_of(node)[kFree] += static_cast<std::uint32_t>(size * kGrain);
  // The last chunk may still be carved.
  const auto is_idle = [this](const void* chunk) {
    const std::uint32_t* head = chunk_of(chunk);
    return head[kFree] == head[kCarved] && chunk != chunks_.back();
  };
  for (Free*& head : free_) {
    Free** link = &head;
    while (*link != nullptr) {
      if (is_idle(chunk_of(*link)))
        *link = (*link)->next;
      else
        link = &(*link)->next;
    }
  }
  std::vector<void*> kept;
  for (void* chunk : chunks_)
    if (!is_idle(chunk)) kept.push_back(chunk);
  for (void* chunk : chunks_)
    if (is_idle(chunk)) std::free(chunk);
  chunks_ = std::move(kept);
#ifdef __GLIBC__
  ::malloc_trim(0);  // The last chunk lies above the others, and would keep their pages.
#endif
}

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
    chunk_of(chunk)[kCarved] = 0;
  }
  void* result = chunk_next_;
  chunk_of(result)[kCarved] += static_cast<std::uint32_t>(size);
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
