// How COMMAND INFO shows a row of the table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "emulator/commands/command.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// Shows only subcommands that `profile` has.
void write_command_info(ReplyWriter& reply, const Command& command, const Profile& profile);

/// The bit of an ACL category by its name without '@', in any case of letters; 0 if there is none.
std::uint32_t find_acl_category(std::string_view name);
/// The bits of all categories with their names ("@keyspace"), in the order in which Redis lists
/// them.
std::span<const std::pair<std::uint32_t, std::string_view>> acl_category_names();

/// Writes the flags of a key specification, which are separated by spaces, as a set.
void write_key_flags(ReplyWriter& reply, std::string_view text);

}  // namespace picklock
