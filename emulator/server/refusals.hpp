// Clients that are sent away before they have said anything: too many of them, or from elsewhere.
//
// Redis 7.0: acceptCommonHandler, clientAcceptHandler. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "emulator/engine/engine.hpp"

namespace picklock {

/// The error that a client is sent away with, '-' and line break included; nullopt if it may stay.
std::optional<std::string_view> refusal_of_client(const Engine& engine, std::size_t connections,
                                                  bool from_this_machine);

}  // namespace picklock
