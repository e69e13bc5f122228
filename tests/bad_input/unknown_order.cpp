#include "tests/bad_input/unknown_order.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "emulator/base/text.hpp"
#include "emulator/resp/reply_parser.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

bool has(const Words& words, std::string_view option) {
  return std::any_of(words.begin() + 2, words.end(),
                     [&](const std::string& word) { return iequals(word, option); });
}

/// Whether some BY names no key for an element: then nothing is sorted, whatever another BY says.
bool is_unsorted(const Words& words) {
  for (std::size_t i = 2; i + 1 < words.size(); ++i)
    if (iequals(words[i], "by") && words[i + 1].find('*') == std::string::npos) return true;
  return false;
}

std::optional<std::vector<std::string>> elements_of(std::string_view bytes) {
  ReplyParser parser;
  parser.feed(bytes);
  const auto reply = parser.next();
  if (!reply || reply->type() != Reply::Type::array) return std::nullopt;
  std::vector<std::string> elements;
  for (const Reply& element : reply->elements())
    elements.push_back(element.is_null() ? "(nil)" : element.text());
  return elements;
}

/// Texts that are compared as C strings tie when they differ only behind a NUL.
bool tie(const std::string& a, const std::string& b) {
  return std::string_view{a}.substr(0, a.find('\0')) == std::string_view{b}.substr(0, b.find('\0'));
}

}  // namespace

bool differ_by_unknown_order(const Words& words, std::string_view theirs, std::string_view ours,
                             Channel& emulator) {
  if (words.size() < 3 || (!iequals(words[0], "sort") && !iequals(words[0], "sort_ro")))
    return false;
  const std::string type = emulator.exchange(encode_request(Words{"TYPE", words[1]}));
  const bool walked = type == "+set\r\n" && is_unsorted(words);
  // To sort a sorted set too, Redis takes its members from a hash table.
  const bool tied = (type == "+set\r\n" || type == "+zset\r\n") && has(words, "alpha") &&
                    !is_unsorted(words) && !has(words, "by");
  const auto a = elements_of(theirs);
  const auto b = elements_of(ours);
  if ((!walked && !tied) || !a || !b || a->size() != b->size()) return false;
  // What GET finds, and whether LIMIT leaves it, hangs on the order.
  if (tied && !has(words, "get") && !std::ranges::equal(*a, *b, tie)) return false;
  return has(words, "limit") || std::ranges::is_permutation(*a, *b);
}

}  // namespace picklock::test
