// What scripts did, for those who write them: their log, every call, coverage, keys not declared.
//
// Values, safe from any thread. Emulator::script_log() and Emulator::script_report() make them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <picklock/clock.hpp>
#include <picklock/reply.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// redis.LOG_DEBUG and its siblings.
enum class LogLevel : std::uint8_t { debug = 0, verbose = 1, notice = 2, warning = 3 };

/// What a script gave to redis.log.
struct LogLine {
  LogLevel level;
  std::string text;
  Instant at;
  bool operator==(const LogLine&) const = default;
};

/// What happened while Emulator::watch_scripts() was on. `script` is always the name that
/// Emulator::name_script() gave, else "lua/scripts/<name>.lua" of one of those, else the SHA-1, or a
/// function's name; a line counts from 1, of a function in its library, and is 0 where it is not
/// known.
struct ScriptReport {
  /// A key before and after a call, as Emulator::dump() shows values; empty: it does not exist.
  struct Change {
    int database;
    std::string key;
    std::string before;
    std::string after;
    bool operator==(const Change&) const = default;
  };
  /// One redis.call or redis.pcall, in order. Changes are those of the keys that the command names.
  struct Call {
    std::string script;
    int line;
    std::vector<std::string> words;
    Reply reply;
    std::vector<Change> changes;
  };
  /// A key that a command was given though it does not stand in KEYS; each line and key once.
  struct Undeclared {
    std::string script;
    int line;
    std::string command;
    std::string key;
    bool operator==(const Undeclared&) const = default;
  };
  /// How a script ended that raised an error: the text without what the server adds to it.
  struct Error {
    std::string script;
    int line;
    std::string text;
    bool operator==(const Error&) const = default;
  };
  /// How often a line began to run.
  struct Line {
    int number;
    std::uint64_t runs;
    bool operator==(const Line&) const = default;
  };
  /// Every line of a script that holds code.
  struct Coverage {
    std::string script;
    std::vector<Line> lines;
    bool operator==(const Coverage&) const = default;
  };

  std::vector<Call> calls;
  std::vector<Undeclared> undeclared;
  std::vector<Error> errors;
  std::vector<Coverage> coverage;  ///< In order of names.

  /// Adds what happened in another run: `report.add(other)` sums coverage up over a search.
  void add(const ScriptReport& other);
  /// For people: a line a call, then warnings and errors as "name:line: text", then the coverage,
  /// with the lines that never ran.
  std::string to_string() const;
};

}  // namespace picklock

#pragma GCC visibility pop
