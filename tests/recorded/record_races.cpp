// record_races FOLDER: writes digests.txt and replays.txt of the search as it is now.
//
// For a change that is meant to give other schedules; a change that is not must leave both alone.
#include <fstream>
#include <iostream>

#include "tests/recorded/recorded.hpp"

namespace {

constexpr const char* kHowTo =
    "# Written by `build/bin/record_races tests/recorded`: run it again after a change that is\n"
    "# meant to give other schedules. The test `recorded` compares every build with this file.\n";

bool write(const std::string& path, const char* what, const std::vector<std::string>& lines) {
  std::ofstream file{path, std::ios::binary};
  file << what << kHowTo;
  for (const std::string& line : lines) file << line << "\n";
  file.close();
  if (!file) std::cerr << "record_races: cannot write " << path << "\n";
  return static_cast<bool>(file);
}

}  // namespace

int main(int argc, char* argv[]) {
  namespace recorded = picklock::race::recorded;
  if (argc != 2) {
    std::cerr << "usage: record_races FOLDER (tests/recorded)\n";
    return 2;
  }
  const std::string folder = argv[1];
  const bool fine =
      write(folder + "/digests.txt",
            "# What is searched | strategy | how long | a number for all choices, states and findings.\n",
            recorded::digests()) &&
      write(folder + "/replays.txt",
            "# A bug of the suite | verdict | property | the replay string that shows it.\n",
            recorded::replays());
  return fine ? 0 : 1;
}
