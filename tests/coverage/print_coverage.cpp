// print_coverage FOLDER: a table of what the golden transcripts below FOLDER ask of each command.
#include <iomanip>
#include <iostream>

#include "tests/coverage/coverage.hpp"
#include "tests/support/real_redis.hpp"

int main(int argc, char* argv[]) {
  using namespace picklock::test;
  if (argc != 2) {
    std::cerr << "usage: print_coverage FOLDER\n";
    return 2;
  }
  try {
    RealRedis server;
    const Documented documented = documented_words(server);
    std::cout << " cases  errors  command                          never asked\n";
    for (const auto& [name, use] : coverage_of(transcripts_below(argv[1]), documented)) {
      std::cout << std::setw(6) << use.cases << std::setw(8) << use.errors << "  " << std::left
                << std::setw(32) << name << std::right;
      for (const auto& word : missing_words(use, documented.at(name)))
        std::cout << ' ' << (word.empty() ? "\"\"" : word);
      std::cout << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << "print_coverage: " << error.what() << '\n';
    return 2;
  }
}
