// Asks the processor for memory before it is needed.
#pragma once

namespace picklock {

/// Changes nothing; `address` need not be valid.
inline void prefetch(const void* address) {
  __builtin_prefetch(address);
  // Or else g++ takes a function that does nothing but this for one without effect, and drops it.
  asm volatile("" : : : "memory");
}

}  // namespace picklock
