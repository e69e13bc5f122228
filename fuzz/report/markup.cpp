#include "fuzz/report/markup.hpp"

#include <algorithm>

namespace picklock::race {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

unsigned char byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

/// How many bytes the code point at `i` has; 0 if it is none of the shortest form.
std::size_t code_point_size(std::string_view text, std::size_t i) {
  const unsigned char first = byte_at(text, i);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte_at(text, i + k) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte_at(text, i + 1);
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return too_long || beyond ? 0 : size;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char byte = byte_at(text, i);
    const std::size_t size = code_point_size(text, i);
    // C1 controls are two bytes from 0xc2 0x80 to 0xc2 0x9f.
    const bool control =
        byte < 0x20 || byte == 0x7f || (byte == 0xc2 && byte_at(text, i + 1) < 0xa0);
    if (size > 0 && !control) {
      shown += text.substr(i, size);
      i += size;
      continue;
    }
    shown += "\\x";
    shown += kHex[byte >> 4];
    shown += kHex[byte & 15];
    ++i;
  }
  return shown;
}

std::string markup(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '<' || c == '>' || c == '&') {
      quoted += "\\u00";
      quoted += kHex[static_cast<unsigned char>(c) >> 4];
      quoted += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string shorten(std::string_view text, std::size_t most) {
  std::size_t seen = 0;
  std::size_t end = 0;
  std::size_t last = 0;  // Where the last code point that stays begins.
  for (; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) continue;
    if (seen == most) break;
    if (++seen == most) last = end;
  }
  if (end == text.size()) return std::string{text};
  return std::string{text.substr(0, last)} + "…";
}

}  // namespace picklock::race
