// Those who follow this server over the network: REPLCONF, SYNC and PSYNC, the backlog, the stream.
//
// Without I/O: a replica is an ordinary session, and what goes to it is appended to the session's
// bytes (SessionEvents::byte_output), which its driver sends. The data come at once, as an RDB file
// in one piece; behind them, effects as they happen. Redis 7.0: replication.c. Belongs to its
// engine and to the engine's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/effects.hpp"
#include "emulator/engine/session.hpp"
#include "emulator/resp/resp_writer.hpp"

namespace picklock {

class Engine;

class ReplicaFeed final : public EffectListener {
 public:
  /// Counts from the stream's present end. `salt` is what no other server has.
  ReplicaFeed(Engine& engine, std::uint64_t salt);

  /// Whether a session can be sent a stream.
  static bool takes(const Session& session) {
    return session.events != nullptr && session.events->byte_output() != nullptr;
  }
  /// PSYNC: goes on behind `offset - 1` of the history `id`; false, having done nothing, if what
  /// comes there is not in the backlog.
  bool resume(Session& session, std::string_view id, std::int64_t offset);
  /// PSYNC and SYNC: all the data. `old_style`: SYNC, without a word about the history.
  void synchronise(Session& session, bool old_style);
  /// REPLCONF ACK.
  void acknowledge(Session& session, std::int64_t offset);
  /// Has all replicas asked how far they are, if there are any, once the request that is being
  /// carried out is over: the question is no part of what its client has written.
  void want_acknowledgements() { wants_acknowledgements_ = true; }
  /// The request is over.
  void ask_for_acknowledgements();
  /// A replica's session has executed something: no reply may get between its effects, so whatever
  /// makes one ends its connection.
  void heed_replies(Session& session);
  /// Where replies to replicas go.
  ReplyWriter& stray_replies() { return stray_writer_; }

  /// The session ends.
  void remove(Session& session);
  /// Ends the connections of all.
  void drop_all();
  /// The history has jumped to another place: nothing that was before can be asked for.
  void start_over();
  std::uint64_t next_salt() { return salt_ = salt_ * 6364136223846793005U + 1442695040888963407U; }

  /// What the clock wants: PING, replicas that have gone silent, a backlog that nobody needs.
  void run_due();
  /// When run_due() would do something.
  std::optional<Instant> next_event() const;

 private:
  struct Follower {
    Session* session;
    std::uint64_t id;  ///< The engine's for this replica.
    /// What comes behind data that end at a mark: only once they were read, for a reader may take
    /// what is behind the mark for more of them.
    std::optional<std::string> held = std::nullopt;
    bool confirms = true;  ///< Not one of SYNC.
  };

  void effect(const Effect& words) override;
  void keep(std::string_view bytes);
  Follower& add(Session& session, bool online, bool resumes);
  Follower* find(const Session& session);
  Replication::Replica* entry(std::uint64_t id);
  std::optional<Instant> deadline(const Follower& follower) const;
  Instant next_ping() const;
  std::optional<Instant> backlog_deadline() const;
  void drop_backlog();
  std::int64_t first_kept() const;
  bool has(std::string_view id, std::int64_t offset) const;

  Engine& engine_;
  std::uint64_t salt_;
  bool wants_acknowledgements_ = false;
  std::vector<Follower> followers_;  // In the order in which they came.
  // The stream's last bytes, of which the last `repl-backlog-size` count: trimming each time would
  // move too much.
  std::string backlog_;
  Instant pinged_at_{};
  Instant alone_since_{};
  std::string stray_;
  RespWriter stray_writer_{stray_};
};

}  // namespace picklock
