// Every error text of the emulator is shown by a transcript or named by a test.
#include "tests/coverage/error_texts.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/coverage/coverage.hpp"
#include "tests/coverage/lists.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<ErrorText> all_error_texts() {
  std::vector<ErrorText> all;
  for (const auto& entry : std::filesystem::directory_iterator{"../emulator/commands"})
    if (entry.path().filename().string().ends_with("errors.hpp"))
      std::ranges::copy(error_texts_of(contents(entry.path())), std::back_inserter(all));
  return all;
}

/// What the transcripts expect.
std::string recorded_replies() {
  std::string text;
  for (const auto& transcript : transcripts_below("transcripts")) {
    for (const Step& step : transcript.steps) {
      for (const auto& line : step.expected) text += line + '\n';
      for (const auto& line : step.expected3.value_or(std::vector<std::string>{}))
        text += line + '\n';
    }
  }
  return text;
}

/// The literals of the tests, and the constants that they name.
std::string written_in_tests() {
  std::string text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{"."}) {
    if (!entry.path().filename().string().ends_with("_test.cpp")) continue;
    const std::string source = contents(entry.path());
    for (const auto& literal : literals_of(source)) text += literal + '\n';
    for (auto at = source.find("errors::"); at != std::string::npos;
         at = source.find("errors::", at + 1))
      text += source.substr(at, source.find_first_of(" ),;(", at) - at) + '\n';
  }
  return text;
}

/// A piece too short to tell one text from another says nothing.
bool tells(std::string_view piece) { return piece.size() > 6; }

bool is_shown(const ErrorText& error, std::string_view shown) {
  if (shown.find("errors::" + error.name + "\n") != std::string_view::npos) return true;
  return std::ranges::all_of(error.pieces, [&](const std::string& piece) {
    return !tells(piece) || shown.find(piece) != std::string_view::npos;
  });
}

}  // namespace

TEST_CASE("literals are read as C++ has them") {
  CHECK(literals_of(R"(a("x" "y", "z\"\n") // "no")") == std::vector<std::string>{"xy", "z\"\n"});
  const auto texts = error_texts_of(
      "inline constexpr std::string_view kOne =\n \"ERR \"\n \"one\";  // \"not\"\n"
      "inline std::string two(int) { return \"a\" + b + \"c\"; }");
  REQUIRE(texts.size() == 2);
  CHECK(texts[0].name == "kOne");
  CHECK(texts[0].pieces == std::vector<std::string>{"ERR one"});
  CHECK(texts[1].name == "two");
  CHECK(texts[1].pieces == std::vector<std::string>{"a", "c"});
}

TEST_CASE("every error text is shown by a transcript or a test") {
  const auto texts = all_error_texts();
  REQUIRE(texts.size() > 250);
  const std::string shown = recorded_replies() + written_in_tests();
  const auto excused = read_list("coverage/errors_not_shown.txt");
  for (const ErrorText& error : texts) {
    INFO(error.name << ": " << (error.pieces.empty() ? "" : error.pieces[0]));
    CHECK(is_shown(error, shown) != excused.contains(error.name));
  }
}

}  // namespace picklock::test
