// Whether a selector permits a request. Redis: ACLSelectorCheckCmd.
#include <algorithm>

#include "emulator/base/glob.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/acl_selector.hpp"
#include "emulator/engine/command_keys.hpp"

namespace picklock {
namespace {

enum class Channels : std::uint8_t { none, names, patterns };

/// Which words of a command are channels that need a permission, and how many there are at most.
/// Whoever unsubscribes needs none.
struct ChannelWords {
  Channels kind = Channels::none;
  bool only_first = false;
};

ChannelWords channel_words(const Command& command) {
  if (!command.has(kPubsub)) return {};
  if (command.name == "subscribe" || command.name == "ssubscribe") return {Channels::names};
  if (command.name == "publish" || command.name == "spublish") return {Channels::names, true};
  if (command.name == "psubscribe") return {Channels::patterns};
  return {};
}

bool has_word(std::string_view flags, std::string_view word) {
  return flags.find(word) != std::string_view::npos;
}

/// Where `key`, a view of one of `words`, stands among them.
std::size_t position_of(std::string_view key, Args words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].data() == key.data() && words[i].size() == key.size()) return i;
  return 0;
}

}  // namespace

bool Selector::permits(const Command& command, Args words) const {
  if (all_commands_ || command.has(kNoAuth)) return true;
  const std::size_t number = table_->number(command);
  // PICKLOCK is the test's own: no user can be kept from it.
  if (number == NumberedCommands::kNone || commands_.has(number)) return true;
  const auto permitted = first_words_.find(number);
  if (permitted == first_words_.end() || words.size() < 2) return false;
  return std::any_of(permitted->second.begin(), permitted->second.end(),
                     [&](const std::string& word) { return is_word(words[1], word); });
}

bool Selector::permits_key(std::string_view key, std::string_view flags) const {
  const bool reads = has_word(flags, "access");
  const bool writes =
      has_word(flags, "insert") || has_word(flags, "delete") || has_word(flags, "update");
  return std::any_of(keys_.begin(), keys_.end(), [&](const KeyPattern& pattern) {
    return (!reads || pattern.reads) && (!writes || pattern.writes) &&
           glob_match(pattern.glob, key);
  });
}

AclVerdict Selector::check(const Command& command, Args words) const {
  if (!permits(command, words)) return {Denied::command, 0};
  if (!all_keys_ && takes_keys(command)) {
    const auto keys = find_keys(command, words);
    for (const FoundKey& found : keys ? *keys : std::vector<FoundKey>{})
      if (!permits_key(found.key, found.flags)) return {Denied::key, position_of(found.key, words)};
  }
  if (all_channels_) return {};
  const auto [kind, only_first] = channel_words(command);
  if (kind == Channels::none) return {};
  const std::size_t end = only_first ? std::min<std::size_t>(words.size(), 2) : words.size();
  for (std::size_t i = 1; i < end; ++i)
    if (!permits_channel(words[i], kind == Channels::patterns)) return {Denied::channel, i};
  return {};
}

}  // namespace picklock
