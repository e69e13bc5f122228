// Large blocks straight from the system, to which each goes back by itself.
//
// An allocator that hands many freed blocks back at once takes tens of milliseconds for that, in
// the midst of somebody's request. What is smaller than a block that is worth it comes from new.
// The few blocks that were freed last are kept, for a block of the same size: who copies a table
// over and over meets no new pages.
#pragma once

#include <cstddef>
#include <limits>
#include <new>

namespace picklock {

/// So many bytes, a page's beginning; what they contain is left open. Throws std::bad_alloc. Safe
/// to call from any thread, as is give_back_pages().
void* take_pages(std::size_t bytes);
/// `block` was taken, with as many bytes.
void give_back_pages(void* block, std::size_t bytes) noexcept;

template <class T>
struct PageAllocator {
  using value_type = T;
  static constexpr std::size_t kFewestBytes = 64 << 10;

  PageAllocator() = default;
  template <class Other>
  PageAllocator(const PageAllocator<Other>&) {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc{};
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(bytes < kFewestBytes ? ::operator new(bytes) : take_pages(bytes));
  }
  void deallocate(T* block, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    bytes < kFewestBytes ? ::operator delete(block) : give_back_pages(block, bytes);
  }

  template <class Other>
  bool operator==(const PageAllocator<Other>&) const {
    return true;
  }
};

}  // namespace picklock
