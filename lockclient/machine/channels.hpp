// Which channels the waiters of a client want, and what of it is open at which node.
//
// A copyable value without I/O. Used by Core, which sends the orders and tells the waiters. What it
// does at a change costs what has changed, however many wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::lock {

/// Names a hold or a request of a client; counts up from 1.
using SlotId = std::uint64_t;

class Channels {
 public:
  enum class Ear : std::uint8_t { closed, opening, open, failed };
  using Ears = std::map<std::string, Ear, std::less<>>;
  /// To subscribe to a channel, or to end that.
  struct Order {
    std::size_t node = 0;
    std::string channel;
    bool opens = false;
  };

  explicit Channels(std::size_t nodes) : ears_(nodes) {}

  /// From now on `slot` waits for messages of `channels`.
  void want(SlotId slot, const std::vector<std::string>& channels);
  void leave(SlotId slot, const std::vector<std::string>& channels);
  /// Who waits for messages of `channel`.
  std::vector<SlotId> waiters(std::string_view channel) const;

  /// What became of an order to subscribe.
  void heard(std::size_t node, std::string_view channel, bool is_open);
  /// The connection to `node` is a new one.
  void reconnected(std::size_t node);

  /// Whether one of the next two has something to say.
  bool has_changed() const { return !changed_.empty() || !hopeful_.empty(); }
  /// What is to be sent by now, node after node; it counts as sent.
  std::vector<Order> take_orders();
  /// Whose channels may all have become open since the last call; see are_open().
  std::vector<SlotId> take_hopeful();
  bool are_open(const std::vector<std::string>& channels) const;

  /// How many are open, or being opened, over all nodes.
  std::size_t count() const;
  const Ears& at(std::size_t node) const { return ears_[node]; }

 private:
  std::vector<Ears> ears_;  ///< Of each node.
  std::map<std::string, std::set<SlotId>, std::less<>> waiters_;
  std::set<std::string, std::less<>> changed_;  ///< Channels whose ears may have to change.
  std::set<SlotId> hopeful_;
};

}  // namespace picklock::lock
