#include "fuzz/program/fault_words.hpp"

#include <sstream>

#include "emulator/base/numbers.hpp"

namespace picklock::race {
namespace {

constexpr std::uint64_t kMostOfAKind = 1000;

const FaultKind* find_kind(std::string_view name) {
  for (const FaultKind& kind : kFaultKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace

std::string fault_words() {
  std::string words;
  for (const FaultKind& kind : kFaultKinds) words += std::string{kind.name} + ", ";
  return words + "delay";
}

std::string read_fault_words(std::string_view text, Faults& faults, bool& delay) {
  faults = Faults::none();
  delay = false;
  if (text.empty()) return "give a list of " + fault_words() + ", or all, or none";
  if (text == "none") return "";
  std::istringstream words{std::string{text}};
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t colon = word.find(':');
    const std::string name = word.substr(0, colon);
    std::uint64_t budget = 1;
    if (colon != std::string::npos) {
      budget = parse_uint64(word.substr(colon + 1)).value_or(kMostOfAKind + 1);
      if (budget > kMostOfAKind) return "'" + word + "': a budget is a number from 0 to 1000";
    }
    if (name == "delay" || name == "all") delay = true;
    const int most = faults.most;
    if (name == "all") faults = Faults::all(static_cast<int>(budget));
    faults.most = name == "most" ? static_cast<int>(budget) : most;
    if (name == "delay" || name == "all" || name == "most") continue;
    const FaultKind* kind = find_kind(name);
    if (kind == nullptr)
      return "'" + word + "' is no fault: take a list of " + fault_words() + ", or all, or none";
    faults.*kind->budget = static_cast<int>(budget);
  }
  return "";
}

}  // namespace picklock::race
