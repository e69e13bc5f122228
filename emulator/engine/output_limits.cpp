#include "emulator/engine/output_limits.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "emulator/base/numbers.hpp"

namespace picklock {

namespace {

std::int64_t number(std::string_view digits) {
  return parse_int64(digits).value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

OutputLimits::OutputLimits(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (std::size_t i = 0; i < limits_.size() && 4 * i + 3 < words.size(); ++i)
    limits_[i] = {number(words[4 * i + 1]), number(words[4 * i + 2]), number(words[4 * i + 3])};
}

}  // namespace picklock
