// Which clients cache which keys, and what they are told when a key changes. Redis 7.0, tracking.c.
//
// TrackingTable is the memory, a copyable value that a snapshot carries along; the functions below
// act on an engine and its sessions. In broadcasting mode messages leave at the end of a turn, in
// the default mode at once, but to the client at work only behind its reply.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/seldom.hpp"
#include "emulator/commands/command.hpp"
#include "emulator/keyspace/dict.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class Engine;
struct Session;

/// How a session tracks keys (CLIENT TRACKING ON).
struct TrackingMode {
  bool broadcast = false;
  bool opt_in = false;
  bool opt_out = false;
  bool no_loop = false;
  bool caching = false;        ///< CLIENT CACHING has been called for the next command.
  bool broken = false;         ///< The client that messages go to has gone.
  std::uint64_t redirect = 0;  ///< Where messages go; 0 for the session itself.
  std::set<std::string, std::less<>> prefixes = {};  ///< Of the broadcasting mode.
};

class TrackingTable {
 public:
  using Clients = std::vector<std::uint64_t>;  // In ascending order.
  struct Prefix {
    Clients clients;
    /// Keys changed since the last broadcast, each with the session that changed it last.
    std::map<std::string, std::uint64_t, std::less<>> changed;
  };

  std::size_t sessions = 0;  ///< Sessions that track.
  Dict<Clients> keys;        ///< Who has read what, in the default mode.
  std::size_t items = 0;     ///< Clients, summed over all keys.
  Seldom<std::map<std::string, Prefix, std::less<>>> prefixes;
  /// What the session at work is told once it has its reply: keys, or empty for all of them.
  Seldom<std::vector<std::optional<std::string>>> pending;
  bool has_new_limit = false;  ///< To be heeded though no request comes.

  bool is_needed() const { return sessions > 0 || !keys.empty(); }
};

/// Starts tracking, or changes the mode of a session that tracks already.
void start_tracking(Engine& engine, Session& session, const TrackingMode& mode);
void stop_tracking(Engine& engine, Session& session);
/// Remembers the keys of a request that the session has read, as its mode asks for.
void remember_keys(Engine& engine, Session& session, const Command& command, Args words);
/// Takes the changes that the databases have collected, and tells who caches the keys. `writer` is
/// the session at work, null if there is none; while it is in the middle of a request, what it is
/// told itself waits.
void invalidate_changed(Engine& engine, Session* writer, bool in_request);
/// Tells the session at work what has waited for the end of its request.
void send_pending(Engine& engine, Session& session);
/// Tells the clients in broadcasting mode what has changed since the last time.
void broadcast_changes(Engine& engine);
/// Forgets keys, drawn by chance, beyond the setting tracking-table-max-keys.
void limit_tracked_keys(Engine& engine);

}  // namespace picklock
