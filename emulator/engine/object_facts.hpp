// What OBJECT, DEBUG and MEMORY tell of how Redis would keep a value. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/commands/context.hpp"

namespace picklock {

/// As OBJECT ENCODING names it.
std::string_view encoding_name(const KeyEntry& entry);

/// As OBJECT REFCOUNT tells it: 1, or the largest int for an object that many keys share.
std::int64_t reference_count(Context& c, const KeyEntry& entry);

}  // namespace picklock
