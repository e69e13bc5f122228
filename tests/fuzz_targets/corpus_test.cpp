// Every input that was kept for libFuzzer, in the ordinary build.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/targets/script_target.hpp"
#include "tests/support/catch.hpp"

namespace picklock::fuzzing {

TEST_CASE("every script of the corpus ends, answers twice alike, and leaves the emulator well") {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator{"../fuzz/targets/corpus/script"})
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  REQUIRE(paths.size() >= 40);
  for (const auto& path : paths) {
    INFO(path.filename());
    std::ifstream file{path, std::ios::binary};
    const std::string input{std::istreambuf_iterator<char>{file}, {}};
    CHECK_NOTHROW(run_script_input(input));
  }
}

}  // namespace picklock::fuzzing
