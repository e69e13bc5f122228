#include "emulator/base/ip_address.hpp"

#include <algorithm>

namespace picklock {

namespace {

bool is_below_256(std::string_view digits) {
  if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0')) return false;
  int number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + (c - '0');
  }
  return number < 256;
}

bool is_hexadecimal(std::string_view digits) {
  return !digits.empty() && digits.size() <= 4 && std::ranges::all_of(digits, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

/// How many groups stand in "1:2:3", an IPv4 address at the end counting as two; -1 if it is not
/// of that form. An empty text has none.
int count_groups(std::string_view text) {
  if (text.empty()) return 0;
  int count = 0;
  for (;;) {
    const auto colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    if (colon == std::string_view::npos && is_ipv4_address(group)) return count + 2;
    if (!is_hexadecimal(group)) return -1;
    ++count;
    if (colon == std::string_view::npos) return count;
    text.remove_prefix(colon + 1);
  }
}

}  // namespace

bool is_ipv4_address(std::string_view text) {
  for (int numbers = 1; numbers < 4; ++numbers) {
    const auto dot = text.find('.');
    if (dot == std::string_view::npos || !is_below_256(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_below_256(text);
}

bool is_ipv6_address(std::string_view text) {
  const auto gap = text.find("::");
  if (gap == std::string_view::npos) return count_groups(text) == 8;
  const std::string_view head = text.substr(0, gap);
  const int before = count_groups(head);
  const int after = count_groups(text.substr(gap + 2));
  const bool mixed_head = head.find('.') != std::string_view::npos;
  return before >= 0 && after >= 0 && !mixed_head && before + after < 8;
}

}  // namespace picklock
