// Texts of a few bytes, compared and copied in place: to call the C library for them takes longer
// than the work. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace picklock {

namespace detail {

template <class Word>
Word word_at(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// The first and the last bytes of two texts of the same size, which may overlap.
template <class Word>
bool same_ends(const char* a, const char* b, std::size_t size) {
  const std::size_t last = size - sizeof(Word);
  return word_at<Word>(a) == word_at<Word>(b) && word_at<Word>(a + last) == word_at<Word>(b + last);
}
template <class Word>
void copy_ends(char* to, const char* from, std::size_t size) {
  const std::size_t last = size - sizeof(Word);
  const auto first_word = word_at<Word>(from);
  const auto last_word = word_at<Word>(from + last);
  std::memcpy(to, &first_word, sizeof first_word);
  std::memcpy(to + last, &last_word, sizeof last_word);
}

}  // namespace detail

/// As a == b, and quicker if they are short.
inline bool is_same(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
  if (size >= 8) return detail::same_ends<std::uint64_t>(a.data(), b.data(), size);
  if (size >= 4) return detail::same_ends<std::uint32_t>(a.data(), b.data(), size);
  if (size >= 2) return detail::same_ends<std::uint16_t>(a.data(), b.data(), size);
  return size == 0 || a[0] == b[0];
}

/// Copies `text` to where there is room for it, and returns its end there.
inline char* copy_text(char* to, std::string_view text) {
  const std::size_t size = text.size();
  if (size > 16) {
    std::memcpy(to, text.data(), size);
  } else if (size >= 8) {
    detail::copy_ends<std::uint64_t>(to, text.data(), size);
  } else if (size >= 4) {
    detail::copy_ends<std::uint32_t>(to, text.data(), size);
  } else if (size >= 2) {
    detail::copy_ends<std::uint16_t>(to, text.data(), size);
  } else if (size == 1) {
    *to = text[0];
  }
  return to + size;
}

}  // namespace picklock
