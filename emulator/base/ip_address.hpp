// Whether a text is an IP address, as inet_pton decides. Pure; no socket is involved.
#pragma once

#include <string_view>

namespace picklock {

/// "127.0.0.1": four decimal numbers below 256 without leading zeros.
bool is_ipv4_address(std::string_view text);
/// Eight groups of up to four hexadecimal digits, of which "::" may stand for some, and the last
/// two of which may be written as an IPv4 address.
bool is_ipv6_address(std::string_view text);

inline bool is_ip_address(std::string_view text) {
  return is_ipv4_address(text) || is_ipv6_address(text);
}

}  // namespace picklock
