// What PICKLOCK NODE asks of the program around the engine: one of several servers in one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <picklock/emulator.hpp>

namespace picklock {

/// A server and what is to become of it. The names were looked at, but whether there are such
/// servers and whether they can do it is for those who carry it out.
struct NodeOrder {
  enum class Kind : std::uint8_t {
    add,
    apply,
    clock_drift,
    clock_freeze,
    clock_step,
    clock_thaw,
    connect,
    cut,
    lag,
    list,
    pending,
    promote,
    restart,
    start,
    stop,
  };
  /// Of `count`: all that there are.
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

  Kind kind = Kind::list;
  std::string name = {};   ///< Of the server; for all but `list`.
  std::string other = {};  ///< add, connect: whom it is to follow; empty: nobody is named.
  std::optional<std::uint16_t> port = {};  ///< add; empty: one that is free.
  std::size_t count = 0;                   ///< lag: units that wait; apply: units that pass.
  std::int64_t number = 0;  ///< clock_drift: parts in a million; clock_step: milliseconds.
  Restart kept = Restart::keeps_all;  ///< restart, start.
};

}  // namespace picklock
