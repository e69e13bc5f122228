// SHA-1 (FIPS 180-4), which names cached scripts. Not for anything that must resist an attacker.
#pragma once

#include <array>
#include <string_view>

namespace picklock {

std::array<unsigned char, 20> sha1(std::string_view bytes);

/// 40 lower-case hexadecimal digits.
std::array<char, 40> sha1_hex(std::string_view bytes);

}  // namespace picklock
