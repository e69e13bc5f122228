// What keeps a well-formed request from running: slots of a cluster, memory, the state of
// replication.
//
// Redis 7.0: processCommand and scriptCall, in that order. Asked only while one of these is in
// force, see Engine::review_guards().
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emulator/commands/command.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class Engine;
struct Session;
struct ScriptGuard;
struct Shebang;

struct Refusal {
  std::string error;
  bool for_slots = false;  ///< Redis answers these without a word about EXEC.
};

/// Why a request of a client may not run, or nullopt. Evicts keys first where a policy asks for it,
/// but not while a script runs.
std::optional<Refusal> refusal(Engine& engine, Session& session, const Command& command,
                               Args words);

/// Whether the server is a replica whose data are too old for a request.
bool is_too_stale(Engine& engine, const Session& session, const Command& command, Args words);

/// Why a script may not begin, or nullopt. Redis 7.0: scriptPrepareForRun.
std::optional<std::string_view> refusal_of_script(const Engine& engine, const Shebang& shebang,
                                                  bool read_only_command);

/// What one run of a script has to keep in mind for guarding its commands.
struct ScriptGuard {
  bool has_flags = false;  ///< It begins with "#!".
  bool allows_oom = false;
  bool allows_cross_slots = false;
  bool has_written = false;  ///< From then on it is not stopped half-way.
};

/// Whether the server is a replica whose data are too old for `command`. Redis asks it within a
/// script before anything else but the number of words.
bool is_denied_as_stale(const Engine& engine, const Command& command);
/// The error for a command within a script, or nullopt.
std::optional<std::string_view> refusal_in_script(Engine& engine, Session& session,
                                                  ScriptGuard& guard, const Command& command,
                                                  Args words);

/// Whether the server is a replica that nobody may write to.
bool is_read_only_replica(const Engine& engine);

/// Whether anything is in force that the two functions above would look at.
bool needs_guarding(const Engine& engine);

}  // namespace picklock
