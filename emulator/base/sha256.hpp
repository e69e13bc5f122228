// SHA-256 (FIPS 180-4), by which ACL users keep their passwords.
#pragma once

#include <array>
#include <string_view>

namespace picklock {

/// 64 lower-case hexadecimal digits.
std::array<char, 64> sha256_hex(std::string_view bytes);

}  // namespace picklock
