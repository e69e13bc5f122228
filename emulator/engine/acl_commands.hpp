// Every command and subcommand of a profile under a small number, for sets of commands.
//
// Immutable, safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/commands/command.hpp"

namespace picklock {

struct NumberedCommand {
  const Command* row;
  std::uint32_t categories;
  std::size_t subcommands;  ///< How many rows behind this one are its subcommands.
};

class NumberedCommands {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit NumberedCommands(const Profile& profile);
  /// The one of `profile`, for as long as the program runs.
  static const NumberedCommands& of(const Profile& profile);

  /// In alphabetical order, subcommands right behind their container; a number is a place in here.
  std::span<const NumberedCommand> rows() const { return rows_; }
  /// The number of a row; kNone for one that COMMAND does not list.
  std::size_t number(const Command& command) const;
  /// The number of a command by its full name ("get", "config|set"), in any case of letters.
  std::size_t number(std::string_view full_name) const;

 private:
  void add(const Command& row);

  const Profile& profile_;
  std::vector<NumberedCommand> rows_;
  std::unordered_map<const Command*, std::size_t> numbers_;  // Only looked up, never walked.
};

}  // namespace picklock
