// Writes what COMMAND DOCS of a real redis-server says as the resource that the emulator answers
// from: `record_command_docs > emulator/engine/command_docs.inc`.
//
// One line a fact: a command's name, and indented below it its summary, complexity, history,
// whether and since when it is deprecated, and its arguments ("arg ..integer seconds token=EX",
// where each dot is one level of nesting). What the command table knows (since, group) is left out.
// Does not link the emulator: it cannot write what Redis did not say.
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/command_table/asking.hpp"
#include "tests/support/real_redis.hpp"

namespace picklock::test {
namespace {

void write_argument(const Reply& argument, const std::string& dots) {
  std::string line;
  const Reply* nested = nullptr;
  for (std::size_t i = 0; i + 1 < argument.size(); i += 2) {
    const std::string& key = argument[i].text();
    const Reply& value = argument[i + 1];
    if (key == "arguments")
      nested = &value;
    else if (key == "flags")
      for (const Reply& flag : value.elements()) line += " " + flag.text();
    else if (key == "key_spec_index")
      line += " key=" + std::to_string(value.integer());
    else if (key == "name" || key == "type")
      line += " " + value.text();
    else if (key == "token" || key == "since" || key == "deprecated_since")
      line += " " + key + "=" + value.text();
    else
      throw std::runtime_error("COMMAND DOCS has an argument with " + key);
  }
  std::cout << " arg " << dots << line.substr(1) << '\n';
  if (nested)
    for (const Reply& inner : nested->elements()) write_argument(inner, dots + ".");
}

void write_command(const std::string& name, const Reply& docs) {
  std::cout << name << '\n';
  const Reply* subcommands = nullptr;
  for (std::size_t i = 0; i + 1 < docs.size(); i += 2) {
    const std::string& key = docs[i].text();
    const Reply& value = docs[i + 1];
    if (key == "since" || key == "group") continue;
    if (key == "subcommands") {
      subcommands = &value;
    } else if (key == "arguments") {
      for (const Reply& argument : value.elements()) write_argument(argument, "");
    } else if (key == "history") {
      for (const Reply& change : value.elements())
        std::cout << " history " << change[0].text() << ' ' << change[1].text() << '\n';
    } else if (key == "doc_flags") {
      for (const Reply& flag : value.elements()) std::cout << " doc_flag " << flag.text() << '\n';
    } else {
      std::cout << ' ' << key << ' ' << value.text() << '\n';
    }
  }
  if (subcommands) {
    std::map<std::string, const Reply*> sorted;
    for (std::size_t i = 0; i + 1 < subcommands->size(); i += 2)
      sorted[(*subcommands)[i].text()] = &(*subcommands)[i + 1];
    for (const auto& [sub, value] : sorted) write_command(sub, *value);
  }
}

void run() {
  RealRedis real;
  const Reply docs = ask(real, {"COMMAND", "DOCS"}, 3);
  std::map<std::string, const Reply*> sorted;
  for (std::size_t i = 0; i + 1 < docs.size(); i += 2) sorted[docs[i].text()] = &docs[i + 1];
  std::cout
      << "// Recorded from redis-server 7.0.15 by tests/command_table/record_command_docs.cpp.\n"
         "R\"docs(\n";
  for (const auto& [name, value] : sorted) write_command(name, *value);
  std::cout << ")docs\"\n";
}

}  // namespace
}  // namespace picklock::test

int main() {
  try {
    picklock::test::run();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "record_command_docs: " << error.what() << '\n';
    return 1;
  }
}
