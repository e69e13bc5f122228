// A replica in the same process as its primary: what the primary has sent, and what of it the
// replica has carried out.
//
// The stream is steppable: it waits here until somebody says apply(). Both engines, which must
// outlive the link, and the link belong to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/effects.hpp"
#include "emulator/engine/replication.hpp"

namespace picklock {

class Engine;

class ReplicaLink final : public EffectListener {
 public:
  /// A request of the primary with all that it has done: it is carried out as a whole.
  using Unit = std::vector<Effect>;
  /// What changes of a link while its world goes on: a copyable value.
  struct State {
    std::deque<Unit> pending;
    bool connected = false;
    std::uint64_t id = 0;          ///< The primary's for this replica.
    std::uint64_t full_syncs = 0;  ///< The primary's own, when this one took over its data.
    std::size_t open = 0;          ///< Whether the last unit has not ended.
  };

  /// Where each finds the other, as REPLICAOF and INFO have it.
  struct Addresses {
    Replication::Primary primary;
    Replication::Primary replica;
  };

  /// Why `replica` cannot follow `primary`; empty if it can.
  static std::string_view objection(const Engine& primary, const Engine& replica);
  /// Makes `replica` follow `primary`: it takes over all of its data at once.
  ReplicaLink(Engine& primary, Engine& replica, Addresses addresses);
  /// The replica stays one, without a primary that it could reach.
  ~ReplicaLink() override;
  ReplicaLink(const ReplicaLink&) = delete;
  ReplicaLink& operator=(const ReplicaLink&) = delete;

  /// The primary's units that are still to be carried out.
  const std::deque<Unit>& pending() const { return state_.pending; }
  /// Carries out up to `most` units, and confirms them. Returns how many.
  std::size_t apply(std::size_t most);
  bool is_connected() const { return state_.connected; }
  /// Nothing passes any more; what was under way is lost.
  void cut();
  /// Connects anew: a full synchronisation.
  void connect();
  /// Has it connect anew, by itself, whenever one of both is put back to another state
  /// (restore_in_place) and the replica still is one.
  void heed_returns() { heeds_returns_ = true; }
  /// REPLICAOF NO ONE at the replica: what has not been carried out is lost for it.
  void promote();

  State save() const { return state_; }
  /// Goes back to `state`; both engines must have gone back to what they were then.
  void restore(const State& state);

  Engine& primary() const { return *primary_; }
  Engine& replica() const { return *replica_; }

 private:
  void effect(const Effect& words) override;
  void server_ended(const Engine& server) override;
  bool heeds_returns() const override { return heeds_returns_; }
  void start_anew() override;
  void confirm();
  void listen(bool on);

  Engine* primary_;
  Engine* replica_;
  Addresses addresses_;
  State state_;
  bool listens_ = false;
  bool heeds_returns_ = false;
};

/// What a unit has done, words parted by spaces: "SELECT 0; SET lock a PXAT 9".
std::string to_text(const ReplicaLink::Unit& unit);

}  // namespace picklock
