// The stream of effects: what a primary sends to its replicas.
//
// A request, with all that a script or a transaction does in it, is a unit; what several commands
// have done in one goes out as a transaction. Redis 7.0: propagatePendingCommands and
// replicationFeedSlaves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/replication.hpp"

namespace picklock {

class Engine;

using Effect = std::vector<std::string>;

/// Where the stream goes.
class EffectListener {
 public:
  virtual ~EffectListener() = default;
  virtual void effect(const Effect& words) = 0;
  /// `server`, at either end, has ended: no connection has outlived that.
  virtual void server_ended(const Engine& server) { static_cast<void>(server); }
  /// Whether it is a link that goes on by itself once one of its servers was put back to another
  /// state.
  virtual bool heeds_returns() const { return false; }
  /// One was: what the link has known of both is no longer so.
  virtual void start_anew() {}
};

class EffectStream {
 public:
  /// Borrows both; what the stream has come to stands in `replication`.
  EffectStream(Replication& replication, const std::vector<EffectListener*>& listeners)
      : replication_(&replication), listeners_(&listeners) {}

  void add(int database, std::span<const std::string_view> words) {
    pending_.push_back({database, Effect{words.begin(), words.end()}});
  }
  /// The present unit has ended. `apart`: what was done in it does not belong together.
  void end_unit(bool apart = false);
  /// Passes on at once what is no effect of a request (PING, REPLCONF GETACK), or what a primary
  /// has sent to this server.
  void send(const Effect& words);

 private:
  struct Pending {
    int database = 0;
    Effect words;
  };
  void select(int database);

  Replication* replication_;
  const std::vector<EffectListener*>* listeners_;
  std::vector<Pending> pending_;
};

}  // namespace picklock
