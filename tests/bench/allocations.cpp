#include "tests/bench/allocations.hpp"

#include <cstddef>

// The C library's own entry points, beneath those that a program may replace (glibc manual,
// "Replacing malloc").
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);
}

namespace picklock::bench {
namespace {
thread_local std::uint64_t count = 0;
}
std::uint64_t allocations() { return count; }
}  // namespace picklock::bench

extern "C" {
void* malloc(std::size_t size) {
  ++picklock::bench::count;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++picklock::bench::count;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++picklock::bench::count;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++picklock::bench::count;
  return __libc_memalign(alignment, size);
}
void free(void* memory) { __libc_free(memory); }
}
