#include "emulator/engine/setting_texts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"

namespace picklock {

std::optional<std::uint64_t> parse_memory(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> kUnits{
      {{"", 1},
       {"b", 1},
       {"k", 1000},
       {"kb", 1024},
       {"m", 1000 * 1000},
       {"mb", 1024 * 1024},
       {"g", 1000UL * 1000 * 1000},
       {"gb", 1024UL * 1024 * 1024}}};
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  // As strtoull reads them: no digits are 0, too many are the largest number. The product may wrap
  // around, as it does in Redis.
  std::uint64_t number = 0;
  for (const char digit : text.substr(0, digits))
    if (__builtin_mul_overflow(number, 10U, &number) ||
        __builtin_add_overflow(number, static_cast<unsigned>(digit - '0'), &number)) {
      number = std::numeric_limits<std::uint64_t>::max();
      break;
    }
  for (const auto& [unit, scale] : kUnits)
    if (is_word(text.substr(digits), unit)) return number * scale;
  return std::nullopt;
}

std::optional<std::string> normalize_memory_or_percent(std::string& value) {
  constexpr std::string_view kTooMuch = "percentage argument must be less or equal to 100";
  if (value.ends_with('%')) {
    const auto percent = parse_int64(std::string_view{value}.substr(0, value.size() - 1));
    if (!percent || *percent < 0) return "argument must be a memory or percent value";
    if (*percent > 100) return std::string{kTooMuch};
    if (*percent == 0) value = "0";
    return std::nullopt;
  }
  const auto bytes = parse_memory(until_nul(value));
  if (!bytes) return "argument must be a memory or percent value";
  // Redis keeps a percentage as a negative number of bytes, and so a very large one as a
  // percentage.
  if (*bytes >> 63 != 0 && 0 - *bytes > 100) return std::string{kTooMuch};
  value = *bytes >> 63 == 0 ? std::to_string(*bytes) : std::to_string(0 - *bytes) + "%";
  return std::nullopt;
}

namespace {

using Words = std::vector<std::string_view>;
using Error = std::optional<std::string>;

/// Cut at each blank; two in a row have an empty word between them. Redis: sdssplitlen.
Words split(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const auto blank = text.find(' ');
    words.push_back(text.substr(0, blank));
    if (blank == std::string_view::npos) break;
    text.remove_prefix(blank + 1);
    if (text.empty()) words.push_back(text);
  }
  return words;
}

/// As strtoll reads a whole word: white space in front, a sign and leading zeros are fine, nothing
/// at all is 0, and what is too large is the largest number.
std::optional<std::int64_t> read_integer(std::string_view word) {
  const auto start = word.find_first_not_of(" \t\n\v\f\r");
  if (start == std::string_view::npos) return word.empty() ? std::optional{0} : std::nullopt;
  word.remove_prefix(start);
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) {
    word.remove_prefix(1);
    if (word.empty()) return std::nullopt;
  }
  std::int64_t number = 0;
  for (const char digit : word) {
    if (digit < '0' || digit > '9') return std::nullopt;
    if (__builtin_mul_overflow(number, 10, &number) ||
        __builtin_add_overflow(number, digit - '0', &number))
      number = std::numeric_limits<std::int64_t>::max();
  }
  return negative ? -number : number;
}

void append(std::string& text, std::string_view word) {
  if (!text.empty()) text += ' ';
  text += word;
}

Error normalize_save(std::string& value) {
  const Words words = split(value);
  std::string kept;
  bool good = words.size() % 2 == 0;
  for (std::size_t i = 0; i < words.size() && good; ++i) {
    auto number = read_integer(words[i]);
    good = number && *number >= (i % 2 == 0 ? 1 : 0);
    if (good && i % 2 == 1) *number = static_cast<std::int32_t>(*number);  // As Redis keeps it.
    if (good) append(kept, to_text(*number));
  }
  if (!good) return "Invalid save parameters";
  value = kept;
  return std::nullopt;
}

Error normalize_oom_scores(std::string& value) {
  const Words words = split(value);
  if (words.size() != 3) return "wrong number of arguments";
  std::string kept;
  for (const std::string_view word : words) {
    const auto number = read_integer(word);
    if (!number || *number < -2000 || *number > 2000)
      return "Invalid oom-score-adj-values, elements must be between -2000 and 2000.";
    append(kept, to_text(*number));
  }
  value = kept;
  return std::nullopt;
}

/// Six decimals at most, none that is a trailing 0.
std::string short_decimal(double number) {
  const auto millionths = static_cast<std::int64_t>(std::llround(number * 1e6));
  std::string rest = to_text(millionths % 1'000'000 + 1'000'000).substr(1);
  while (rest.ends_with('0')) rest.pop_back();
  return to_text(millionths / 1'000'000) + (rest.empty() ? "" : "." + rest);
}

Error normalize_percentiles(std::string& value) {
  std::string kept;
  for (const std::string_view word : split(value)) {
    const auto number = parse_double(word);
    if (!number) return "Invalid latency-tracking-info-percentiles parameters";
    if (!(*number >= 0 && *number <= 100))
      return "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]";
    append(kept, short_decimal(*number));
  }
  value = kept;
  return std::nullopt;
}

