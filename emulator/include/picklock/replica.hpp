// A primary and its replica in one process, with a stream between them that the test steps: what
// happens when the primary dies before its last writes have got through.
//
// The replica answers as Redis's does: READONLY to writes, ROLE, INFO replication; expired keys are
// hidden there and deleted when the primary says so. WAIT at the primary counts what has been
// applied.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <picklock/emulator.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// Where a server is found, as REPLICAOF and INFO have it: nothing listens there.
struct NodeAddress {
  std::string host = "127.0.0.1";  ///< A name or an IP address.
  int port = 6379;                 ///< From 0 to 65535.
};

/// The link of a replica to its primary: `picklock::Replica replica{primary, standby};`.
///
/// Both emulators must outlive it, and neither may have a Server: they and the link belong to one
/// thread. The link is no part of a snapshot: when one of both is restored or reset, the standby
/// synchronises anew and has the primary's data, unless it comes back as no replica of it; then the
/// link is cut. One that was cut before, or whose standby was promoted, stays so until reconnect().
class Replica {
 public:
  /// Every unit that waits.
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  /// Makes `standby` a replica of `primary`: its data are replaced by the primary's at once, what
  /// follows waits for apply(). A replica may have replicas of its own. Throws
  /// std::invalid_argument if the two are one, if `standby` is a replica already, or if `primary`
  /// follows it, directly or not.
  Replica(Emulator& primary, Emulator& standby, NodeAddress primary_address = {},
          NodeAddress standby_address = {.port = 6380});
  /// Ends the link: the standby stays a replica, without a primary that it could reach.
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  /// How many requests of the primary have not got through: a script, a transaction, a command or
  /// an expired key counts as one.
  std::size_t behind() const;
  /// What they have done, one string each, words parted by spaces: "SELECT 0; SET lock a PXAT 9".
  std::vector<std::string> pending() const;
  /// Lets the oldest `most` of them through, and confirms them to the primary. Returns how many:
  /// fewer if there were fewer, if the standby is paused, or no replica any more.
  std::size_t apply(std::size_t most = kAll);

  /// Breaks the connection: what was under way is lost, and the primary has one replica less.
  void cut();
  /// Connects anew, with a full synchronisation.
  void reconnect();
  /// Whether the two are connected.
  bool is_connected() const;
  /// REPLICAOF NO ONE at the standby: it becomes a primary with what has got through. The old
  /// primary does not hear of it.
  void promote();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace picklock

#pragma GCC visibility pop
