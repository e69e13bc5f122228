#include "emulator/engine/output_limits.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"

namespace picklock {

namespace {

constexpr std::string_view kNames[] = {"normal", "slave", "pubsub"};
constexpr std::string_view kWrongCount =
    "Wrong number of arguments in buffer limit configuration.";
constexpr std::string_view kWrongClass =
    "Invalid client class specified in buffer limit configuration.";
constexpr std::string_view kWrongNumber =
    "Error in hard, soft or soft_seconds setting in buffer limit configuration.";

/// Every blank ends a word, so that two in a row have an empty one between them.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// The place of a class in kNames, or -1.
int class_of(std::string_view word) {
  if (iequals(word, "replica")) return 1;
  for (int i = 0; i < 3; ++i)
    if (iequals(word, kNames[i])) return i;
  return -1;
}

}  // namespace

std::string_view OutputLimits::read(std::string_view text) {
  const auto words = split(text);
  if (words.size() % 4 != 0) return kWrongCount;
  auto limits = limits_;
  for (std::size_t i = 0; i < words.size(); i += 4) {
    const int which = class_of(words[i]);
    if (which < 0) return kWrongClass;
    const std::int64_t hard = parse_memory_size(words[i + 1]);
    const std::int64_t soft = parse_memory_size(words[i + 2]);
    const auto seconds = parse_int64(words[i + 3]);
    if (hard < 0 || soft < 0 || !seconds || *seconds < 0) return kWrongNumber;
    limits[static_cast<std::size_t>(which)] = {hard, soft, *seconds};
  }
  limits_ = limits;
  return {};
}

std::string OutputLimits::text() const {
  std::string text;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    if (i > 0) text += ' ';
    text += kNames[i];
    for (const std::int64_t number :
         {limits_[i].hard_bytes, limits_[i].soft_bytes, limits_[i].soft_seconds})
      text += ' ' + to_text(number);
  }
  return text;
}

std::int64_t parse_memory_size(std::string_view text) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> kUnits{
      {{"", 1},
       {"b", 1},
       {"k", 1000},
       {"kb", 1024},
       {"m", 1000 * 1000},
       {"mb", 1024 * 1024},
       {"g", 1000L * 1000 * 1000},
       {"gb", 1024L * 1024 * 1024}}};
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  // As strtoull reads them: no digits are 0, too many are the largest number.
  std::uint64_t number = 0;
  for (const char digit : text.substr(0, digits))
    if (__builtin_mul_overflow(number, 10U, &number) ||
        __builtin_add_overflow(number, static_cast<unsigned>(digit - '0'), &number))
      number = kMax;
  for (const auto& [unit, scale] : kUnits)
    if (iequals(text.substr(digits), unit)) {
      std::int64_t bytes = 0;
      return __builtin_mul_overflow(number, scale, &bytes) ? kMax : bytes;
    }
  return -1;
}

}  // namespace picklock
