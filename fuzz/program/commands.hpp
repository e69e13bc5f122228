// What picklock-fuzz does, apart from its command line and its progress display.
#pragma once

#include <functional>
#include <iosfwd>

#include "fuzz/program/command_line.hpp"

namespace picklock::race {

/// Carries out a command line that is not finished. The report goes to `out`, complaints to `err`.
Exit execute(const CommandLine& line, std::ostream& out, std::ostream& err,
             std::function<void(const Progress&)> progress = {});

}  // namespace picklock::race
