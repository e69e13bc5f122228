// A Redis Cluster of several emulators: fixed slots, MOVED and ASK, without a bus.
//
// Nodes know what this class or CLUSTER commands have told them, each for itself: nothing spreads
// but what is published (and that only between emulators without Servers), nobody is found to be
// down, no key moves by itself. One thread, or any if every emulator has a Server; the emulators
// must outlive the cluster.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <picklock/emulator.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// `Cluster cluster{{&a, &b, &c}};` joins emulators made with Options::cluster.
///
/// A node that is reset, by Emulator::reset() or CLUSTER RESET, knows nobody any more, while the
/// others still know of it: to have it back, make another Cluster of all.
class Cluster {
 public:
  /// Joins the emulators as primaries. Each gets its share of the slots, as `redis-cli --cluster
  /// create` deals them. Clients are told the address of its Server, or 127.0.0.1 and a port from
  /// 7000 on if it has none. Throws std::invalid_argument if there is none, one twice or null, one
  /// without Options::cluster, or one that holds keys or is a replica.
  explicit Cluster(std::vector<Emulator*> primaries);
  /// The nodes stay as they are, but hear no more of what is published elsewhere.
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Adds a node that calls itself a replica of `primary`, a member: it answers MOVED, and after
  /// READONLY what it has. Data it gets from a Replica that was made of the two before, or none.
  /// Throws as the constructor, std::out_of_range if `primary` is no member or a replica, and
  /// std::logic_error if it has left: CLUSTER RESET HARD and Emulator::reset() may give it another
  /// id.
  void add_replica(Emulator& replica, const Emulator& primary);
  /// Tells every node that `owner` has the slots from `first` to `last`: `cluster.give(0, 99, b)`.
  /// Throws std::out_of_range for other slots than 0 to 16383 and for an owner that is no primary
  /// now, std::logic_error if a former owner that is not down still holds keys of them; nothing has
  /// changed then. A replica that CLUSTER FAILOVER has made a primary is one.
  void give(int first, int last, const Emulator& owner);
  /// Tells all other nodes that `node` is down, or is up again: without it, and with
  /// cluster-require-full-coverage, they answer CLUSTERDOWN. Throws std::out_of_range.
  void set_down(const Emulator& node, bool down = true);

  /// The id by which CLUSTER commands name the node, as all were told (CLUSTER MYID, unless it has
  /// left). Throws std::out_of_range.
  std::string id(const Emulator& node) const;
  /// Where clients are told to find the node: "127.0.0.1:7001". Throws std::out_of_range.
  std::string address(const Emulator& node) const;

 private:
  struct Member {
    Emulator* emulator;
    std::string id;
    std::string host;
    int port;
  };
  static Member look_at(Emulator* emulator, std::size_t index);
  const Member& member(const Emulator& node) const;
  const Member& primary(const Emulator& node) const;
  void share();

  std::vector<Member> members_;
};

}  // namespace picklock

#pragma GCC visibility pop
