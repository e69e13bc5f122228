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

/// Up to sixteen letters of a name in two numbers, whatever their case: of a longer name the first
/// and the last eight. What is no letter may look like another sign.
struct Folded {
  std::uint64_t first = 0, last = 0;
  bool operator==(const Folded&) const = default;
};

std::uint64_t bytes_at(std::string_view name, std::size_t at, std::size_t count) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i)
    bytes |= std::uint64_t{static_cast<unsigned char>(name[at + i])} << 8 * i;
  return bytes;
}

Folded folded(std::string_view name) {
  constexpr std::uint64_t kLower = 0x2020202020202020;
  const std::size_t size = name.size();
  if (size >= 8) return {bytes_at(name, 0, 8) | kLower, bytes_at(name, size - 8, 8) | kLower};
  if (size >= 4) return {(bytes_at(name, 0, 4) | bytes_at(name, size - 4, 4) << 32) | kLower};
  if (size == 0) return {};
  return {(bytes_at(name, 0, 1) | bytes_at(name, size / 2, 1) << 8 |
           bytes_at(name, size - 1, 1) << 16) |
          kLower};
}

std::uint64_t hash_of(const Folded& name, std::size_t size) {
  return (name.first + name.last + size) * 0x9e3779b97f4a7c15 >> 32;
}

/// Whether equal folded() and equal lengths mean the same name.
bool is_told_by_folding(std::string_view name) {
  return name.size() <= 16 &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Immutable after construction, so that emulators in many threads may share it.
class Table {
 public:
  // Apart, so that the way to a table that is there is a short one.
  [[gnu::noinline]] Table() {
    for (const auto group : {commands::bitmaps(),
                             commands::bitfields(),
                             commands::moving(),
                             commands::object(),
                             commands::dump(),
                             commands::migrate(),
                             commands::debug(),
                             commands::memory(),
                             commands::strings(),
                             commands::string_ranges(),
                             commands::lcs(),
                             commands::counters(),
                             commands::hashes(),
                             commands::hash_random(),
                             commands::hash_expiry(),
                             commands::hash_values(),
                             commands::conditional_strings(),
                             commands::generic(),
                             commands::sorted_sets(),
                             commands::sorted_set_ranges(),
                             commands::sorted_set_picks(),
                             commands::sorted_set_algebra(),
                             commands::sets(),
                             commands::set_picks(),
                             commands::set_algebra(),
                             commands::scans(),
                             commands::geo(),
                             commands::geo_search(),
                             commands::hyperloglog(),
                             commands::lists(),
                             commands::list_pops(),
                             commands::blocking_lists(),
                             commands::blocking_sorted_sets(),
                             commands::streams(),
                             commands::stream_pending(),
                             commands::stream_reads(),
                             commands::stream_groups(),
                             commands::stream_info(),
                             commands::expiry(),
                             commands::connection(),
                             commands::client(),
                             commands::command(),
                             commands::config(),
                             commands::server(),
                             commands::slowlog(),
                             commands::latency(),
                             commands::wait_aof(),
                             commands::persistence(),
                             commands::replication(),
                             commands::cluster(),
                             commands::modules(),
                             commands::scripting(),
                             commands::functions(),
                             commands::sort(),
                             commands::transactions(),
                             commands::pubsub(),
                             commands::acl()})
      for (const Command& row : group) visible_.push_back(&add(numbered(row)));
    for (const Command& row : commands::picklock()) add(rows_.emplace_back(row));
    sort_visible();
  }

  /// Some rows of another table, and some more.
  [[gnu::noinline]] Table(const Table& other, std::span<const std::string_view> names,
                          std::span<const Command> own) {
    for (const std::string_view name : names) visible_.push_back(&add(*other.find(name)));
    for (const Command& row : own) visible_.push_back(&add(rows_.emplace_back(row)));
    sort_visible();
  }

  const Command* find(std::string_view name) const {
    const Folded wanted = folded(name);
    for (std::size_t at = hash_of(wanted, name.size()) % kSlots;; at = (at + 1) % kSlots) {
      const Slot& slot = slots_[at];
      if (!slot.row) return nullptr;
      if (slot.folded_name != wanted || slot.row->name.size() != name.size()) continue;
      if (slot.told_by_folding || iequals(slot.row->name, name)) return slot.row;
    }
  }

  std::span<const Command* const> visible() const { return visible_; }

 private:
  static constexpr std::size_t kSlots = 1024;
  struct Slot {
    const Command* row = nullptr;
    Folded folded_name;
    bool told_by_folding = false;
  };

  void sort_visible() {
    std::sort(visible_.begin(), visible_.end(),
              [](const Command* a, const Command* b) { return a->name < b->name; });
  }

  const Command& add(const Command& row) {
    const Folded name = folded(row.name);
    std::size_t at = hash_of(name, row.name.size()) % kSlots;
    while (slots_[at].row) at = (at + 1) % kSlots;
    slots_[at] = {&row, name, is_told_by_folding(row.name)};
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
  std::array<Slot, kSlots> slots_{};
  std::vector<const Command*> visible_;
};

const Table& servers() {
  static const Table table;
  return table;
}
const Table& sentinels() {
  static const Table table{servers(), commands::shared_with_sentinel(), commands::sentinel()};
  return table;
}
const Table& table(const Profile& profile) { return profile.is_sentinel ? sentinels() : servers(); }

}  // namespace

const Command* find_command(std::string_view name, const Profile& profile) {
  const Command* row = table(profile).find(name);
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
  for (const Command* row : table(profile).visible())
    if (profile.has(row->servers)) rows.push_back(row);
  return rows;
}

}  // namespace picklock
