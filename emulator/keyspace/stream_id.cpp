#include "emulator/keyspace/stream_id.hpp"

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

/// What strtoull makes of `text` in base 10: blanks and a sign in front, wrapping round for a
/// minus.
std::optional<std::uint64_t> parse_like_strtoull(std::string_view text) {
  const auto digits_at = text.find_first_not_of(" \t\n\v\f\r");
  if (digits_at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(digits_at);
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (kMax - digit) / 10) return std::nullopt;
    value = 10 * value + digit;
  }
  return negative ? 0 - value : value;
}

/// Redis: string2ull, where only numbers beyond an int64 and odd spellings reach strtoull.
std::optional<std::uint64_t> parse_part(std::string_view text) {
  const auto number = parse_int64(text);
  if (!number) return parse_like_strtoull(text);
  if (*number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace

bool StreamId::increment() {
  if (++seq != 0) return true;
  return ++ms != 0;
}

bool StreamId::decrement() {
  if (seq-- != 0) return true;
  return ms-- != 0;
}

std::string to_text(StreamId id) { return std::to_string(id.ms) + "-" + std::to_string(id.seq); }

std::optional<ParsedId> parse_stream_id(std::string_view text, std::uint64_t missing_seq,
                                        IdForm form) {
  constexpr std::size_t kMaxLength = 127;
  if (text.size() > kMaxLength) return std::nullopt;
  text = until_nul(text);  // Redis reads it as a C string.
  if (text == "-" || text == "+") {
    if (form != IdForm::edges) return std::nullopt;
    return ParsedId{text == "-" ? kMinStreamId : kMaxStreamId};
  }
  const auto dash = text.find('-');
  const auto ms = parse_part(text.substr(0, dash));
  if (!ms) return std::nullopt;
  if (dash == std::string_view::npos) return ParsedId{{*ms, missing_seq}};
  const std::string_view number = text.substr(dash + 1);
  if (form == IdForm::added && number == "*") return ParsedId{{*ms, 0}, false};
  const auto seq = parse_part(number);
  if (!seq) return std::nullopt;
  return ParsedId{{*ms, *seq}};
}

}  // namespace picklock
