// The README's list of commands, from the command table: `readme_commands --check README.md` fails
// when the list there is not that of the table, `readme_commands --write README.md` puts it there.
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "tests/command_table/asking.hpp"
#include "tests/support/emulator_target.hpp"

namespace picklock::test {
namespace {

constexpr std::string_view kBegin = "<!-- commands: written by build/bin/readme_commands -->\n";
constexpr std::string_view kEnd = "<!-- end of commands -->\n";

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

const Reply* value_of(const Reply& map, std::string_view key) {
  for (std::size_t i = 0; i + 1 < map.size(); i += 2)
    if (map[i] == key) return &map[i + 1];
  return nullptr;
}

/// "`CONFIG` (GET, SET)"; a star behind what `old` does not have.
std::string entry(const std::string& name, const Reply& docs, const Reply& old) {
  const Reply* old_docs = value_of(old, name);
  std::string text = upper(name) + (old_docs ? "" : "*");
  const Reply* subcommands = value_of(docs, "subcommands");
  if (!subcommands) return text;
  const Reply* old_subcommands = old_docs ? value_of(*old_docs, "subcommands") : nullptr;
  std::map<std::string, std::string> sorted;
  for (std::size_t i = 0; i + 1 < subcommands->size(); i += 2) {
    const std::string& sub = (*subcommands)[i].text();
    const bool is_old = old_subcommands && value_of(*old_subcommands, sub);
    sorted[sub] = upper(sub.substr(name.size() + 1)) + (is_old || !old_docs ? "" : "*");
  }
  std::string list;
  for (const auto& [sub, shown] : sorted) list += (list.empty() ? "" : " ") + shown;
  return text + " (" + list + ")";
}

std::string table() {
  Options newest;
  newest.profile = "all";
  EmulatorTarget all{newest}, redis70;
  const Reply docs = ask(all, {"COMMAND", "DOCS"}, 3);
  const Reply old = ask(redis70, {"COMMAND", "DOCS"}, 3);
  std::map<std::string, std::map<std::string, std::string>> groups;
  for (std::size_t i = 0; i + 1 < docs.size(); i += 2) {
    const std::string& name = docs[i].text();
    groups[value_of(docs[i + 1], "group")->text()][name] = entry(name, docs[i + 1], old);
  }
  std::string text = "| group | commands (`*`: only in the newer profiles) |\n|---|---|\n";
  for (const auto& [group, commands] : groups) {
    text += "| " + group + " | ";
    for (const auto& [name, shown] : commands)
      text += (name == commands.begin()->first ? "" : ", ") + shown;
    text += " |\n";
  }
  return text;
}

int run(bool writes, const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  const std::string readme{std::istreambuf_iterator<char>{file}, {}};
  const auto begin = readme.find(kBegin);
  const auto end = readme.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos)
    throw std::runtime_error(path + " has no place for the list of commands");
  const auto first = begin + kBegin.size();
  const std::string wanted = readme.substr(0, first) + table() + readme.substr(end);
  if (wanted == readme) return 0;
  if (writes) return std::ofstream{path, std::ios::binary} << wanted, 0;
  std::cerr << "the list of commands is stale: run build/bin/readme_commands --write README.md\n";
  return 1;
}

}  // namespace
}  // namespace picklock::test

int main(int argc, char* argv[]) {
  const std::string option = argc == 3 ? argv[1] : "";
  if (option != "--check" && option != "--write") {
    std::cerr << "usage: readme_commands --check|--write README.md\n";
    return 2;
  }
  try {
    return picklock::test::run(option == "--write", argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "readme_commands: " << error.what() << '\n';
    return 2;
  }
}
