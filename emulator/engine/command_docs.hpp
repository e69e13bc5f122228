// How COMMAND DOCS describes a row of the table.
//
// The texts are a resource, recorded from a real server by tests/command_table/
// record_command_docs.cpp and built in; since and group are the table's. Immutable, safe from any
// thread.
#pragma once

#include "emulator/commands/command.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// Writes the documentation of `command` and of those of its subcommands that `profile` has.
void write_command_docs(ReplyWriter& reply, const Command& command, const Profile& profile);

}  // namespace picklock
