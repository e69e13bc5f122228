#include "tests/support/words.hpp"

#include <algorithm>
#include <charconv>

#include <picklock/reply.hpp>

#include "emulator/resp/inline_words.hpp"
#include "emulator/resp/request_writer.hpp"

namespace picklock::test {
std::string encode_request(std::span<const std::string_view> words) {
  std::string bytes;
  append_request(bytes, words);
  return bytes;
}

std::string encode_request(const std::vector<std::string>& words) {
  const std::vector<std::string_view> views{words.begin(), words.end()};
  return encode_request(std::span<const std::string_view>{views});
}

std::optional<std::vector<std::string>> split_words(std::string_view line) {
  std::string text;
  std::vector<std::size_t> ends;
  if (!split_inline_words(line, text, ends)) return std::nullopt;
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

std::string quote(std::string_view bytes) { return replies::bulk(bytes).to_string(); }

std::string as_typed(std::string_view word) {
  const bool bare = !word.empty() && std::ranges::all_of(word, [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '\'' && c != '{' && c != '<';
  });
  return bare ? std::string{word} : quote(word);
}

bool expand_repetition(std::string& word) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), count);
  if (error != std::errc{} || *end != '*' || word.back() != '}') return false;
  const std::size_t from = static_cast<std::size_t>(end - word.data()) + 1;
  const std::string unit = word.substr(from, word.size() - from - 1);
  word.clear();
  for (std::size_t i = 0; i < count; ++i) word += unit;
  return true;
}

}  // namespace picklock::test
