// A walk over every name that a real redis-server lists: is it known here, and described alike?
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

#include "tests/command_table/asking.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/real_redis.hpp"

namespace picklock::test {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file{path};
  REQUIRE(file);
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Every command and subcommand.
std::set<std::string> all_names(Target& server) {
  std::set<std::string> names;
  for (const Reply& name : ask(server, {"COMMAND", "LIST"}).elements()) names.insert(name.text());
  return names;
}

std::string upper_with_space(std::string name) {
  for (char& c : name) c = c == '|' ? ' ' : static_cast<char>(std::toupper(c));
  return name;
}

/// Whether the README's table of differences names it.
bool is_a_known_difference(const std::string& name) {
  static const std::string readme = contents("../README.md");
  const auto begin = readme.find("## What differs");
  return readme.find("`" + upper_with_space(name) + "`", begin) != std::string::npos;
}

/// Names that are still to come, one a line.
std::set<std::string> expected_missing() {
  std::ifstream file{"command_table/still_missing.txt"};
  REQUIRE(file);
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') names.insert(line);
  return names;
}

/// Documentation with the subcommands in order, and without those that `names` does not have.
Reply comparable(Reply docs, const std::set<std::string>& names) {
  auto& pairs = docs.elements();
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (!(pairs[i] == "subcommands")) continue;
    std::map<std::string, Reply> sorted;
    auto& subs = pairs[i + 1].elements();
    for (std::size_t at = 0; at + 1 < subs.size(); at += 2)
      if (names.contains(subs[at].text())) sorted[subs[at].text()] = subs[at + 1];
    std::vector<Reply> flat;
    for (auto& [name, value] : sorted) {
      flat.push_back(Reply::make_text(Reply::Type::bulk, name));
      flat.push_back(value);
    }
    pairs[i + 1] = Reply::make_aggregate(Reply::Type::map, std::move(flat));
  }
  return docs;
}

}  // namespace

TEST_CASE("every name that Redis lists is known, or said to be missing") {
  RealRedis real;
  EmulatorTarget emulator;
  const auto theirs = all_names(real);
  const auto ours = all_names(emulator);
  const auto expected = expected_missing();
  std::string missing, done;
  std::size_t known = 0;
  for (const std::string& name : theirs) {
    if (ours.contains(name)) {
      ++known;
      if (expected.contains(name)) done += " " + name;
      continue;
    }
    missing += " " + name;
    INFO("command " << name);
    CHECK((expected.contains(name) || is_a_known_difference(name)));
  }
  std::cout << "knows " << known << " of the " << theirs.size()
            << " names of redis-server 7.0.15; missing:" << (missing.empty() ? " none" : missing)
            << '\n';
  if (!done.empty())
    std::cout << "to be taken off command_table/still_missing.txt:" << done << '\n';
}

TEST_CASE("COMMAND DOCS says of every known name what Redis says") {
  RealRedis real;
  EmulatorTarget emulator;
  const auto ours = all_names(emulator);
  for (const int protocol : {2, 3})
    for (const std::string& name : ours) {
      INFO("command " << name << " in RESP" << protocol);
      Reply theirs = ask(real, {"COMMAND", "DOCS", name}, protocol);
      Reply mine = ask(emulator, {"COMMAND", "DOCS", name}, protocol);
      REQUIRE(theirs.size() == 2);
      REQUIRE(mine.size() == 2);
      CHECK(mine.type() == theirs.type());
      // In RESP2 a map is an array, of subcommands too; it is the containers that differ in order.
      if (protocol == 2 && ask(emulator, {"COMMAND", "INFO", name})[0][9].size() > 0) continue;
      CHECK(comparable(mine[1], ours) == comparable(theirs[1], ours));
    }
}

TEST_CASE("COMMAND DOCS without a name lists all, and passes over unknown names") {
  EmulatorTarget emulator;
  CHECK(ask(emulator, {"COMMAND", "DOCS"}, 3).size() ==
        2 * static_cast<std::size_t>(ask(emulator, {"COMMAND", "COUNT"}).integer()));
  CHECK(ask(emulator, {"COMMAND", "DOCS", "nonsense", "GET"}, 3).size() == 2);
}

}  // namespace picklock::test
