#include "emulator/engine/acl_commands.hpp"

#include "emulator/engine/table.hpp"

namespace picklock {

NumberedCommands::NumberedCommands(const Profile& profile) : profile_(profile) {
  for (const Command* row : all_commands(profile)) {
    const std::size_t place = rows_.size();
    add(*row);
    for (const Command& sub : row->subcommands)
      if (profile.has(sub.servers)) add(sub);
    rows_[place].subcommands = rows_.size() - place - 1;
  }
}

void NumberedCommands::add(const Command& row) {
  numbers_.emplace(&row, rows_.size());
  rows_.push_back({&row, acl_categories(row), 0});
}

const NumberedCommands& NumberedCommands::of(const Profile& profile) {
  static const std::vector<NumberedCommands> all{std::begin(kProfiles), std::end(kProfiles)};
  return all[static_cast<std::size_t>(&profile - kProfiles)];
}

std::size_t NumberedCommands::number(const Command& command) const {
  const auto found = numbers_.find(&command);
  return found == numbers_.end() ? kNone : found->second;
}

std::size_t NumberedCommands::number(std::string_view full_name) const {
  const auto bar = full_name.find('|');
  const Command* command = find_command(full_name.substr(0, bar), profile_);
  if (command && bar != std::string_view::npos)
    command = find_subcommand(*command, full_name.substr(bar + 1), profile_);
  return command ? number(*command) : kNone;
}

}  // namespace picklock
