// The golden transcripts ask everything that redis-server documents.
#include "tests/coverage/coverage.hpp"

#include <set>
#include <string>
#include <utility>

#include "tests/coverage/lists.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/real_redis.hpp"

namespace picklock::test {
namespace {

constexpr std::size_t kEnoughCases = 5;

struct Covered {
  Documented documented;
  Coverage coverage;
};

const Covered& covered() {
  static const Covered all = [] {
    RealRedis server;
    Documented documented = documented_words(server);
    Coverage coverage = coverage_of(transcripts_below("transcripts"), documented);
    return Covered{std::move(documented), std::move(coverage)};
  }();
  return all;
}

}  // namespace

TEST_CASE("the documentation names all commands and subcommands") {
  CHECK(covered().documented.size() == 366);
  CHECK(covered().documented.at("set").contains("keepttl"));
  CHECK(covered().documented.at("client|kill").contains("skipme"));
}

TEST_CASE("every command has five cases") {
  for (const auto& [name, use] : covered().coverage) {
    INFO(name);
    CHECK(use.cases >= kEnoughCases);
  }
}

TEST_CASE("every command is answered with an error somewhere") {
  const auto excused = read_list("coverage/cannot_fail.txt");
  for (const auto& [name, use] : covered().coverage) {
    INFO(name);
    CHECK((use.errors > 0) != excused.contains(name));
  }
}

TEST_CASE("every word that is documented is asked of its command") {
  const auto excused = read_list("coverage/words_not_asked.txt");
  std::set<std::string> missing;
  for (const auto& [name, use] : covered().coverage)
    for (const auto& word : missing_words(use, covered().documented.at(name)))
      missing.insert(name + " " + word);
  for (const auto& word : missing) {
    INFO(word);
    CHECK(excused.contains(word));
  }
  for (const auto& [word, reason] : excused) {
    INFO(word << " is asked by now");
    CHECK(missing.contains(word));
  }
}

}  // namespace picklock::test
