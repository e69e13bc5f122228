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
  LogLevel level;    ///< As the script gave it.
  std::string text;  ///< Its arguments, joined by spaces.
  Instant at;        ///< On the emulator's clock.
  bool operator==(const LogLine&) const = default;
};

/// What happened while Emulator::watch_scripts() was on. `script` is always the name that
/// Emulator::name_script() gave, else "lua/scripts/<name>.lua" of one of those, else the SHA-1, or
/// a function's name; a line counts from 1, of a function in its library, and is 0 where it is not
/// known.
struct ScriptReport {
  /// A key before and after a call, as Emulator::dump() shows values; empty: it does not exist.
  struct Change {
    int database;        ///< From 0.
    std::string key;     ///< Its name.
    std::string before;  ///< Empty: it did not exist.
    std::string after;   ///< Empty: it is gone.
    bool operator==(const Change&) const = default;
  };
  /// One redis.call or redis.pcall, in order. Changes are those of the keys that the command names.
  struct Call {
    std::string script;              ///< Its name.
    int line;                        ///< Where the call stands.
    std::vector<std::string> words;  ///< The command and its arguments.
    Reply reply;                     ///< What the script was given; an error too.
    std::vector<Change> changes;     ///< Empty: the call changed nothing that it names.
  };
  /// A key that a command was given though it does not stand in KEYS; each line and key once.
  struct Undeclared {
    std::string script;   ///< Its name.
    int line;             ///< Where the call stands.
    std::string command;  ///< As the script wrote it.
    std::string key;      ///< The key that should have been declared.
    bool operator==(const Undeclared&) const = default;
  };
  /// How a script ended that raised an error: the text without what the server adds to it.
  struct Error {
    std::string script;  ///< Its name.
    int line;            ///< Where it was raised.
    std::string text;    ///< What was raised.
    bool operator==(const Error&) const = default;
  };
  /// How often a line began to run.
  struct Line {
    int number;          ///< From 1.
    std::uint64_t runs;  ///< 0: never.
    bool operator==(const Line&) const = default;
  };
  /// Every line of a script that holds code.
  struct Coverage {
    std::string script;       ///< Its name.
    std::vector<Line> lines;  ///< In order.
    bool operator==(const Coverage&) const = default;
  };

  std::vector<Call> calls;             ///< In order; none after cover_scripts().
  std::vector<Undeclared> undeclared;  ///< In order of their first time.
  std::vector<Error> errors;           ///< In order.
  std::vector<Coverage> coverage;      ///< In order of names.

  /// Adds what happened in another run: `report.add(other)` sums coverage up over a search.
  void add(const ScriptReport& other);
  /// For people: a line a call, then warnings and errors as "name:line: text", then the coverage,
  /// with the lines that never ran.
  std::string to_string() const;
};

}  // namespace picklock

#pragma GCC visibility pop
