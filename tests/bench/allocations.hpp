// How often the program has asked for memory: C++ and Lua alike.
//
// allocations.cpp stands before the C library's malloc in the program that it is linked into.
#pragma once

#include <cstdint>

namespace picklock::bench {

/// Calls of malloc, calloc, realloc and aligned_alloc so far; operator new comes here, too.
std::uint64_t allocations();

}  // namespace picklock::bench
