#include "emulator/engine/dispatch.hpp"

#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/table.hpp"

namespace picklock {

namespace {
constexpr std::size_t kShown =
    128;  // Bytes of a name, and of all its arguments, that an error repeats.

}  // namespace

const Command* resolve(Args words, const Profile& profile) {
  const Command* command = find_command(words[0], profile);
  if (!command || command->subcommands.empty() || words.size() == 1) return command;
  return find_subcommand(*command, words[1], profile);
}

std::string unknown_command(Args words, const Profile& profile) {
  if (const Command* container = find_command(words[0], profile)) {
    std::string name{container->name};
    for (char& c : name) c = to_upper(c);
    return "ERR unknown subcommand '" + errors::printed(words[1], kShown) + "'. Try " + name +
           " HELP.";
  }
  std::string arguments;
  for (const std::string_view word : words.subspan(1)) {
    if (arguments.size() >= kShown) break;
    arguments += "'" + errors::printed(word, kShown - arguments.size()) + "' ";
  }
  return "ERR unknown command '" + errors::printed(words[0], kShown) +
         "', with args beginning with: " + arguments;
}

}  // namespace picklock
