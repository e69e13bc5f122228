// A consumer group of a stream: what it has delivered to whom, and what was not acknowledged yet.
//
// Consumers are known by number, so that a pending entry takes the same room however long the name
// of its consumer is. A copyable value; not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "emulator/keyspace/stream_id.hpp"

namespace picklock {

/// An entry that was delivered and not acknowledged.
struct PendingEntry {
  std::uint64_t consumer = 0;     ///< The number of the consumer that has it.
  std::int64_t delivered_ms = 0;  ///< When it was last delivered.
  std::uint64_t deliveries = 0;
};

struct Consumer {
  std::uint64_t number = 0;  ///< Never used again in its group; 0 is nobody's.
  std::int64_t seen_ms = 0;
  std::set<StreamId> pending;
};

class ConsumerGroup {
 public:
  using Consumers = std::map<std::string, Consumer, std::less<>>;
  using Pending = std::map<StreamId, PendingEntry>;

  static constexpr std::int64_t kUnknown = -1;

  StreamId last_id;                      ///< The last entry that was delivered.
  std::int64_t entries_read = kUnknown;  ///< Its number since the stream began.

  /// By name, in the order of their bytes.
  const Consumers& consumers() const { return consumers_; }
  /// All that is pending, in the order of the entries.
  const Pending& pending() const { return pending_; }
  std::string_view name_of(std::uint64_t consumer) const { return names_.at(consumer); }

  Consumer* find_consumer(std::string_view name);
  Consumer& add_consumer(std::string_view name, std::int64_t seen_ms);
  /// Removes a consumer that is there, and with it all that is pending for it.
  void remove_consumer(std::string_view name);

  PendingEntry* find_pending(StreamId id);
  /// Makes the entry `id` pending for `consumer`, whoever had it before; its counters stay, or are
  /// zero.
  PendingEntry& assign(StreamId id, Consumer& consumer);
  /// Takes the entry off the pending ones; false if it was not among them.
  bool acknowledge(StreamId id);

 private:
  // Invariant: an entry stands in pending_ exactly if it stands in its consumer's `pending`.
  Consumers consumers_;
  std::map<std::uint64_t, std::string> names_;
  Pending pending_;
  std::uint64_t last_number_ = 0;
};

}  // namespace picklock
