// What steers an engine from outside: faults, the trace, named snapshots, and the way to the
// program around it.
//
// Part of every engine, idle until somebody uses it; no part of a snapshot. Belongs to the engine's
// thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/control/faults.hpp"
#include "emulator/engine/control/trace.hpp"
#include "emulator/engine/engine.hpp"

namespace picklock {

struct NodeOrder;
class Sentinel;

/// What only the program around the engine can do: files, real time, other servers. An emulator
/// without a server has none.
class ControlHost {
 public:
  virtual ~ControlHost() = default;
  /// The bytes of a file, or nullopt with the reason in `why`.
  virtual std::optional<std::string> read_file(const std::string& path, std::string& why) = 0;
  /// False with the reason in `why`; all or nothing.
  virtual bool write_file(const std::string& path, std::string_view text, std::string& why) = 0;
  /// Listens on `port` of every address of the list, as redis.conf's `bind` has it, instead of
  /// where it does now; 0: on no port. False, with everything as before, if it cannot.
  virtual bool listen_on(const std::string& addresses, std::uint16_t port) = 0;
  /// `session` has begun to wait at a barrier: end that after `limit` of real time.
  virtual void limit_barrier(std::uint64_t session, std::chrono::milliseconds limit) = 0;
  /// Makes another server behind the same port; false if there is one of that name.
  virtual bool make_server(const std::string& name) = 0;
  /// Moves the connection of `session` to the server of that name, as soon as its request has been
  /// answered; false if there is none.
  virtual bool use_server(std::uint64_t session, const std::string& name) = 0;
  /// Carries `order` out once the present request of `session`, which is held back, has ended, and
  /// answers it then.
  virtual void carry_out(std::uint64_t session, NodeOrder order) = 0;
  /// A number that no other server draws: the histories of two servers must not have one name.
  virtual std::uint64_t draw() = 0;
};

/// What a crash would leave where the file is synchronised once a second.
struct SyncedData {
  std::int64_t second = 0;    ///< In which it was written, since the Unix epoch.
  std::uint64_t changes = 0;  ///< The keyspace's, when it was.
  Keyspace keyspace;
  std::shared_ptr<const Libraries> libraries;
};

struct Control {
  Control(const Options& the_options, Instant now) : options(the_options), made_at(now) {}

  const Options options;  ///< Those that the engine was made with.
  const Instant made_at;  ///< What its clock showed then.
  Faults faults;
  Trace trace;
  std::map<std::string, std::shared_ptr<const Engine::State>, std::less<>> snapshots;
  /// Its process has ended, so to say: who steers it may still do that, and nothing else.
  bool stopped = false;
  /// How often the engine was put back to a state.
  std::uint64_t returns = 0;
  /// Where PICKLOCK RESET goes; a new engine's state, if null.
  std::shared_ptr<const Engine::State> start;
  /// Null: no file is kept.
  std::unique_ptr<SyncedData> disk;
  ControlHost* host = nullptr;  ///< Borrowed; null if there is none.
  /// The file that the settings came from, which CONFIG REWRITE writes anew; empty: none.
  std::string config_file;
  /// Carries a channel and a message to the other nodes of a cluster; empty: to nobody.
  std::function<void(std::string_view, std::string_view)> on_publish;
  /// Who watches other servers, if this is a sentinel; borrowed.
  Sentinel* sentinel = nullptr;
  /// Sessions that wait until so many others do.
  std::map<std::uint64_t, std::size_t> barriers;
};

/// Keeps the last `most` requests and what they did to keys from now on; 0: none.
void keep_trace(Engine& engine, std::size_t most);

/// Answers the barriers that are reached.
void look_at_barriers(Engine& engine);
/// Ends the wait of a session at a barrier with an error, if it still waits.
void give_up_barrier(Engine& engine, std::uint64_t session);

/// Ends every connection that `chooses(const Session&)` picks.
template <class Chooses>
void end_connections(Engine& engine, Chooses&& chooses) {
  std::vector<Session*> doomed;
  for (const auto& [id, session] : engine.sessions())
    if (chooses(*session)) doomed.push_back(session.get());
  for (Session* session : doomed) engine.kill(*session);
}

/// Moves the clock to `instant`, backwards too; false if it cannot be moved.
bool set_clock(Engine& engine, Instant instant);

/// Puts everything back to `state`, the clock too if it can be moved. Ends the connections that the
/// state does not know, and those that wait now or waited then, but not that of `caller`, which
/// stays in any case, as new if the state does not know it. Null: nobody asks.
void return_to(Engine& engine, const Engine::State& state, Session* caller);
/// The state that a server begins in.
Engine::State start_state(const Engine& engine);
/// As Engine::restore(), but the server goes on listening where it does.
void restore_in_place(Engine& engine, const Engine::State& state);
/// Puts everything but the connections back to where it was when the emulator was made; those that
/// wait, or are in a transaction, end.
void start_over(Engine& engine, Session* caller);

}  // namespace picklock
