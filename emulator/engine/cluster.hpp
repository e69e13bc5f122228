// What one node knows of its cluster: itself, the other nodes, who owns which slot, which slots are
// on the move, the epochs.
//
// Nobody tells it anything by itself: there is no bus. What is known was told by CLUSTER commands
// or by the program (join_cluster()). A copyable value; not thread-safe.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

struct Command;
class Config;

inline constexpr int kSlots = 16384;

using SlotSet = std::bitset<kSlots>;

/// The slot of a key: CRC16 (XMODEM) of what stands between the first '{' and the next '}', or of
/// the whole key if there is nothing.
int key_slot(std::string_view key);

/// Runs of slots, both ends included.
std::vector<std::pair<int, int>> slot_ranges(const SlotSet& slots);

/// A node as another one sees it, or as it sees itself.
struct ClusterNode {
  std::string id;             ///< 40 hexadecimal digits.
  std::string host;           ///< Empty: nobody has told it. Of this node, settings go before.
  std::int64_t port = 0;      ///< Of this node 0: that of its settings.
  std::int64_t bus_port = 0;  ///< The same.
  std::string hostname = {};
  std::string primary_id = {};  ///< Of whom it is a replica; empty: of nobody.
  SlotSet slots = {};           ///< Those that it owns.
  std::int64_t epoch = 0;
  bool connected = true;
  bool fails = false;  ///< The cluster has agreed that it is down.

  bool is_replica() const { return !primary_id.empty(); }
};

struct ClusterView {
  bool enabled = false;
  ClusterNode self = {};
  std::vector<ClusterNode> others = {};  ///< In the order in which they were told.
  std::int64_t current_epoch = 0;
  std::map<int, std::string> migrating = {};  ///< Slots on their way to the node of that id...
  std::map<int, std::string> importing = {};  ///< ...and from it.

  /// Null if there is no such node.
  const ClusterNode* find(std::string_view id) const;
  ClusterNode* find(std::string_view id);
  /// Who owns a slot; null: nobody.
  const ClusterNode* owner(int slot) const;
  /// Every node, this one first.
  std::vector<const ClusterNode*> nodes() const;
  /// That of its primary for a replica.
  std::int64_t epoch_of(const ClusterNode& node) const;
  /// The slots that somebody owns.
  SlotSet owned() const;
  /// How many primaries own slots.
  std::int64_t size() const;
  /// Whether it serves requests: with every slot owned by a node that does not fail, unless
  /// cluster-require-full-coverage is off, and most primaries up.
  bool is_up(const Config& config) const;

  /// Gives slots to `owner`, or to nobody if it is null.
  void assign(const SlotSet& slots, ClusterNode* owner);
  /// A new epoch for this node, unless it has the highest already; false then.
  bool bump_epoch();
};

/// The keys of a request, channels of SPUBLISH and its like included, and their slot. Borrows the
/// words.
struct RequestSlot {
  static constexpr int kNone = -1;
  int first = kNone;     ///< That of the first key.
  bool crossed = false;  ///< Whether another key has another one.
  std::vector<std::string_view> keys = {};
  void add(std::string_view key);
  void add_keys(const Command& command, Args words);
};

}  // namespace picklock
