// Which server is imitated.
#pragma once

#include <string_view>

namespace picklock {

inline constexpr std::string_view kRedisVersion = "7.0.15";

}  // namespace picklock
