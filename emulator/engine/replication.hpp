// What a server knows of its replication: whose replica it is and how far it has come, who its own
// replicas are and what they have confirmed. A copyable value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/clock.hpp>

#include "emulator/base/copy_on_write.hpp"
#include "emulator/base/seldom.hpp"

namespace picklock {

struct Replication {
  struct Primary {
    std::string host;
    int port = 0;
    bool operator==(const Primary&) const = default;
  };
  /// The state of a replica's link to its primary, in the order of ROLE's words.
  enum class Link : std::uint8_t { connect, connecting, handshake, sync, connected };

  /// One that follows this server.
  struct Replica {
    std::uint64_t id = 0;
    std::string host;
    int port = 0;
    std::int64_t acknowledged = 0;  ///< Up to which byte of the stream it has confirmed.
    Instant heard_at{};             ///< When it last confirmed anything.
    /// Whether it confirms every second by itself: as long as nothing is between them, no
    /// confirmation is ever late.
    bool is_near = false;
    bool online = true;         ///< It has taken over the data.
    bool over_network = false;  ///< It has a session here (ReplicaFeed).
  };

  std::optional<Primary> primary;  ///< Of whom this server is a replica.
  bool over_network = false;       ///< Whether the primary is to be connected to (REPLICAOF).
  Link link = Link::connect;
  Instant heard_at{};                 ///< When the primary last sent something.
  std::optional<Instant> down_since;  ///< When the link broke; nullopt if it was never up.
  /// Of this history and the one before: master_replid and master_replid2, 40 hexadecimal digits.
  struct Ids {
    std::string first;
    std::string second = std::string(40, '0');
  };
  CopyOnWrite<Ids> ids;
  std::int64_t second_offset = -1;

  /// Bytes of the stream of effects: those sent by a primary, those carried out by a replica.
  std::int64_t offset = 0;
  int selected = -1;         ///< The database that the stream is at; -1: it must say so again.
  bool has_backlog = false;  ///< Somebody has followed this server.
  std::int64_t backlog_start = 0;  ///< The first byte that the backlog has.
  std::uint64_t full_syncs = 0;    ///< How often this server has taken over another one's data.
  std::uint64_t last_replica_id = 0;
  Seldom<std::vector<Replica>> replicas;  ///< In the order in which they came.

  /// How many replicas have confirmed the stream up to `wanted`.
  std::int64_t count_acknowledged(std::int64_t wanted) const;
  /// How many have been heard of within `most_seconds`. Redis: refreshGoodSlavesCount.
  std::int64_t count_good(Instant now, std::int64_t most_seconds) const;
  /// A new history begins: another id. `remembers`: the old one may still be followed up to here.
  /// With another `salt` it is another one, though all else is the same.
  void begin_history(bool remembers, std::uint64_t salt = 0);
  /// The id that comes after `id`; others for other values of `salt`.
  static std::string id_after(std::string_view id, std::uint64_t salt);
};

/// The bytes of `words` as a request.
std::int64_t encoded_size(const std::vector<std::string>& words);

/// Whole seconds since a replica was last heard of, as INFO tells it.
std::int64_t lag_seconds(const Replication::Replica& replica, Instant now);

}  // namespace picklock
