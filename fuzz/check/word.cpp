#include "fuzz/check/word.hpp"

#include <algorithm>

#include "fuzz/check/lua_value.hpp"

namespace picklock::race {
namespace {

/// Capitals too: no placeholder has any, but who writes $Token means one.
bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string known_names() {
  std::string names;
  for (const std::string_view name : kSlotNames)
    names += (names.empty() ? "$" : ", $") + std::string{name};
  return names;
}

}  // namespace

std::string Word::read(std::string_view text) {
  source_ = text;
  parts_.clear();
  std::string literal;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i + 1;
    while (text[i] == '$' && end < text.size() && is_name(text[end])) ++end;
    if (text[i] != '$' || end == i + 1) {
      literal += text[i];
      if (text.substr(i, 2) == "$$") ++i;
      continue;
    }
    const std::string_view name = text.substr(i + 1, end - i - 1);
    const auto* const found = std::find(kSlotNames.begin(), kSlotNames.end(), name);
    if (found == kSlotNames.end())
      return "'$" + one_line(name) + "' is no placeholder: take " + known_names() +
             ", or $$ for a dollar";
    parts_.push_back({std::move(literal), static_cast<Slot>(found - kSlotNames.begin())});
    literal.clear();
    i = end - 1;
  }
  if (!literal.empty()) parts_.push_back({std::move(literal), std::nullopt});
  return "";
}

bool Word::uses(Slot slot) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [slot](const Part& part) { return part.slot == slot; });
}

void Word::append_to(std::string& out, const SlotValues& values) const {
  for (const Part& part : parts_) {
    out += part.literal;
    if (part.slot) out += at(values, *part.slot);
  }
}

std::string Word::fill(const SlotValues& values) const {
  std::string text;
  append_to(text, values);
  return text;
}

}  // namespace picklock::race
