// The entry of libFuzzer: `fuzz_schedule fuzz/targets/corpus/schedule`.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "fuzz/targets/schedule_target.hpp"

namespace {
/// Edges between the abstract states of the lock, beside those of the program.
__attribute__((section("__libfuzzer_extra_counters"))) std::array<std::uint8_t, 16384> edges;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    picklock::fuzzing::run_schedule_input({reinterpret_cast<const char*>(data), size}, edges);
  } catch (const std::logic_error& finding) {
    std::fputs(finding.what(), stderr);
    std::abort();
  }
  return 0;
}
