// MULTI, EXEC and WATCH as a session knows them: the queue and the watched keys.
//
// Plain values, so that a snapshot carries them along.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/commands/command.hpp"
#include "emulator/keyspace/keyspace.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

struct SessionState;

/// A command that waits for EXEC.
struct QueuedCommand {
  const Command* command;
  std::vector<std::string> words;
  std::uint32_t flags;  ///< What it may do, see request_flags().
};

struct Transaction {
  bool aborted = false;    ///< A command could not be queued: EXEC will refuse.
  bool executing = false;  ///< EXEC is at work: nothing may block.
  std::vector<QueuedCommand> queue;
};

/// A key under WATCH, as it was then.
struct Watch {
  int database;
  std::string key;
  std::uint64_t version;
  bool was_expired;  ///< The key was there, but had expired.
};

/// Puts `words` behind the commands that wait for EXEC.
void queue_command(Transaction& transaction, const Command& command, Args words,
                   std::uint32_t flags);
/// Watches `key` of the session's database, unless it does so already.
void watch(Keyspace& keyspace, SessionState& session, std::string_view key, std::int64_t now_ms);
/// Ends all watches of the session.
void unwatch_all(Keyspace& keyspace, SessionState& session);
/// Ends the session's transaction and watches without executing anything.
void discard(Keyspace& keyspace, SessionState& session);
/// What a watch has come to.
WatchedKeys::Outcome look(const Keyspace& keyspace, const Watch& watch);
/// Whether a watched key has been touched since.
bool is_touched(const Keyspace& keyspace, const SessionState& session);
/// Whether a watched key has expired since, though nobody may have touched it.
bool has_expired_watch(const Keyspace& keyspace, const SessionState& session, std::int64_t now_ms);

}  // namespace picklock
