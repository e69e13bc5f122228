// Faults as people write them: "pause,crash:2,lost-reply,delay", "all", "none".
#pragma once

#include <string>
#include <string_view>

#include <picklock/race/faults.hpp>

namespace picklock::race {

/// Reads a list of kinds, each with a budget after a colon or 1. `delay` is set if messages may be
/// late, which is named among the faults. Returns a complaint, or nothing.
std::string read_fault_words(std::string_view text, Faults& faults, bool& delay);

/// "pause, crash, ...": every word that read_fault_words() knows for a kind.
std::string fault_words();

}  // namespace picklock::race
