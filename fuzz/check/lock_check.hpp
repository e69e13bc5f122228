// What a check file says: a lock's scripts and commands, and how clients use them.
//
// Plain values. Read by read_check_file(), overridden by the command line, run by run_check().
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/race.hpp>

#include "fuzz/check/word.hpp"

namespace picklock::race {

/// One reply that means something.
struct Rule {
  enum class Type : std::uint8_t {
    integer,  ///< This integer, never a string of it.
    text,     ///< This string or status, never an integer.
    null,     ///< `false`, as in a script: nil.
    truthy,   ///< `true`, as a client library has it: neither nil, 0, "" nor an error.
    past,     ///< "$past": a string that is an instant which the client's wall clock has passed.
  };
  Type type = Type::truthy;
  std::int64_t integer = 0;
  Word text;
};

/// One request.
struct CheckStep {
  std::string script;  ///< Lua source; empty: `words` is a whole command.
  std::string digest;
  std::vector<Word> words;  ///< A command; of a script what follows its digest.
  std::vector<Rule> success;
  std::vector<Rule> goes_on;  ///< Replies after which the next step is sent.
};
/// Requests in a row. A step without `goes_on` goes on by its success, up to the last.
using Requests = std::vector<CheckStep>;

struct LockCheck {
  std::string name;  ///< In replay strings.
  std::string file;  ///< As it was given.
  std::string key = "lock";
  Requests acquire;
  Requests release;
  Requests extend;  ///< May be empty.
  int clients = 2;
  int rounds = 1;
  int depth = 1;  ///< How often a holder takes the lock.
  std::int64_t ttl_ms = 1000;
  Faults faults;
  std::chrono::milliseconds max_delay{5};
  bool retry = false;        ///< A client sends again what was not answered.
  bool watchdog = false;     ///< A holder extends the lock for as long as it is inside.
  bool arguments = true;     ///< Whether bad ttls are tried.
  std::uint64_t digest = 0;  ///< Of everything above but clients, rounds, ttl and faults.
};

inline constexpr int kMostClients = 8;
inline constexpr int kMostRounds = 100;
inline constexpr int kMostDepth = 8;
inline constexpr std::int64_t kLongestTtlMs = 100'000'000;

/// The names by which an operation goes in messages.
inline constexpr std::string_view kAcquire = "acquire";
inline constexpr std::string_view kRelease = "release";
inline constexpr std::string_view kExtend = "extend";

bool uses(const Requests& operation, Slot slot);
/// How long the server keeps the lock after `acquire`, as its client counts it.
Duration lease_of(const LockCheck& check);
/// The name of client `index`.
std::string_view client_name(int index);
/// Everything that a placeholder stands for, but $until_ms and $heard.
SlotValues slot_values(const LockCheck& check, int client, int round);

/// What a reply means to a step: whether it is among `rules`.
bool matches(const std::vector<Rule>& rules, const Reply& reply, const SlotValues& values,
             std::int64_t wall_ms);
/// "1 (an integer)", "\"1\" (a string)": for messages.
std::string phrase_exact(const Reply& reply);
std::string phrase_rules(const std::vector<Rule>& rules, const SlotValues& values);

}  // namespace picklock::race
