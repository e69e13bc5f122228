// How ACL LIST and ACL GETUSER describe a selector.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "emulator/engine/acl_selector.hpp"
#include "emulator/engine/command_info.hpp"

namespace picklock {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// A category, and how well the commands in it agree with those that are still to be described.
struct Candidate {
  std::uint32_t category = 0;
  std::string_view name;
  std::size_t same = 0;
  std::size_t different = std::numeric_limits<std::size_t>::max();

  bool is_better_than(const Candidate& other) const {
    return same > different &&
           (different < other.different || (different == other.different && same > other.same));
  }
};

Candidate best_category(std::span<const NumberedCommand> rows, const CommandSet& left,
                        bool additive, std::uint32_t applied) {
  Candidate best;
  for (const auto& [category, name] : acl_category_names()) {
    if (applied & category) continue;
    Candidate candidate{category, name, 0, 0};
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].categories & category)
        ++(left.has(i) == additive ? candidate.same : candidate.different);
    if (candidate.is_better_than(best)) best = candidate;
  }
  return best;
}

}  // namespace

std::string Selector::describe_keys() const {
  if (all_keys_) return "~*";
  std::vector<std::string> words;
  for (const KeyPattern& pattern : keys_) {
    const char* sign = pattern.reads && pattern.writes ? "~" : pattern.reads ? "%R~" : "%W~";
    words.push_back(sign + pattern.glob);
  }
  return joined(words);
}

std::string Selector::describe_channels() const {
  if (all_channels_) return "&*";
  std::vector<std::string> words;
  for (const std::string& glob : channels_) words.push_back("&" + glob);
  return joined(words);
}

// Redis: ACLDescribeSelectorCommandRules. It begins with everything or nothing, takes the category
// that fits best as long as one fits, and names the commands that are then still wrong.
std::string Selector::describe_commands() const {
  const bool additive = !commands_.has_future();
  Selector approximation{*table_, false};
  (void)approximation.apply(additive ? "-@all" : "+@all");
  Selector left = *this;
  std::string rules = additive ? "-@all" : "+@all";
  std::uint32_t applied = 0;
  for (;;) {
    const Candidate best = best_category(table_->rows(), left.commands_, additive, applied);
    if (best.category == 0) break;
    approximation.put_category(best.category, additive);
    left.put_category(best.category, !additive);
    applied |= best.category;
    rules += (additive ? " +" : " -") + std::string{best.name};
  }
  add_single_commands(approximation, rules);
  return rules;
}

void Selector::add_single_commands(const Selector& approximation, std::string& rules) const {
  Selector described = approximation;
  const auto rows = table_->rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool permitted = commands_.has(i);
    if (permitted != described.commands_.has(i)) {
      rules += (permitted ? " +" : " -") + std::string{rows[i].row->name};
      described.put(i, permitted);
    }
    const auto words = first_words_.find(i);
    if (permitted || words == first_words_.end()) continue;
    for (const std::string& word : words->second)
      rules += " +" + std::string{rows[i].row->name} + "|" + word;
  }
}

std::string Selector::describe() const {
  std::string text = describe_keys();
  if (!text.empty()) text += ' ';
  if (!all_channels_) text += "resetchannels ";
  const std::string channels = describe_channels();
  text += channels.empty() ? "" : channels + " ";
  return text + describe_commands();
}

}  // namespace picklock