Error normalize_shutdown(std::string& value) {
  constexpr std::array<std::string_view, 5> kChoices{"default", "save", "nosave", "now", "force"};
  std::array<bool, kChoices.size()> chosen{};
  const Words words = split(value);
  for (const std::string_view word : words.empty() ? Words{""} : words) {
    const auto found = std::ranges::find_if(
        kChoices, [&](std::string_view choice) { return is_word(word, choice); });
    if (found == kChoices.end())
      return "argument(s) must be one of the following: default, save, nosave, now, force";
    chosen[static_cast<std::size_t>(found - kChoices.begin())] = true;
  }
  if (chosen[1] && chosen[2])
    return "shutdown options SAVE and NOSAVE can't be used simultaneously";
  value.clear();
  for (std::size_t i = 1; i < kChoices.size(); ++i)
    if (chosen[i]) append(value, kChoices[i]);
  if (value.empty()) value = kChoices[0];
  return std::nullopt;
}

Error check_hostname(const std::string& value) {
  if (value.size() > 255) return "Hostnames must be less than 256 characters";
  const bool good = std::ranges::all_of(value, [](char c) {
    const char low = to_lower(c);
    return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
  if (!good) return "Hostnames may only contain alphanumeric characters, hyphens or dots";
  return std::nullopt;
}

/// What Redis makes of the template must not be blank; here without a title and a mode.
Error check_title_template(std::string_view value) {
  constexpr std::string_view kInvalid = "template format is invalid or contains unknown variables";
  constexpr std::array<std::string_view, 2> kBlank{"title", "server-mode"};
  constexpr std::array<std::string_view, 5> kShown{"listen-addr", "port", "tls-port", "config-file",
                                                   "unixsocket"};
  bool shows = false;
  while (!value.empty()) {
    const auto brace = value.find('{');
    shows = shows || value.substr(0, brace).find_first_not_of(' ') != std::string_view::npos;
    if (brace == std::string_view::npos) break;
    value.remove_prefix(brace + 1);
    if (value.starts_with('{')) {  // Stands for itself.
      shows = true;
      value.remove_prefix(1);
      continue;
    }
    const auto end = value.find('}');
    if (end == std::string_view::npos) return std::string{kInvalid};
    const std::string_view variable = value.substr(0, end);
    const bool shown = std::ranges::find(kShown, variable) != kShown.end();
    if (!shown && std::ranges::find(kBlank, variable) == kBlank.end()) return std::string{kInvalid};
    shows = shows || shown;
    value.remove_prefix(end + 1);
  }
  return shows ? Error{} : std::string{kInvalid};
}

constexpr std::array<std::string_view, 3> kClasses{"normal", "slave", "pubsub"};

std::size_t class_of(std::string_view word) {
  if (is_word(word, "replica")) return 1;
  return static_cast<std::size_t>(
      std::ranges::find_if(kClasses, [&](std::string_view name) { return is_word(word, name); }) -
      kClasses.begin());
}

/// "hard soft seconds" in the form in which it is kept; nullopt if one of them is no number.
std::optional<std::string> read_limit(std::span<const std::string_view> words) {
  const auto hard = parse_memory(words[0]);
  const auto soft = parse_memory(words[1]);
  const auto seconds = read_integer(words[2]);
  if (!hard || !soft || !seconds || static_cast<std::int32_t>(*seconds) < 0) return std::nullopt;
  return std::to_string(*hard) + " " + std::to_string(*soft) + " " +
         to_text(static_cast<std::int32_t>(*seconds));
}

Error check_buffer_limits(std::string_view value) {
  const Words words = split(value);
  if (words.size() % 4 != 0) return "Wrong number of arguments in buffer limit configuration.";
  for (std::size_t i = 0; i < words.size(); i += 4) {
    if (class_of(words[i]) == kClasses.size())
      return "Invalid client class specified in buffer limit configuration.";
    if (!read_limit(std::span{words}.subspan(i + 1, 3)))
      return "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
  }
  return std::nullopt;
}

}  // namespace

std::string merge_buffer_limits(std::string_view present, std::string_view change) {
  std::array<std::string, kClasses.size()> limits;
  for (const std::string_view text : {present, change}) {
    const Words words = split(text);
    for (std::size_t i = 0; i + 3 < words.size(); i += 4) {
      const std::size_t index = class_of(words[i]);
      const auto limit = read_limit(std::span{words}.subspan(i + 1, 3));
      if (index < limits.size() && limit) limits[index] = *limit;
    }
  }
  std::string merged;
  for (std::size_t i = 0; i < limits.size(); ++i)
    append(merged, std::string{kClasses[i]} + " " + limits[i]);
  return merged;
}

std::optional<std::string> normalize_text(std::string_view name, std::string& value) {
  if (name == "masterauth" || name == "requirepass") return std::nullopt;
  if (name == "latency-tracking-info-percentiles") return normalize_percentiles(value);
  value = until_nul(value);  // Redis reads these as C strings.
  if (name == "save") return normalize_save(value);
  if (name == "oom-score-adj-values") return normalize_oom_scores(value);
  if (name.starts_with("shutdown-on-")) return normalize_shutdown(value);
  if (name == "cluster-announce-hostname") return check_hostname(value);
  if (name == "proc-title-template") return check_title_template(value);
  if (name == "client-output-buffer-limit") return check_buffer_limits(value);
  return std::nullopt;
}

}  // namespace picklock
