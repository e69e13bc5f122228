// ASCII case folding for command names and options; other bytes and the locale play no part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace picklock {

constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
constexpr char to_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
}

inline std::string lower(std::string_view text) {
  std::string result{text};
  for (char& c : result) c = to_lower(c);
  return result;
}

/// Equal but for the case of ASCII letters.
constexpr bool iequals(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  return true;
}

/// What Redis sees of a text that it reads as a C string.
constexpr std::string_view until_nul(std::string_view text) {
  return text.substr(0, text.find('\0'));
}

/// A word, up to a NUL, as a number: to be told from others at one look, as the options of a
/// request are. Each word of up to eight letters has its own, whatever their case, and nothing else
/// has it; of longer words it is 0.
constexpr std::uint64_t word_number(std::string_view word) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < word.size() && word[i] != '\0'; ++i) {
    if (i == 8) return 0;
    number |= std::uint64_t{static_cast<unsigned char>(word[i] | 0x20)} << 8 * i;
  }
  return number;
}

/// Whether `text`, up to a NUL, is `word`, whatever the case of ASCII letters: so Redis, with
/// strcasecmp, reads the options of a request.
constexpr bool is_word(std::string_view text, std::string_view word) {
  if (text.size() > word.size() && text[word.size()] == '\0') text = text.substr(0, word.size());
  return iequals(text, word);
}

}  // namespace picklock
