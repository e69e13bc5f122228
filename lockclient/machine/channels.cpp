#include "lockclient/machine/channels.hpp"

#include <algorithm>
#include <utility>

namespace picklock::lock {

void Channels::want(SlotId slot, const std::vector<std::string>& channels) {
  for (const std::string& channel : channels) {
    waiters_[channel].insert(slot);
    changed_.insert(channel);
  }
  hopeful_.insert(slot);
}

void Channels::leave(SlotId slot, const std::vector<std::string>& channels) {
  for (const std::string& channel : channels) {
    const auto waiters = waiters_.find(channel);
    if (waiters == waiters_.end()) continue;
    waiters->second.erase(slot);
    if (!waiters->second.empty()) continue;
    waiters_.erase(waiters);
    changed_.insert(channel);
  }
  hopeful_.erase(slot);
}

std::vector<SlotId> Channels::waiters(std::string_view channel) const {
  const auto waiters = waiters_.find(channel);
  if (waiters == waiters_.end()) return {};
  return {waiters->second.begin(), waiters->second.end()};
}

void Channels::heard(std::size_t node, std::string_view channel, bool is_open) {
  const auto ear = ears_[node].find(channel);
  if (ear == ears_[node].end() || ear->second != Ear::opening) return;
  ear->second = is_open ? Ear::open : Ear::failed;
  const auto waiters = waiters_.find(channel);
  if (is_open && waiters != waiters_.end())
    hopeful_.insert(waiters->second.begin(), waiters->second.end());
}

void Channels::reconnected(std::size_t node) {
  ears_[node].clear();
  for (const auto& [channel, waiters] : waiters_) changed_.insert(channel);
}

std::vector<Channels::Order> Channels::take_orders() {
  const auto changed = std::exchange(changed_, {});
  std::vector<Order> orders;
  for (std::size_t node = 0; node < ears_.size(); ++node) {
    Ears& ears = ears_[node];
    for (const std::string& channel : changed) {
      if (!waiters_.contains(channel) || ears.contains(channel)) continue;
      ears.emplace(channel, Ear::opening);
      orders.push_back({node, channel, true});
    }
    for (const std::string& channel : changed) {
      const auto ear = ears.find(channel);
      if (waiters_.contains(channel) || ear == ears.end()) continue;
      if (ear->second != Ear::failed) orders.push_back({node, channel, false});
      ears.erase(ear);
    }
  }
  return orders;
}

std::vector<SlotId> Channels::take_hopeful() {
  const auto hopeful = std::exchange(hopeful_, {});
  return {hopeful.begin(), hopeful.end()};
}

bool Channels::are_open(const std::vector<std::string>& channels) const {
  return std::all_of(ears_.begin(), ears_.end(), [&channels](const Ears& ears) {
    return std::all_of(channels.begin(), channels.end(), [&ears](const std::string& channel) {
      const auto ear = ears.find(channel);
      return ear != ears.end() && ear->second == Ear::open;
    });
  });
}

std::size_t Channels::count() const {
  std::size_t count = 0;
  for (const Ears& ears : ears_) count += ears.size();
  return count;
}

}  // namespace picklock::lock
