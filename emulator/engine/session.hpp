// One client of the engine: what it has selected, who it is, what it waits for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <picklock/clock.hpp>

#include "emulator/base/copy_on_write.hpp"
#include "emulator/base/rare.hpp"
#include "emulator/base/seldom.hpp"
#include "emulator/commands/command.hpp"
#include "emulator/engine/output_limits.hpp"
#include "emulator/engine/pubsub.hpp"
#include "emulator/engine/tracking.hpp"
#include "emulator/engine/transaction.hpp"
#include "emulator/keyspace/stream_id.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

struct EngineContext;

/// A request that the server holds back. A value: a snapshot carries it along.
struct Blocked {
  std::optional<Instant> deadline;  ///< When it times out; never, if empty.
  std::uint64_t order = 0;          ///< Counts up over the engine: first come, first served.
  /// Writes the reply of a request that has timed out.
  void (*on_timeout)(ReplyWriter& reply) = nullptr;

  /// What it waits for, in the session's database; nothing but its deadline, if empty.
  std::vector<std::string> keys = {};
  /// The request itself, for `try_serve`.
  std::vector<std::string> words = {};
  /// For each key, the ID after which a stream serves it: "$" means the last one when it came.
  std::vector<StreamId> starts = {};
  const Command* command = nullptr;
  /// Answers the request with what `key` holds now; false, having written nothing, if that does not
  /// serve it. `c` is made of the request's own words.
  bool (*try_serve)(EngineContext& c, std::string_view key) = nullptr;
  /// Whether it is also to be asked once a key is gone (XREADGROUP).
  bool heeds_loss = false;
  /// It has not been executed at all, since the server pauses: `words` are, once that ends.
  bool postponed = false;
  /// WAIT: how many replicas are to confirm the stream up to where.
  bool wants_replicas = false;
  std::int32_t replicas = 0;
  std::int64_t written = 0;
  /// Why, if not for the command's own sake: `postponed` by a fault until the deadline, cut off
  /// from the server by one, or at the barrier of PICKLOCK BLOCKED.
  enum class Hold : std::uint8_t { command, delay, silence, barrier } hold = Hold::command;
};

/// Who a client is: known once it has connected and logged in.
struct Identity {
  std::string name;
  std::string address;        ///< The client's, as CLIENT LIST shows it.
  std::string local_address;  ///< The server's.
  std::string user = "default";
  std::string library_name;  ///< CLIENT SETINFO.
  std::string library_version;
};

/// The part of a session that a snapshot keeps. What is plain is copied in one piece, and what most
/// sessions lack stands apart: every simulated run puts all of them back.
struct SessionState {
  Rare<Blocked> blocked;
  Rare<Transaction> transaction;  ///< Between MULTI and EXEC.
  Rare<TrackingMode> tracking;
  Seldom<std::vector<Watch>> watches;
  std::uint64_t id = 0;
  int database = 0;
  int resp_version = 2;
  Instant connected_at;
  Instant last_used_at;
  const Command* last_command = nullptr;
  std::int64_t written = 0;  ///< Where the stream of effects was after its last command.
  bool authenticated = true;
  bool unrestricted = true;     ///< Its user may do everything: nothing need be looked up.
  bool no_touch = false;        ///< CLIENT NO-TOUCH.
  bool monitors = false;        ///< MONITOR: it sees every command.
  bool no_evict = false;        ///< CLIENT NO-EVICT.
  bool reads_replicas = false;  ///< READONLY, in a cluster.
  bool asks = false;            ///< ASKING, for the next request, or up to EXEC.
  bool replies_off = false;     ///< CLIENT REPLY OFF.
  bool skips_reply = false;     ///< CLIENT REPLY SKIP, for the present request...
  bool skips_next = false;      ///< ...and for the one to come.
  bool is_primary = false;      ///< What a replica's primary sends: nothing is refused to it.
  bool steers = false;          ///< It has used PICKLOCK: it stays when its server ends.
  bool silenced = false;        ///< A fault has cut it off: nothing reaches it any more.
  /// The Unix time in seconds since which more output waits than the soft limit allows.
  std::optional<std::int64_t> over_soft_limit_since;
  CopyOnWrite<Identity> identity;
  Subscriptions subscriptions;
};

/// Told about what happens to a session outside of its own requests.
class SessionEvents {
 public:
  virtual ~SessionEvents() = default;
  /// The held-back request has been answered: the next one may run.
  virtual void resumed() = 0;
  /// A snapshot was restored, and the session waited before or does now: for something else, or for
  /// nothing.
  virtual void restored() {}
  /// A request that was held back is carried out from now on, without the driver's doing.
  virtual void late_request_begins() {}
  virtual void late_request_ends() {}
  /// Something was written outside of a reply: a message to a subscriber.
  virtual void output_appeared() {}
  /// Where such messages go, if not in between the replies; null if there.
  virtual ReplyWriter* message_writer() { return nullptr; }
  /// The bytes of the replies, and behind them of what is none: a replica's stream. Nobody takes of
  /// them while a request of the session is carried out. Null if the client is not one of bytes.
  virtual std::string* byte_output() { return nullptr; }
};

/// What REPLCONF has told of a client that may become a replica.
struct ReplicaTraits {
  std::string host;              ///< Where it says it is; empty: where its connection comes from.
  int port = 0;                  ///< Where it listens.
  bool reads_to_mark = false;    ///< capa eof: data of a size that is not known before.
  bool follows_ids = false;      ///< capa psync2: +CONTINUE may name another history.
  bool wants_data_only = false;  ///< rdb-only: no stream.
  /// rdb-filter-only: no keys, and functions only if it has asked for them.
  bool is_filtered = false;
  bool wants_functions = false;
};

struct Session : SessionState {
  ReplyWriter* writer = nullptr;    ///< Borrowed from the driver.
  SessionEvents* events = nullptr;  ///< Borrowed from the driver, may be null.
  bool closing = false;             ///< The driver closes the connection once its output is sent.
  bool output_is_void = false;      ///< What has not been sent yet never is.
  bool is_replica = false;          ///< The stream of effects goes to it (ReplicaFeed).
  std::uint64_t last_redirect = 0;  ///< That of its tracking, when it stopped.
  int slot = -1;  ///< In a cluster: of the keys of its present request, EXEC's queue included.
  ReplicaTraits traits;
  /// What a replica has been given, sent or not; of that, the first are data, which no limit
  /// counts.
  std::size_t given_bytes = 0;
  std::size_t data_bytes = 0;

  bool is_blocked() const { return blocked.has_value(); }
  /// Whether replies to it are dropped; messages pushed to it are not.
  bool is_muted() const { return replies_off || skips_reply; }
  /// CLIENT LIST TYPE: who has subscribed to anything is no normal client.
  bool is_subscriber() const { return subscriptions.any(); }
  ClientClass output_class() const {
    if (is_replica) return ClientClass::replica;
    return is_subscriber() ? ClientClass::pubsub : ClientClass::normal;
  }
  /// Whether it may only subscribe and unsubscribe, and little else: in RESP2, replies could not be
  /// told from messages.
  bool is_confined() const { return subscriptions.any() && resp_version == 2; }
};

}  // namespace picklock
