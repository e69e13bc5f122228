// What INFO counts: commands, their durations, errors by their codes.
//
// Counted at every command, so that counters of commands lie in an array; a command gets its place
// when it is first used. A copyable value; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <picklock/clock.hpp>

#include "emulator/base/copy_on_write.hpp"
#include "emulator/commands/command.hpp"

namespace picklock {

struct CommandCounters {
  const Command* command = nullptr;
  std::uint64_t calls = 0;
  std::uint64_t microseconds = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::uint64_t timed = 0;  ///< Calls whose durations are known.
  /// The durations other than 0, in microseconds, and how often each came.
  CopyOnWrite<std::map<std::int64_t, std::uint64_t>> durations = {};

  void time(Duration duration) {
    ++timed;
    if (duration.count() > 0) ++durations.edit()[bucket(duration.count())];
  }
  void forget_durations() {
    timed = 0;
    durations.reset();
  }

 private:
  /// Two significant digits are kept, so that there is no end to the precision but one to the size.
  static std::int64_t bucket(std::int64_t microseconds) {
    std::int64_t unit = 1;
    while (microseconds / unit >= 256) unit *= 2;
    return microseconds / unit * unit;
  }
};

/// Put back for every simulated run, so that what commands were used in it is forgotten one by one.
class CountersByCommand {
 public:
  CountersByCommand() = default;
  CountersByCommand(const CountersByCommand&) = default;
  CountersByCommand(CountersByCommand&&) noexcept = default;
  CountersByCommand& operator=(const CountersByCommand& other) {
    const auto [own, others] = std::ranges::mismatch(all, other.all, {}, &CommandCounters::command,
                                                     &CommandCounters::command);
    if (others == other.all.end())
      for (auto it = own; it != all.end(); ++it) places_[it->command->number] = 0;
    else
      places_ = other.places_;
    all = other.all;
    return *this;
  }
  CountersByCommand& operator=(CountersByCommand&&) noexcept = default;
  ~CountersByCommand() = default;

  CommandCounters& of(const Command& command) {
    if (command.number >= places_.size() || places_[command.number] == 0) [[unlikely]]
      add(command);
    return all[places_[command.number] - 1U];
  }
  const CommandCounters* find(const Command& command) const {
    if (command.number >= places_.size() || places_[command.number] == 0) return nullptr;
    return &all[places_[command.number] - 1U];
  }

  std::vector<CommandCounters> all;  ///< In order of their first use.

 private:
  void add(const Command& command) {
    if (command.number >= places_.size()) places_.resize(command.number + 1U);
    all.emplace_back().command = &command;
    places_[command.number] = static_cast<std::uint16_t>(all.size());
  }

  std::vector<std::uint16_t>
      places_;  // By a row's number; 0 for none, else one more than the place.
};

class Stats {
 public:
  using Codes = std::map<std::string, std::uint64_t, std::less<>>;

  std::uint64_t connections = 0;
  std::uint64_t rejected_connections = 0;
  std::uint64_t commands = 0;
  std::uint64_t errors = 0;
  std::uint64_t evicted = 0;
  std::uint64_t full_syncs = 0;  ///< Those that replicas were given.
  std::uint64_t partial_syncs = 0;
  std::uint64_t refused_partial_syncs = 0;

  CommandCounters& of(const Command& command) { return by_command_.of(command); }
  /// Null for a command that has not been used.
  const CommandCounters* find(const Command& command) const { return by_command_.find(command); }
  /// Those of the commands in use, in order of their first use.
  const std::vector<CommandCounters>& counters() const { return by_command_.all; }

  /// Counts an error under its code, the word before the first blank.
  void count_error(std::string_view text) {
    ++errors;
    // Redis 7.0, afterErrorReply: the code must come within 32 bytes, its leading '-' included.
    const auto blank = text.substr(0, 31).find(' ');
    const std::string_view code =
        blank == std::string_view::npos ? std::string_view{"ERR"} : text.substr(0, blank);
    Codes& codes = codes_.edit();
    const auto found = codes.find(code);
    if (found != codes.end())
      ++found->second;
    else
      codes.emplace(code, 1);
  }
  const Codes& codes() const { return *codes_; }

 private:
  CountersByCommand by_command_;
  CopyOnWrite<Codes> codes_;
};

}  // namespace picklock
