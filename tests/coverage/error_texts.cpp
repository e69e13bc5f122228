#include "tests/coverage/error_texts.hpp"

#include <array>
#include <cctype>
#include <cstddef>

namespace picklock::test {
namespace {

constexpr std::array<std::string_view, 2> kBeginnings{"inline constexpr std::string_view ",
                                                      "inline std::string "};

/// The source without its comments; what stands within a literal is none.
std::string without_comments(std::string_view source) {
  std::string text;
  bool within = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (within && source[i] == '\\' && i + 1 < source.size()) {
      text += source[i++];
    } else if (source[i] == '"' && (i == 0 || source[i - 1] != '\'')) {
      within = !within;
    } else if (!within && source.substr(i, 2) == "//") {
      i = source.find('\n', i);
      if (i == std::string_view::npos) return text;
    }
    text += source[i];
  }
  return text;
}

/// The character that the escape at `at`, behind a backslash, stands for; moves `at` to its end.
char unescape(std::string_view source, std::size_t& at) {
  if (source[at] == 'n') return '\n';
  if (source[at] == 'r') return '\r';
  if (source[at] == 't') return '\t';
  if (source[at] == '0') return '\0';
  return source[at];
}

/// Reads the literal whose opening quote is at `at`, which moves behind the closing one.
std::string read_literal(std::string_view source, std::size_t& at) {
  std::string text;
  for (++at; at < source.size() && source[at] != '"'; ++at) {
    if (source[at] == '\\' && at + 1 < source.size())
      text += unescape(source, ++at);
    else
      text += source[at];
  }
  if (at < source.size()) ++at;
  return text;
}

std::vector<std::string> literals_in(std::string_view source) {
  std::vector<std::string> literals;
  bool adjacent = false;
  for (std::size_t at = 0; at < source.size();) {
    if (source[at] == '"' && (at == 0 || source[at - 1] != '\'')) {
      const std::string literal = read_literal(source, at);
      if (adjacent)
        literals.back() += literal;
      else
        literals.push_back(literal);
      adjacent = true;
      continue;
    }
    adjacent &= std::isspace(static_cast<unsigned char>(source[at])) != 0;
    ++at;
  }
  return literals;
}

std::size_t next_beginning(std::string_view source, std::size_t from) {
  return std::min(source.find(kBeginnings[0], from), source.find(kBeginnings[1], from));
}

}  // namespace

std::vector<std::string> literals_of(std::string_view source) {
  return literals_in(without_comments(source));
}

std::vector<ErrorText> error_texts_of(std::string_view header) {
  const std::string source = without_comments(header);
  std::vector<ErrorText> texts;
  for (std::size_t at = next_beginning(source, 0); at != std::string::npos;) {
    const std::size_t end = next_beginning(source, at + 1);
    const std::string_view item =
        std::string_view{source}.substr(at, end == std::string::npos ? end : end - at);
    const std::size_t name =
        item.starts_with(kBeginnings[0]) ? kBeginnings[0].size() : kBeginnings[1].size();
    texts.push_back({std::string{item.substr(name, item.find_first_of(" =(", name) - name)},
                     literals_in(item)});
    at = end;
  }
  return texts;
}

}  // namespace picklock::test
