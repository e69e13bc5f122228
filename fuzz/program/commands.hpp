// What picklock-fuzz does, apart from its command line and its progress display.
#pragma once

#include <iosfwd>

#include "fuzz/program/command_line.hpp"
#include "fuzz/search/search.hpp"

namespace picklock::race {

/// Carries out a command line that is not finished. The report goes to `out`, complaints to `err`.
/// What is searched is searched by `explorer`.
Exit execute(const CommandLine& line, std::ostream& out, std::ostream& err,
             const Explorer& explorer = explore, const Watchers& watchers = {});

}  // namespace picklock::race
