#include "tests/support/transcript_match.hpp"

#include <algorithm>
#include <charconv>

#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr std::string_view kAnyReply = "(any reply)";
constexpr std::string_view kAny = "(any)";
constexpr std::string_view kLike = "(like) ";
constexpr std::string_view kInteger = "(integer) ";
constexpr std::string_view kSorted = "(sorted)";
constexpr std::string_view kSortedPairs = "(sorted pairs)";

// Orders the elements, or the pairs of elements, by their printed form.
void sort_elements(Reply& reply, std::size_t group) {
  auto& elements = reply.elements();
  if (elements.size() % group != 0) return;
  std::vector<std::vector<Reply>> groups;
  for (std::size_t i = 0; i < elements.size(); i += group)
    groups.emplace_back(elements.begin() + static_cast<std::ptrdiff_t>(i),
                        elements.begin() + static_cast<std::ptrdiff_t>(i + group));
  std::ranges::sort(groups, {}, [](const std::vector<Reply>& g) {
    std::string key;
    for (const Reply& element : g) key += element.to_string() + '\n';
    return key;
  });
  elements.clear();
  for (auto& one : groups)
    for (Reply& element : one) elements.push_back(std::move(element));
}

// Texts that would not survive as a bare line are printed as redis-cli prints bulk strings.
bool is_plain(std::string_view text) {
  return !text.empty() && text.back() != ' ' &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_plain_status(std::string_view text) {
  return is_plain(text) && !looks_like_markup(text) && text[0] != '(' && text[0] != '"';
}

void append_lines(std::vector<std::string>& lines, const Reply& reply) {
  const bool is_status = reply.type() == Reply::Type::status;
  if (is_status && !is_plain_status(reply.text())) {
    lines.push_back("(status) " + quote(reply.text()));
  } else if (reply.is_error() && !is_plain(reply.text())) {
    lines.push_back("(error) " + quote(reply.text()));
  } else if (reply.type() == Reply::Type::verbatim) {
    lines.push_back("(verbatim) " + quote(reply.text()));
  } else {
    const std::string text = reply.to_string();
    for (std::size_t from = 0; from <= text.size();) {
      const auto end = std::min(text.find('\n', from), text.size());
      lines.push_back(text.substr(from, end - from));
      from = end + 1;
    }
  }
}

// '*' stands for any bytes; nothing else is special.
bool matches_stars(std::string_view pattern, std::string_view text) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  pattern.remove_prefix(star + 1);
  text.remove_prefix(star);
  for (std::size_t i = 0; i <= text.size(); ++i)
    if (matches_stars(pattern, text.substr(i))) return true;
  return false;
}

bool in_range(std::string_view actual, std::string_view range, std::int64_t now_ms) {
  const auto dots = range.find("..");
  if (dots == std::string_view::npos) return false;
  const auto value = parse_instant(actual, now_ms);
  const auto low = parse_instant(range.substr(0, dots), now_ms);
  const auto high = parse_instant(range.substr(dots + 2), now_ms);
  return value && low && high && *low <= *value && *value <= *high;
}

bool line_matches(std::string_view expected, std::string_view actual, std::int64_t now_ms) {
  if (expected == actual) return true;
  const auto follows = [&](std::string_view mark) {
    const auto at = expected.find(mark);
    const bool same_start =
        at != std::string_view::npos && expected.substr(0, at) == actual.substr(0, at);
    return same_start ? at : std::string_view::npos;
  };
  if (const auto at = follows(kAny);
      at != std::string_view::npos && at + kAny.size() == expected.size())
    return true;
  if (const auto at = follows(kLike); at != std::string_view::npos)
    return matches_stars(expected.substr(at + kLike.size()), actual.substr(at));
  if (const auto at = follows(kInteger);
      at != std::string_view::npos && actual.substr(at).starts_with(kInteger))
    return in_range(actual.substr(at + kInteger.size()), expected.substr(at + kInteger.size()),
                    now_ms);
  return false;
}

}  // namespace

std::optional<std::int64_t> parse_instant(std::string_view text, std::int64_t now_ms) {
  std::int64_t base = 0;
  if (text.starts_with("{now")) {
    if (text.back() != '}') return std::nullopt;
    text = text.substr(4, text.size() - 5);
    base = now_ms;
    if (text.empty()) return base;
    if (text[0] == '+') text.remove_prefix(1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return base + value;
}

std::vector<std::string> render(const Outcome& outcome, const std::vector<std::string>& expected) {
  std::vector<std::string> lines;
  const std::string_view first =
      expected.empty() ? std::string_view{} : std::string_view{expected[0]};
  if (first == kSorted || first == kSortedPairs) lines.emplace_back(first);
  if (outcome.raw && !outcome.bytes.empty()) lines.push_back(quote(outcome.bytes));
  for (Reply reply : outcome.replies) {
    const bool pairs = first == kSortedPairs || reply.type() == Reply::Type::map;
    if (first == kSorted || first == kSortedPairs) sort_elements(reply, pairs ? 2 : 1);
    append_lines(lines, reply);
  }
  if (lines.empty() && !outcome.closed)
    lines.emplace_back(first == kBlocks ? kBlocks : "(nothing)");
  if (outcome.closed) lines.emplace_back("(connection closed)");
  return lines;
}

bool matches(const std::vector<std::string>& expected, const Outcome& outcome) {
  if (expected.size() == 1 && expected[0] == kAnyReply)
    return outcome.raw ? !outcome.bytes.empty() : !outcome.replies.empty();
  const auto actual = render(outcome, expected);
  return std::ranges::equal(expected, actual, [&](const std::string& e, const std::string& a) {
    return line_matches(e, a, outcome.now_ms);
  });
}

}  // namespace picklock::test
