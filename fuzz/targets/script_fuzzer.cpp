// The entry of libFuzzer: `fuzz_script fuzz/targets/corpus/script`.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets/script_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  picklock::fuzzing::run_script_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
