#include "emulator/engine/cluster.hpp"

#include <algorithm>

#include "emulator/engine/command_keys.hpp"
#include "emulator/engine/config.hpp"

namespace picklock {

namespace {
std::uint16_t crc16(std::string_view bytes) {
  std::uint16_t crc = 0;
  for (const char byte : bytes) {
    crc = static_cast<std::uint16_t>(crc ^ (static_cast<unsigned char>(byte) << 8));
    for (int bit = 0; bit < 8; ++bit)
      crc = static_cast<std::uint16_t>((crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021 : 0));
  }
  return crc;
}
}  // namespace

int key_slot(std::string_view key) {
  const auto open = key.find('{');
  if (open != std::string_view::npos) {
    const auto close = key.find('}', open + 1);
    if (close != std::string_view::npos && close != open + 1)
      key = key.substr(open + 1, close - open - 1);
  }
  return crc16(key) % kSlots;
}

std::vector<std::pair<int, int>> slot_ranges(const SlotSet& slots) {
  std::vector<std::pair<int, int>> found;
  for (int slot = 0; slot < kSlots; ++slot) {
    if (!slots.test(static_cast<std::size_t>(slot))) continue;
    if (!found.empty() && found.back().second == slot - 1)
      found.back().second = slot;
    else
      found.emplace_back(slot, slot);
  }
  return found;
}

const ClusterNode* ClusterView::find(std::string_view id) const {
  for (const ClusterNode* node : nodes())
    if (node->id == id) return node;
  return nullptr;
}

ClusterNode* ClusterView::find(std::string_view id) {
  return const_cast<ClusterNode*>(std::as_const(*this).find(id));
}

const ClusterNode* ClusterView::owner(int slot) const {
  const auto index = static_cast<std::size_t>(slot);
  if (self.slots.test(index)) return &self;
  for (const ClusterNode& node : others)
    if (node.slots.test(index)) return &node;
  return nullptr;
}

std::vector<const ClusterNode*> ClusterView::nodes() const {
  std::vector<const ClusterNode*> all{&self};
  for (const ClusterNode& node : others) all.push_back(&node);
  return all;
}

std::int64_t ClusterView::epoch_of(const ClusterNode& node) const {
  const ClusterNode* primary = node.is_replica() ? find(node.primary_id) : nullptr;
  return primary ? primary->epoch : node.epoch;
}

SlotSet ClusterView::owned() const {
  SlotSet slots = self.slots;
  for (const ClusterNode& node : others) slots |= node.slots;
  return slots;
}

std::int64_t ClusterView::size() const {
  return (self.slots.any() ? 1 : 0) +
         std::ranges::count_if(others, [](const auto& node) { return node.slots.any(); });
}

// Redis 7.0: clusterUpdateState.
bool ClusterView::is_up(const Config& config) const {
  std::int64_t reachable = self.slots.any() ? 1 : 0;
  bool covered = true;
  for (const ClusterNode& node : others) {
    if (node.slots.none()) continue;
    if (node.fails)
      covered = false;
    else
      ++reachable;
  }
  if (config.get("cluster-require-full-coverage") == "yes" && !(covered && owned().all()))
    return false;
  return reachable > size() / 2;
}

void ClusterView::assign(const SlotSet& slots, ClusterNode* owner) {
  self.slots &= ~slots;
  for (ClusterNode& node : others) node.slots &= ~slots;
  if (owner) owner->slots |= slots;
}

// Redis 7.0: clusterBumpConfigEpochWithoutConsensus.
bool ClusterView::bump_epoch() {
  std::int64_t highest = current_epoch;
  for (const ClusterNode* node : nodes()) highest = std::max(highest, node->epoch);
  if (self.epoch != 0 && self.epoch == highest) return false;
  self.epoch = ++current_epoch;
  return true;
}

void RequestSlot::add(std::string_view key) {
  keys.push_back(key);
  if (crossed) return;
  const int slot = key_slot(key);
  if (first == kNone) first = slot;
  crossed = slot != first;
}

void RequestSlot::add_keys(const Command& command, Args words) {
  for (const KeySpec& spec : command.keys) {
    if (spec.flags != "not_key") continue;
    const auto last = spec.last < 0 ? words.size() - 1 : static_cast<std::size_t>(spec.first);
    for (auto at = static_cast<std::size_t>(spec.first); at <= last && at < words.size(); ++at)
      add(words[at]);
  }
  if (const auto found = find_keys(command, words))
    for (const FoundKey& key : *found) add(key.key);
}

}  // namespace picklock
