// A cluster of one node: which slots it owns, its id and its epochs.
//
// Slots may be given away and taken back, but nobody else can own them: a slot is ours or nobody's.
// A copyable value; not thread-safe.
#pragma once

#include <bitset>
#include <cstdint>
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

/// The slot of a key: CRC16 (XMODEM) of what stands between the first '{' and the next '}', or of
/// the whole key if there is nothing.
int key_slot(std::string_view key);

struct Cluster {
  bool enabled = false;
  std::string id;  ///< Of this node, 40 hexadecimal digits.
  std::bitset<kSlots> slots = {};
  std::int64_t current_epoch = 0;
  std::int64_t my_epoch = 0;

  /// Runs of slots that are owned, both ends included.
  std::vector<std::pair<int, int>> ranges() const;
  /// Whether it serves requests: with every slot owned, unless cluster-require-full-coverage is off.
  bool is_up(const Config& config) const;
};

/// The slot of all keys of a request, channels of SPUBLISH and its like included.
struct RequestSlot {
  static constexpr int kNone = -1;
  int first = kNone;     ///< That of the first key.
  bool crossed = false;  ///< Whether another key has another one.
  void add(std::string_view key);
  void add_keys(const Command& command, Args words);
};

}  // namespace picklock
