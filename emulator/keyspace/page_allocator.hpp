// Large blocks straight from the system, to which each goes back by itself.
//
// An allocator that hands many freed blocks back at once takes tens of milliseconds for that, in
// the midst of somebody's request. What is smaller than a block that is worth it comes from new.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <sys/mman.h>

namespace picklock {

template <class T>
struct PageAllocator {
  using value_type = T;
  static constexpr std::size_t kFewestBytes = 64 << 10;

  PageAllocator() = default;
  template <class Other>
  PageAllocator(const PageAllocator<Other>&) {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc{};
    if (count * sizeof(T) < kFewestBytes) return static_cast<T*>(::operator new(count * sizeof(T)));
    void* const block = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc{};
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) {
    if (count * sizeof(T) < kFewestBytes)
      ::operator delete(block);
    else
      ::munmap(block, count * sizeof(T));
  }

  template <class Other>
  bool operator==(const PageAllocator<Other>&) const {
    return true;
  }
};

}  // namespace picklock
