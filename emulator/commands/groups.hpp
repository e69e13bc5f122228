// The command groups that need only data. The engine joins them with its own into one table.
#pragma once

#include <span>

#include "emulator/commands/command.hpp"

namespace picklock::commands {

std::span<const Command> strings();
std::span<const Command> string_ranges();
std::span<const Command> lcs();
std::span<const Command> counters();
std::span<const Command> bitmaps();
std::span<const Command> bitfields();
std::span<const Command> hashes();
std::span<const Command> hash_random();
std::span<const Command> hash_expiry();
std::span<const Command> hash_values();
std::span<const Command> conditional_strings();
std::span<const Command> lists();
std::span<const Command> list_pops();
std::span<const Command> sets();
std::span<const Command> set_picks();
std::span<const Command> set_algebra();
std::span<const Command> scans();
std::span<const Command> sorted_sets();
std::span<const Command> sorted_set_ranges();
std::span<const Command> sorted_set_picks();
std::span<const Command> sorted_set_algebra();
std::span<const Command> geo();
std::span<const Command> geo_search();
std::span<const Command> hyperloglog();
std::span<const Command> streams();
std::span<const Command> stream_pending();
std::span<const Command> generic();
std::span<const Command> moving();
std::span<const Command> expiry();

}  // namespace picklock::commands
