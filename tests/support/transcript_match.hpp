// Compares what came back with what a transcript expects, and prints it for the recorder.
//
// Exact, line by line, but for the few marks of tests/transcripts/README.md that stand for what
// differs between two real servers. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/transcript_player.hpp"

namespace picklock::test {

/// The expectation of a command whose reply is held back.
inline constexpr std::string_view kBlocks = "(blocks)";

/// A decimal number, or {now}, {now+N}, {now-N}; nullopt for anything else.
std::optional<std::int64_t> parse_instant(std::string_view text, std::int64_t now_ms);

/// The lines of `outcome`, ordered as the mark in the first line of `expected` asks ((sorted),
/// (sorted pairs)).
std::vector<std::string> render(const Outcome& outcome, const std::vector<std::string>& expected);

bool matches(const std::vector<std::string>& expected, const Outcome& outcome);

}  // namespace picklock::test
