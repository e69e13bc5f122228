// How much HRANDFIELD, SRANDMEMBER and ZRANDMEMBER draw at once; Redis draws until its memory is
// full.
#pragma once

#include <cstdint>
#include <string_view>

namespace picklock {

inline constexpr std::int64_t kMostDraws = 1 << 24;

namespace errors {
inline constexpr std::string_view kTooManyDraws =
    "ERR that is more than this emulator draws at once";
}  // namespace errors

}  // namespace picklock
