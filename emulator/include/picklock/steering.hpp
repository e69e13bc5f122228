// What a test may do to a server beside its clock: faults that strike requests, and the trace of the
// last ones.
//
// Values, safe from any thread. Emulator::add_fault() and its siblings take them, and so does the
// command PICKLOCK FAULT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <picklock/clock.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// Something that goes wrong with a request. PICKLOCK itself is never struck, nor is what a script
/// or EXEC calls: a fault strikes what a client sends.
struct RequestFault {
  enum class Action : std::uint8_t {
    error,         ///< `text` is the reply; the request is not carried out.
    delay,         ///< It is carried out `delay` later on the server's clock.
    drop_request,  ///< It never arrives, and nothing that its connection sends later does.
    drop_reply,    ///< It is carried out; its reply and all later ones of the connection are lost.
    close,         ///< The connection breaks before it is carried out,
    close_after,   ///< and after that, without a reply.
  };

  Action action = Action::drop_reply;
  std::string text = {};
  Duration delay{0};

  /// Which requests it may strike; empty stands for all. A command's name ("set", "client|list",
  /// or "client" for all its subcommands), a pattern for one of its keys, one for CLIENT SETNAME's.
  std::string command = {};
  std::string key = {};
  std::string client = {};
  /// It strikes the `nth` such request, counted from 1, and in all `times`; 0 stands for every one
  /// from then on.
  std::uint64_t nth = 1;
  std::uint64_t times = 1;

  bool operator==(const RequestFault&) const = default;
};

/// A fault that was added, and what has become of it.
struct FaultState {
  std::uint64_t id = 0;  ///< Counts up from 1.
  RequestFault fault;
  std::uint64_t matched = 0;  ///< Requests that it might have struck.
  std::uint64_t struck = 0;
  bool operator==(const FaultState&) const = default;
};

/// One request, as the trace keeps it.
struct TraceLine {
  Instant at;
  std::uint64_t client = 0;  ///< CLIENT ID.
  std::string name;          ///< CLIENT SETNAME, or else the client's address.
  int database = 0;
  std::string request;  ///< Quoted as MONITOR does; long words are cut.
  std::string reply;    ///< As redis-cli shows it on one line, cut; "(waits)" until it comes.
  std::uint64_t changes = 0;  ///< To keys, as INFO counts them.
  std::string fault;          ///< The fault that struck it, in the words of PICKLOCK FAULT ADD.
  bool operator==(const TraceLine&) const = default;
};

}  // namespace picklock

#pragma GCC visibility pop
