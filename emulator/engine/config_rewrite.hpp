// The configuration file with the present settings in it: CONFIG REWRITE.
//
// Redis 7.0: rewriteConfig. Lines stay where they are, comments too; what is not in the file and
// not the default stands at its end. Text to text; reading and writing is the affair of the program
// around.
#pragma once

#include <string>
#include <string_view>

#include "emulator/engine/engine.hpp"

namespace picklock {

std::string rewritten_config(const Engine& engine, std::string_view old_text);

}  // namespace picklock
