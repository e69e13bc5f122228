// What the HELP subcommands answer.
//
// The texts are data; the first line, with the name as the client wrote it, and the last one are
// the same for all. Immutable, safe from any thread.
#pragma once

#include <span>
#include <string_view>

#include "emulator/commands/context.hpp"

namespace picklock {

namespace help {
std::span<const std::string_view> acl();
std::span<const std::string_view> client();
std::span<const std::string_view> cluster();
std::span<const std::string_view> command();
std::span<const std::string_view> latency();
std::span<const std::string_view> slowlog();
std::span<const std::string_view> config();
std::span<const std::string_view> debug();
std::span<const std::string_view> memory();
std::span<const std::string_view> module();
std::span<const std::string_view> object();
std::span<const std::string_view> function();
std::span<const std::string_view> script();
std::span<const std::string_view> sentinel();
std::span<const std::string_view> pubsub();
std::span<const std::string_view> xgroup();
std::span<const std::string_view> xinfo();
}  // namespace help

/// Answers with `lines` between Redis's first and last lines.
void write_help(Context& c, std::span<const std::string_view> lines);

}  // namespace picklock
