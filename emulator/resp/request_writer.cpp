#include "emulator/resp/request_writer.hpp"

#include <algorithm>
#include <charconv>

#include "emulator/base/numbers.hpp"

namespace picklock {
namespace {

constexpr std::size_t kSizeLine = 1 + kInt64Chars + 2;

// These write to where there is room, and return what is behind.

char* end_line(char* to) {
  *to++ = '\r';
  *to++ = '\n';
  return to;
}

char* write_size(char* to, char prefix, std::size_t size) {
  *to++ = prefix;
  return end_line(std::to_chars(to, to + kInt64Chars, size).ptr);
}

char* write_word(char* to, std::string_view word) {
  return end_line(std::ranges::copy(word, write_size(to, '$', word.size())).out);
}

}  // namespace

void append_request(std::string& bytes, std::span<const std::string_view> words) {
  const std::size_t start = bytes.size();
  std::size_t most = kSizeLine;
  for (const std::string_view word : words) most += kSizeLine + word.size() + 2;
  bytes.resize(start + most);
  char* end = write_size(bytes.data() + start, '*', words.size());
  for (const std::string_view word : words) end = write_word(end, word);
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
}

}  // namespace picklock
