#include "emulator/engine/table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/base/text.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/engine/commands/groups.hpp"

namespace picklock {

namespace {

/// Of the length and four letters, whatever their case: enough to tell most commands apart.
std::uint32_t hash_of(std::string_view name) {
  if (name.empty()) return 0;
  const std::size_t size = name.size();
  auto hash = static_cast<std::uint32_t>(size);
  for (const char c : {name[0], name[size / 3], name[size / 2], name[size - 1]})
    hash = (hash ^ static_cast<unsigned char>(to_lower(c))) * 16777619;
  return hash ^ hash >> 15;
}

/// Immutable after construction, so that emulators in many threads may share it.
class Table {
 public:
  Table() {
    for (const auto group :
         {commands::bitmaps(), commands::bitfields(), commands::moving(), commands::object(),
          commands::dump(), commands::migrate(), commands::debug(), commands::memory(),
          commands::strings(), commands::string_ranges(), commands::lcs(), commands::counters(),
          commands::hashes(), commands::hash_random(), commands::hash_expiry(),
          commands::hash_values(), commands::conditional_strings(), commands::generic(),
          commands::sorted_sets(), commands::sorted_set_ranges(), commands::sorted_set_picks(),
          commands::sorted_set_algebra(), commands::sets(), commands::set_picks(),
          commands::set_algebra(), commands::scans(),
          commands::geo(), commands::geo_search(), commands::hyperloglog(),
          commands::lists(), commands::list_pops(), commands::blocking_lists(),
          commands::blocking_sorted_sets(), commands::streams(), commands::stream_pending(),
          commands::stream_reads(), commands::stream_groups(), commands::stream_info(),
          commands::expiry(), commands::connection(), commands::client(), commands::command(),
          commands::config(), commands::server(), commands::slowlog(), commands::latency(),
          commands::wait_aof(), commands::persistence(), commands::replication(),
          commands::cluster(), commands::modules(), commands::scripting(), commands::functions(), commands::sort(),
          commands::transactions(), commands::pubsub(), commands::acl()})
      for (const Command& row : group) visible_.push_back(&add(numbered(row)));
    for (const Command& row : commands::picklock()) add(rows_.emplace_back(row));
    std::sort(visible_.begin(), visible_.end(),
              [](const Command* a, const Command* b) { return a->name < b->name; });
  }

  const Command* find(std::string_view name) const {
    for (std::size_t slot = hash_of(name) % kSlots; slots_[slot]; slot = (slot + 1) % kSlots)
      if (iequals(slots_[slot]->name, name)) return slots_[slot];
    return nullptr;
  }

  std::span<const Command* const> visible() const { return visible_; }

 private:
  static constexpr std::size_t kSlots = 1024;

  const Command& add(const Command& row) {
    std::size_t slot = hash_of(row.name) % kSlots;
    while (slots_[slot]) slot = (slot + 1) % kSlots;
    slots_[slot] = &row;
    return row;
  }

  /// A copy of the row, and of those below it, with their numbers. From 1 on: nothing is counted
  /// under 0.
  const Command& numbered(const Command& row) {
    Command& copy = rows_.emplace_back(row);
    copy.number = ++last_number_;
    if (row.subcommands.empty()) return copy;
    auto& below = subcommands_.emplace_back(row.subcommands.begin(), row.subcommands.end());
    for (Command& subcommand : below) subcommand.number = ++last_number_;
    copy.subcommands = below;
    return copy;
  }

  std::deque<Command> rows_;
  std::deque<std::vector<Command>> subcommands_;
  std::uint16_t last_number_ = 0;
  std::array<const Command*, kSlots> slots_{};
  std::vector<const Command*> visible_;
};

const Table& table() {
  static const Table instance;
  return instance;
}

}  // namespace

const Command* find_command(std::string_view name, const Profile& profile) {
  const Command* row = table().find(name);
  return row && profile.has(row->servers) ? row : nullptr;
}

const Command* find_subcommand(const Command& container, std::string_view name,
                               const Profile& profile) {
  for (const Command& row : container.subcommands)
    if (profile.has(row.servers) && iequals(row.name.substr(container.name.size() + 1), name))
      return &row;
  return nullptr;
}

std::vector<const Command*> all_commands(const Profile& profile) {
  std::vector<const Command*> rows;
  for (const Command* row : table().visible())
    if (profile.has(row->servers)) rows.push_back(row);
  return rows;
}

}  // namespace picklock
