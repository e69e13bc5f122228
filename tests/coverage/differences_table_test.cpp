// The README's table of deliberate differences and the tests that it names.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/coverage/error_texts.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {
namespace {

constexpr std::string_view kTitle = "difference: ";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The last cell of every row.
std::vector<std::string> named_tests() {
  const std::string readme = contents("../README.md");
  std::vector<std::string> cells;
  auto at = readme.find("| difference | why | test |");
  at = readme.find("|---|", at);
  for (at = readme.find('\n', at) + 1; readme[at] == '|'; at = readme.find('\n', at) + 1) {
    const std::string row = readme.substr(at, readme.find('\n', at) - at);
    const auto end = row.rfind(" |");
    const auto begin = row.rfind("| ", end - 1) + 2;
    cells.push_back(row.substr(begin, end - begin));
  }
  return cells;
}

/// What the tests of differences are called, without the word before.
std::vector<std::string> titles() {
  std::vector<std::string> all;
  for (const auto& literal : literals_of(contents("facade/differences_test.cpp")))
    if (literal.starts_with(kTitle)) all.push_back(literal.substr(kTitle.size()));
  return all;
}

/// "ACL names ..." stands for what begins so.
std::string beginning(const std::string& cell) {
  return cell.starts_with('"') ? cell.substr(1, cell.find(" ...") - 1) : std::string{};
}

/// The path in "`tests/lua`, as below", or in "transcripts/x.txt".
std::string path_in(const std::string& cell) {
  std::string path = cell.starts_with('`') ? cell.substr(1, cell.find('`', 1) - 1) : cell;
  return path.starts_with("tests/") ? path.substr(6) : path;
}

}  // namespace

TEST_CASE("every row of the table of differences names a test that is there") {
  const auto tests = titles();
  const auto cells = named_tests();
  REQUIRE(cells.size() > 20);
  for (const auto& cell : cells) {
    INFO(cell);
    const std::string begin = beginning(cell);
    bool found = begin.empty() && std::filesystem::exists(path_in(cell));
    for (const auto& test : tests) found |= !begin.empty() && test.starts_with(begin);
    CHECK(found);
  }
}

TEST_CASE("every test of a difference is named by the table") {
  const auto cells = named_tests();
  for (const auto& test : titles()) {
    INFO(test);
    bool named = false;
    for (const auto& cell : cells)
      named |= !beginning(cell).empty() && test.starts_with(beginning(cell));
    // The second row speaks for itself and, with its file, for all.
    CHECK((named || test == "keys and fields come in order of creation"));
  }
}

}  // namespace picklock::test
