#include "emulator/engine/command_keys.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"

namespace picklock {

namespace {

bool is_of_keys(const KeySpec& spec) {
  return spec.flags.find("not_key") == std::string_view::npos;
}

/// Positions of the first and the last key, both included, or nullopt if they are not there.
std::optional<std::pair<std::int64_t, std::int64_t>> bounds(const KeySpec& spec, std::int64_t first,
                                                            Args words) {
  const auto count = static_cast<std::int64_t>(words.size());
  std::int64_t last = 0;
  if (first >= count) return std::nullopt;
  if (spec.find == KeySpec::Find::range && spec.limit > 1) {
    last = first + (count - first) / spec.limit + spec.last;
  } else if (spec.find == KeySpec::Find::range) {
    last = spec.last >= 0 ? first + spec.last : count + spec.last;
  } else {
    const auto named = parse_int64(words[static_cast<std::size_t>(first)]);
    if (!named || *named < 0) return std::nullopt;
    const auto keys = static_cast<std::int32_t>(*named);  // So Redis.
    if (keys < 1 || keys > count) return std::nullopt;
    last = first + keys * spec.step;
    ++first;
  }
  if (first >= count || last >= count || last < first) return std::nullopt;
  return std::pair{first, last};
}

/// Where the search of `spec` begins; nullopt for a keyword that is not there, or comes last.
std::optional<std::int64_t> begin(const KeySpec& spec, Args words) {
  if (spec.keyword.empty()) return spec.first;
  for (auto at = static_cast<std::size_t>(spec.first); at + 1 < words.size(); ++at)
    if (is_word(words[at], spec.keyword)) return static_cast<std::int64_t>(at) + 1;
  return std::nullopt;
}

/// The key behind SORT's last STORE. Redis: sortGetKeys, which knows the operands of other options,
/// and takes those of STORE for options as well.
std::optional<std::string_view> sort_target(Args words) {
  std::optional<std::string_view> target;
  for (std::size_t at = 2; at < words.size(); ++at) {
    if (is_word(words[at], "limit"))
      at += 2;
    else if (is_word(words[at], "get") || is_word(words[at], "by"))
      ++at;
    else if (is_word(words[at], "store") && at + 1 < words.size())
      target = words[at + 1];
  }
  return target;
}

/// Whether BITFIELD only reads. Redis: bitfieldGetKeys.
bool bitfield_reads(Args words) {
  for (std::size_t at = 2; at < words.size();) {
    const std::size_t left = words.size() - at - 1;
    if (is_word(words[at], "get") && left >= 2)
      at += 3;
    else if (is_word(words[at], "overflow") && left >= 1)
      at += 2;
    else
      return false;
  }
  return true;
}

/// What is done with the keys of `spec`, where that hangs on the other words.
std::string_view actual_flags(const Command& command, const KeySpec& spec, Args words) {
  if (command.name == "set") {
    const Args options = words.subspan(std::min<std::size_t>(words.size(), 3));
    const bool gets = std::any_of(options.begin(), options.end(),
                                  [](std::string_view word) { return is_word(word, "get"); });
    return gets ? "RW access update" : "OW update";
  }
  if (command.name == "bitfield") return bitfield_reads(words) ? "RO access" : "RW access update";
  return spec.flags;
}

/// MIGRATE's third word, or the words behind KEYS, which ask for an empty third word. Redis: the
/// search from the end, which passes over a last word, and then migrateGetKeys, which knows the
/// operands of other options.
std::optional<std::vector<FoundKey>> migrate_keys(Args words) {
  constexpr std::string_view kFlags = "RW access delete";
  const auto is_keys = [](std::string_view word) { return is_word(word, "keys"); };
  if (words.size() < 6) return std::nullopt;  // redis.acl_check_cmd counts no words.
  if (std::any_of(words.begin() + 2, words.end() - 1, is_keys))
    for (std::size_t at = 6; at < words.size(); ++at) {
      if (is_keys(words[at])) {
        const Args keys = words.subspan(at + 1);
        if (!words[3].empty() || keys.empty()) return std::nullopt;
        std::vector<FoundKey> found;
        for (const std::string_view key : keys) found.push_back({key, kFlags});
        return found;
      }
      at += is_word(words[at], "auth") ? 1 : is_word(words[at], "auth2") ? 2 : 0;
    }
  return std::vector<FoundKey>{{words[3], kFlags}};
}

/// What Redis falls back on when a number of keys is not sound (genericGetKeys): the digits that it
/// begins with count, and nothing is known of what is done with the keys.
std::optional<std::vector<FoundKey>> find_leniently(const Command& command, std::size_t number_at,
                                                    Args words) {
  if (number_at >= words.size()) return std::nullopt;
  const std::string number{words[number_at]};
  const auto count = static_cast<int>(std::strtol(number.c_str(), nullptr, 10));
  const std::size_t first = number_at + 1;
  if (count < 1 || static_cast<std::size_t>(count) > words.size() - first) return std::nullopt;
  std::vector<FoundKey> found;
  for (const std::string_view key : words.subspan(first, static_cast<std::size_t>(count)))
    found.push_back({key, ""});
  if (command.name.ends_with("store")) found.push_back({words[1], ""});
  return found;
}

}  // namespace

bool takes_keys(const Command& command) {
  return std::any_of(command.keys.begin(), command.keys.end(), is_of_keys);
}

std::optional<std::vector<FoundKey>> find_keys(const Command& command, Args words) {
  if (command.name == "migrate") return migrate_keys(words);
  std::vector<FoundKey> found;
  for (const KeySpec& spec : command.keys) {
    if (!is_of_keys(spec) || spec.find == KeySpec::Find::unknown) continue;
    const auto first = begin(spec, words);
    if (!first && spec.limit > 1) return std::nullopt;  // XREAD without its streams.
    if (!first) continue;                               // An option that is not there.
    const auto range = bounds(spec, *first, words);
    if (!range && spec.find == KeySpec::Find::keynum)
      return find_leniently(command, static_cast<std::size_t>(*first), words);
    if (!range) return std::nullopt;
    const std::string_view flags = actual_flags(command, spec, words);
    for (std::int64_t at = range->first; at <= range->second; at += spec.step)
      found.push_back({words[static_cast<std::size_t>(at)], flags});
  }
  if (command.name == "sort")
    if (const auto target = sort_target(words)) found.push_back({*target, "OW update"});
  return found;
}

}  // namespace picklock
