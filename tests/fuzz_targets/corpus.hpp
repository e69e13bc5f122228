// The inputs that were kept for a fuzz target, as a unit test runs them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.hpp"

namespace picklock::fuzzing {

/// Runs every input of `target`'s corpus, in order of their names. None may throw.
inline void run_corpus(std::string_view target, void (*run)(std::string_view)) {
  std::vector<std::filesystem::path> paths;
  const std::string folder = "../fuzz/targets/corpus/" + std::string{target};
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  REQUIRE(paths.size() >= 40);
  for (const auto& path : paths) {
    INFO(path.filename());
    std::ifstream file{path, std::ios::binary};
    const std::string input{std::istreambuf_iterator<char>{file}, {}};
    CHECK_NOTHROW(run(input));
  }
}

}  // namespace picklock::fuzzing
