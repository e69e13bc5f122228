#include "emulator/engine/acl_selector.hpp"

#include <algorithm>

#include "emulator/base/glob.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/command_info.hpp"

namespace picklock {

std::string_view acl_error_text(AclError error) {
  switch (error) {
    case AclError::none:
      break;
    case AclError::unknown_command:
      return "Unknown command or category name in ACL";
    case AclError::syntax:
      return "Syntax error";
    case AclError::keys_after_all:
      return "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does "
             "not have any effect. Try 'resetkeys' to start with an empty list of patterns";
    case AclError::channels_after_all:
      return "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and "
             "does not have any effect. Try 'resetchannels' to start with an empty list of "
             "channels";
    case AclError::no_such_password:
      return "The password you are trying to remove from the user does not exist";
    case AclError::bad_hash:
      return "The password hash must be exactly 64 characters and contain only lowercase "
             "hexadecimal characters";
    case AclError::word_of_subcommand:
      return "Allowing first-arg of a subcommand is not supported";
  }
  return "";
}

namespace {
bool has_spaces(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c == '\0' || c == ' ' || (c >= '\t' && c <= '\r'); });
}
}  // namespace

AclError Selector::apply(std::string_view rule) {
  const auto is = [rule](std::string_view word) { return is_word(rule, word); };
  if (is("allkeys") || is("~*") || is("resetkeys")) {
    all_keys_ = !is("resetkeys");
    keys_.clear();
  } else if (is("allchannels") || is("&*") || is("resetchannels")) {
    all_channels_ = !is("resetchannels");
    channels_.clear();
  } else if (is("allcommands") || is("+@all") || is("nocommands") || is("-@all")) {
    all_commands_ = is("allcommands") || is("+@all");
    commands_.put_all(all_commands_);
    first_words_.clear();
  } else if (rule[0] == '~' || rule[0] == '%') {
    return apply_keys(rule);
  } else if (rule[0] == '&') {
    return apply_channels(rule);
  } else if (rule[0] == '+' || rule[0] == '-') {
    return apply_commands(rule);
  } else {
    return AclError::syntax;
  }
  return AclError::none;
}

AclError Selector::apply_keys(std::string_view rule) {
  if (all_keys_) return AclError::keys_after_all;
  KeyPattern pattern{{}, true, true};
  std::size_t at = 1;
  if (rule[0] == '%') {
    pattern.reads = pattern.writes = false;
    for (; at < rule.size() && rule[at] != '~'; ++at) {
      const char letter = to_upper(rule[at]);
      bool& permission = letter == 'R' ? pattern.reads : pattern.writes;
      if ((letter != 'R' && letter != 'W') || permission) return AclError::syntax;
      permission = true;
    }
    if (!pattern.reads && !pattern.writes) return AclError::syntax;
    at = std::min(at + 1, rule.size());  // "%R" without a pattern is one of the empty pattern.
  }
  pattern.glob = rule.substr(at);
  if (has_spaces(pattern.glob)) return AclError::syntax;
  for (KeyPattern& other : keys_)
    if (other.glob == pattern.glob) {
      other.reads |= pattern.reads;
      other.writes |= pattern.writes;
      return AclError::none;
    }
  keys_.push_back(std::move(pattern));
  return AclError::none;
}

AclError Selector::apply_channels(std::string_view rule) {
  if (all_channels_) return AclError::channels_after_all;
  const std::string_view glob = rule.substr(1);
  if (has_spaces(glob)) return AclError::syntax;
  if (std::find(channels_.begin(), channels_.end(), glob) == channels_.end())
    channels_.emplace_back(glob);
  return AclError::none;
}

AclError Selector::apply_commands(std::string_view rule) {
  const bool value = rule[0] == '+';
  const std::string_view name = until_nul(rule.substr(1));
  if (name.starts_with('@')) {
    const std::uint32_t category = find_acl_category(name.substr(1));
    if (category == 0) return AclError::unknown_command;
    put_category(category, value);
    return AclError::none;
  }
  const auto bar = name.rfind('|');
  if (value && bar != std::string_view::npos)
    return permit_first_word(name.substr(0, bar), name.substr(bar + 1), name);
  const std::size_t number = table_->number(name);
  if (number == NumberedCommands::kNone) return AclError::unknown_command;
  put(number, value);
  return AclError::none;
}

/// "+config|get" permits a subcommand; "+select|0", where there is none, the command with this
/// word.
AclError Selector::permit_first_word(std::string_view container, std::string_view word,
                                     std::string_view name) {
  const std::size_t number = table_->number(container);
  if (number == NumberedCommands::kNone) return AclError::unknown_command;
  if (container.find('|') != std::string_view::npos) return AclError::word_of_subcommand;
  if (word.empty()) return AclError::syntax;
  if (table_->rows()[number].subcommands > 0) {
    const std::size_t sub = table_->number(name);
    if (sub == NumberedCommands::kNone) return AclError::unknown_command;
    put(sub, true);
    return AclError::none;
  }
  auto& words = first_words_[number];
  const auto same = [word](const std::string& other) { return iequals(other, word); };
  if (std::none_of(words.begin(), words.end(), same)) words.emplace_back(word);
  return AclError::none;
}

/// Permits or refuses a command with all its subcommands. Redis: ACLChangeSelectorPerm.
void Selector::put(std::size_t index, bool value) {
  first_words_.erase(index);
  const std::size_t last = index + table_->rows()[index].subcommands;
  for (std::size_t i = index; i <= last; ++i) commands_.put(i, value);
  if (!value) all_commands_ = false;
}

void Selector::put_category(std::uint32_t category, bool value) {
  const auto rows = table_->rows();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].categories & category) put(i, value);
}

bool Selector::permits_channel(std::string_view channel, bool is_pattern) const {
  return all_channels_ || std::any_of(channels_.begin(), channels_.end(), [&](const auto& glob) {
           return is_pattern ? glob == channel : glob_match(glob, channel);
         });
}

bool Selector::permits_all_keys_for_reading() const {
  return all_keys_ || std::any_of(keys_.begin(), keys_.end(), [](const KeyPattern& pattern) {
           return pattern.glob == "*" && pattern.reads;
         });
}

}  // namespace picklock
