// What a test may do to a server beside its clock: faults that strike requests, and the trace of
// the last ones.
//
// Values, safe from any thread. Emulator::add_fault() and its siblings take them, and so does the
// command PICKLOCK FAULT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <picklock/clock.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// Something that goes wrong with a request. PICKLOCK itself is never struck, nor is what a script
/// or EXEC calls: a fault strikes what a client sends.
struct RequestFault {
  /// What becomes of the request.
  enum class Action : std::uint8_t {
    error,         ///< `text` is the reply; the request is not carried out.
    delay,         ///< It is carried out `delay` later on the server's clock.
    drop_request,  ///< It never arrives, and nothing that its connection sends later does.
    drop_reply,    ///< It is carried out; its reply and all later ones of the connection are lost.
    close,         ///< The connection breaks before it is carried out,
    close_after,   ///< and after that, without a reply.
  };

  /// The fault's kind.
  Action action = Action::drop_reply;
  /// Of Action::error: an error reply with its code, such as "BUSY wait".
  std::string text = {};
  /// Of Action::delay: not negative.
  Duration delay{0};

  /// Which requests it may strike; empty stands for all. A command's name ("set", "client|list",
  /// or "client" for all its subcommands), a pattern for one of its keys, one for CLIENT SETNAME's.
  std::string command = {};
  /// A glob pattern for one of its keys.
  std::string key = {};
  /// A glob pattern for the name that CLIENT SETNAME gave.
  std::string client = {};
  /// It strikes the `nth` such request, counted from 1, and in all `times`; 0 stands for every one
  /// from then on.
  std::uint64_t nth = 1;
  /// How many requests it strikes in all; 0: every one from the nth on.
  std::uint64_t times = 1;

  bool operator==(const RequestFault&) const = default;
};

/// A fault that was added, and what has become of it.
struct FaultState {
  std::uint64_t id = 0;       ///< Counts up from 1.
  RequestFault fault;         ///< As it was added.
  std::uint64_t matched = 0;  ///< Requests that it might have struck.
  std::uint64_t struck = 0;   ///< Requests that it did strike.
  bool operator==(const FaultState&) const = default;
};

/// What became of one key during a request, or while time passed.
struct TraceEffect {
  /// How it fared.
  enum class Kind : std::uint8_t {
    changed,  ///< It was made, or is another one now; its deadline counts, too.
    deleted,  ///< By a command, or evicted.
    expired,  ///< Its deadline had passed, and it was removed.
    flushed,  ///< All keys of the database went; `key` is empty.
  };
  Kind kind = Kind::changed;  ///< What became of it.
  int database = 0;           ///< Where the key stands.
  std::string key;            ///< Whole, however long.
  /// CLIENT ID of the one whose request it was: not that of the line if a client that had waited
  /// was served meanwhile; 0: the clock's.
  std::uint64_t client = 0;
  bool operator==(const TraceEffect&) const = default;
};

/// One request, as the trace keeps it; or, without a client, what expired while the clock moved.
struct TraceLine {
  Instant at;                 ///< When it came, on the emulator's clock.
  std::uint64_t client = 0;   ///< CLIENT ID; 0: no request, but the clock.
  std::string name;           ///< CLIENT SETNAME, or else the client's address.
  int database = 0;           ///< The one that its connection had selected.
  std::string request;        ///< Quoted as MONITOR does; long words are cut.
  std::string reply;          ///< As redis-cli shows it on one line, cut; "(waits)" until it comes.
  std::uint64_t changes = 0;  ///< To keys, as INFO counts them.
  std::string fault;          ///< The fault that struck it, in the words of PICKLOCK FAULT ADD.
  /// What became of keys, in order, each key once for what became of it; the first 64.
  std::vector<TraceEffect> effects;
  std::uint64_t more_effects = 0;  ///< How many there were beyond those.
  bool operator==(const TraceLine&) const = default;
};

}  // namespace picklock

#pragma GCC visibility pop
