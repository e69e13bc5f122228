#include "emulator/engine/command_info.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/text.hpp"

namespace picklock {

namespace {

using Name = std::pair<std::uint32_t, std::string_view>;

// In the order in which Redis lists them.
constexpr Name kFlagNames[] = {
    {kWrite, "write"},
    {kReadonly, "readonly"},
    {kDenyOom, "denyoom"},
    {kAdmin, "admin"},
    {kPubsub, "pubsub"},
    {kNoScript, "noscript"},
    {kBlocking, "blocking"},
    {kLoading, "loading"},
    {kStale, "stale"},
    {kSkipMonitor, "skip_monitor"},
    {kSkipSlowlog, "skip_slowlog"},
    {kAsking, "asking"},
    {kFast, "fast"},
    {kNoAuth, "no_auth"},
    {kNoMandatoryKeys, "no_mandatory_keys"},
    {kNoAsyncLoading, "no_async_loading"},
    {kNoMulti, "no_multi"},
    {kMovableKeys, "movablekeys"},
    {kAllowBusy, "allow_busy"},
};

constexpr Name kCategoryNames[] = {
    {kAclKeyspace, "@keyspace"},
    {kAclRead, "@read"},
    {kAclWrite, "@write"},
    {kAclSet, "@set"},
    {kAclSortedSet, "@sortedset"},
    {kAclList, "@list"},
    {kAclHash, "@hash"},
    {kAclString, "@string"},
    {kAclBitmap, "@bitmap"},
    {kAclHyperLogLog, "@hyperloglog"},
    {kAclGeo, "@geo"},
    {kAclStream, "@stream"},
    {kAclPubsub, "@pubsub"},
    {kAclAdmin, "@admin"},
    {kAclFast, "@fast"},
    {kAclSlow, "@slow"},
    {kAclBlocking, "@blocking"},
    {kAclDangerous, "@dangerous"},
    {kAclConnection, "@connection"},
    {kAclTransaction, "@transaction"},
    {kAclScripting, "@scripting"},
};

void write_names(ReplyWriter& reply, std::uint32_t bits, std::span<const Name> names) {
  reply.set(static_cast<std::size_t>(__builtin_popcount(bits)));
  for (const auto& [bit, name] : names)
    if (bits & bit) reply.status(name);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto space = text.find(' ');
    words.push_back(text.substr(0, space));
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return words;
}

void write_pair(ReplyWriter& reply, std::string_view name, std::int64_t value) {
  reply.bulk(name);
  reply.integer(value);
}

void write_begin_search(ReplyWriter& reply, const KeySpec& spec) {
  reply.bulk("begin_search");
  reply.map(2);
  reply.bulk("type");
  if (spec.find == KeySpec::Find::unknown) {
    reply.bulk("unknown");
    reply.bulk("spec");
    return reply.map(0);
  }
  const bool by_keyword = !spec.keyword.empty();
  reply.bulk(by_keyword ? "keyword" : "index");
  reply.bulk("spec");
  reply.map(by_keyword ? 2 : 1);
  if (by_keyword) {
    reply.bulk("keyword");
    reply.bulk(spec.keyword);
  }
  write_pair(reply, by_keyword ? "startfrom" : "index", spec.first);
}

void write_key_spec(ReplyWriter& reply, const KeySpec& spec) {
  reply.map(spec.notes.empty() ? 3 : 4);
  if (!spec.notes.empty()) {
    reply.bulk("notes");
    reply.bulk(spec.notes);
  }
  reply.bulk("flags");
  write_key_flags(reply, spec.flags);
  write_begin_search(reply, spec);
  reply.bulk("find_keys");
  reply.map(2);
  reply.bulk("type");
  if (spec.find == KeySpec::Find::unknown) {
    reply.bulk("unknown");
    reply.bulk("spec");
    return reply.map(0);
  }
  const bool range = spec.find == KeySpec::Find::range;
  reply.bulk(range ? "range" : "keynum");
  reply.bulk("spec");
  reply.map(3);
  if (range) {
    write_pair(reply, "lastkey", spec.last);
    write_pair(reply, "keystep", spec.step);
    write_pair(reply, "limit", spec.limit);
  } else {
    write_pair(reply, "keynumidx", 0);
    write_pair(reply, "firstkey", 1);
    write_pair(reply, "keystep", spec.step);
  }
}

/// First key, last key and step of the old form. Redis: populateCommandLegacyRangeSpec, which joins
/// ranges as long as each begins where the one before it ends.
std::array<int, 3> legacy_range(const Command& command) {
  std::array<int, 3> legacy{0, 0, 0};
  for (const KeySpec& spec : command.keys) {
    if (spec.find != KeySpec::Find::range || !spec.keyword.empty()) continue;
    auto& [first, last, step] = legacy;
    if (first == 0) {
      first = spec.first;
      step = spec.step;
    } else if (spec.step != 1 || spec.first != last + 1) {
      break;
    }
    last = spec.last >= 0 ? spec.first + spec.last : spec.last;
  }
  return legacy;
}

}  // namespace

std::uint32_t find_acl_category(std::string_view name) {
  for (const auto& [bit, text] : kCategoryNames)
    if (is_word(name, text.substr(1))) return bit;
  return 0;
}

std::span<const std::pair<std::uint32_t, std::string_view>> acl_category_names() {
  return kCategoryNames;
}

void write_key_flags(ReplyWriter& reply, std::string_view text) {
  const auto flags = split(text);
  reply.set(flags.size());
  for (const std::string_view flag : flags) reply.status(flag);
}

void write_command_info(ReplyWriter& reply, const Command& command, const Profile& profile) {
  reply.array(10);
  reply.bulk(command.name);
  reply.integer(command.arity);
  write_names(reply, command.flags & ~(kMayReplicate | kProtected | kAnyKeys), kFlagNames);
  for (const int position : legacy_range(command)) reply.integer(position);
  write_names(reply, acl_categories(command), kCategoryNames);
  const auto tips = split(command.tips);
  reply.set(tips.size());
  for (const std::string_view tip : tips) reply.bulk(tip);
  reply.set(command.keys.size());
  for (const KeySpec& spec : command.keys) write_key_spec(reply, spec);
  const auto is_there = [&](const Command& sub) { return profile.has(sub.servers); };
  if (command.subcommands.empty()) return reply.set(0);  // Redis: addReplyCommandSubCommands.
  reply.array(static_cast<std::size_t>(std::ranges::count_if(command.subcommands, is_there)));
  for (const Command& sub : command.subcommands)
    if (is_there(sub)) write_command_info(reply, sub, profile);
}

}  // namespace picklock
