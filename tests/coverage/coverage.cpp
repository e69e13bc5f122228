#include "tests/coverage/coverage.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "emulator/base/text.hpp"
#include "tests/command_table/asking.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

/// What follows `name` in a map that came as a list of names and values; null if it is not there.
const Reply* member(const Reply& map, std::string_view name) {
  for (std::size_t i = 0; i + 1 < map.size(); i += 2)
    if (map[i] == name) return &map[i + 1];
  return nullptr;
}

void add_tokens(const Reply& arguments, std::set<std::string>& tokens) {
  for (const Reply& argument : arguments.elements()) {
    if (const Reply* token = member(argument, "token")) tokens.insert(lower(token->text()));
    if (const Reply* inner = member(argument, "arguments")) add_tokens(*inner, tokens);
  }
}

void add_docs(const Reply& docs, Documented& documented) {
  for (std::size_t i = 0; i + 1 < docs.size(); i += 2) {
    auto& tokens = documented[docs[i].text()];
    if (const Reply* arguments = member(docs[i + 1], "arguments")) add_tokens(*arguments, tokens);
    if (const Reply* inner = member(docs[i + 1], "subcommands")) add_docs(*inner, documented);
  }
}

void add_request(const Step& step, const std::vector<std::string>& words, CommandUse& use) {
  ++use.cases;
  if (!step.expected.empty() && step.expected[0].starts_with("(error)")) ++use.errors;
  for (std::size_t i = 1; i < words.size(); ++i) use.words.insert(lower(words[i]));
}

}  // namespace

std::vector<Transcript> transcripts_below(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder})
    if (entry.path().extension() == ".txt") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  std::vector<Transcript> transcripts;
  for (const auto& path : paths) transcripts.push_back(read_transcript(path));
  return transcripts;
}

Coverage coverage_of(const std::vector<Transcript>& transcripts, const Documented& documented) {
  Coverage coverage;
  for (const auto& [name, words] : documented) coverage[name];
  for (const auto& transcript : transcripts) {
    for (const Step& step : transcript.steps) {
      if (step.kind != Step::Kind::command) continue;
      const auto words = split_words(step.words);
      if (!words || words->empty()) continue;
      const std::string name = lower((*words)[0]);
      const auto whole = coverage.find(name);
      if (whole != coverage.end()) add_request(step, *words, whole->second);
      if (words->size() < 2) continue;
      const auto part = coverage.find(name + "|" + lower((*words)[1]));
      if (part != coverage.end()) add_request(step, *words, part->second);
    }
  }
  return coverage;
}

Documented documented_words(Target& server) {
  Documented documented;
  add_docs(ask(server, {"COMMAND", "DOCS"}, 3), documented);
  return documented;
}

std::set<std::string> missing_words(const CommandUse& use,
                                    const std::set<std::string>& documented) {
  std::set<std::string> missing;
  std::ranges::set_difference(documented, use.words, std::inserter(missing, missing.end()));
  return missing;
}

}  // namespace picklock::test
