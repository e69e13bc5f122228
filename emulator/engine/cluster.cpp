#include "emulator/engine/cluster.hpp"

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

std::vector<std::pair<int, int>> Cluster::ranges() const {
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

bool Cluster::is_up(const Config& config) const {
  if (config.get("cluster-require-full-coverage") == "yes") return slots.all();
  return slots.any();
}

void RequestSlot::add(std::string_view key) {
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
