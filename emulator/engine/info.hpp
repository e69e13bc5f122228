// The text of INFO.
#pragma once

#include <string>

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class Engine;

/// The sections that `wanted` names, in Redis's order; the default ones if it is empty. Fields that
/// tell of the machine, of memory or of processor time are constants, so that the text is the same
/// on every run.
std::string info_text(const Engine& engine, Args wanted);

}  // namespace picklock
