// Settings that take effect: what CONFIG SET and the start of a server have in common.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "emulator/engine/engine.hpp"

namespace picklock {

/// Keeps values that Config::normalize() has brought to their form, and does what they ask for.
void apply_settings(Engine& engine, std::span<const std::pair<const Setting*, std::string>> wanted);

}  // namespace picklock
