// Every input that was kept for libFuzzer, in the ordinary build.
#include "tests/fuzz_targets/corpus.hpp"

#include "fuzz/targets/script_target.hpp"

namespace picklock::fuzzing {

TEST_CASE("every script of the corpus ends, answers twice alike, and leaves the emulator well") {
  run_corpus("script", run_script_input);
}

}  // namespace picklock::fuzzing
