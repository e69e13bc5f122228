// The entry of libFuzzer, `fuzz_schedule fuzz/targets/corpus/schedule`, and of AFL++,
// `afl-fuzz -i fuzz/targets/corpus/schedule -o findings fuzz_schedule`.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "fuzz/targets/schedule_target.hpp"

namespace {

constexpr std::size_t kEdges = 16384;

#ifndef PICKLOCK_AFL

/// Edges between the abstract states of the lock, beside those of the program.
__attribute__((section("__libfuzzer_extra_counters"))) std::array<std::uint8_t, kEdges> edges;
void tell_fuzzer() {}

#else

extern "C" void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* begin, std::uint32_t* end);
extern "C" void __sanitizer_cov_trace_pc_guard(std::uint32_t* guard);

std::array<std::uint8_t, kEdges> edges;
/// AFL++ gives every edge of the program a place in its map: these as well.
std::array<std::uint32_t, kEdges> guards;
__attribute__((constructor)) void take_places() {
  __sanitizer_cov_trace_pc_guard_init(guards.data(), guards.data() + guards.size());
}
void tell_fuzzer() {
  for (std::size_t i = 0; i < kEdges; ++i)
    if (std::exchange(edges[i], std::uint8_t{0}) != 0) __sanitizer_cov_trace_pc_guard(&guards[i]);
}

#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    picklock::fuzzing::run_schedule_input({reinterpret_cast<const char*>(data), size}, edges);
  } catch (const std::logic_error& finding) {
    std::fputs(finding.what(), stderr);
    std::abort();
  }
  tell_fuzzer();
  return 0;
}
