// The matrix of verdicts against what is known of each lock, and its pages.
#include "fuzz/gallery/verdicts.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include <picklock/lock/script_lock.hpp>

#include "tests/race/run_words.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

constexpr Class kHolds = Class::holds;
constexpr Class kLimit = Class::documented_limit;
constexpr Class kBroken = Class::violation;
constexpr Class kUnusable = Class::unusable;

using Expected = std::map<std::string_view, Class>;

/// A lock that is sound but for what no lock of its kind survives: a holder that sleeps beyond the
/// ttl, a server that forgets the lock or whose clock leaps, a key deleted by hand, a replica that
/// takes over and has not heard of it.
Expected sound(Expected but = {}) {
  Expected all{{"pause", kLimit},
               {"restart", kLimit},
               {"clock", kLimit},
               {"eviction", kLimit},
               {"failover", kLimit}};
  for (const auto& [condition, verdict] : but) all[condition] = verdict;
  return all;
}
/// The server counts its holds: what is sent again is counted again, and a ttl of 0 deletes the
/// lock and says that it is held.
Expected counting(Expected but = {}) {
  but.insert({{"lost-reply", kBroken},
              {"duplicate", kBroken},
              {"reset", kBroken},
              {"restart", kBroken},
              {"failover", kBroken},
              {"ttl-0", kBroken}});
  return sound(std::move(but));
}
Expected everywhere(Class verdict) {
  Expected all;
  for (const Condition& condition : conditions()) all[condition.name] = verdict;
  return all;
}

/// What is known of every lock; a condition that is not named: it holds. Refused by the server or
/// by the client (a ttl of 0): unusable, never "held".
const std::map<std::string_view, Expected>& known() {
  static const std::map<std::string_view, Expected> all{
      // A ttl of 0 never expires, so a crashed holder blocks all for ever.
      {"simple-setnx", sound({{"ttl-0", kBroken}})},
      // Taking it again does not lengthen the ttl, so an inner section outlives the lock.
      {"reentrant-hash", counting({{"re-entry", kBroken}})},
      {"reentrant-hget", counting()},
      {"reentrant-renew", counting()},
      // Its timers go on after the release, whatever else happens.
      {"reentrant-renew-client", everywhere(kBroken)},
      // The corrected timers: sound but for what the scripts cannot do.
      {"watchdog", counting()},
      {"set-nx-px", sound({{"ttl-0", kUnusable}})},
      {"set-nx-px-script", sound({{"ttl-0", kUnusable}})},
      // A release that does not compile is no race.
      {"typo-release", everywhere(kUnusable)},
      {"setex-unpack", sound({{"ttl-0", kUnusable}})},
      // A lease a thousand times too long: whoever vanishes, or believes to have failed, blocks
      // all.
      {"setex-unpack-client", sound({{"crash", kBroken},
                                     {"lost-reply", kBroken},
                                     {"duplicate", kBroken},
                                     {"reset", kBroken},
                                     {"restart", kBroken},
                                     {"failover", kBroken},
                                     {"ttl-0", kUnusable}})},
      // Sound while the clients' clocks agree; a ttl of 0 is past as soon as it is written.
      {"timestamp-getset",
       {{"pause", kLimit},
        {"restart", kLimit},
        {"failover", kLimit},
        {"client-clock", kBroken},
        {"ttl-0", kBroken}}},
      // A late DEL hits the next holder; so does one that is sent or carried out again.
      {"del-without-check", sound({{"pause", kBroken},
                                   {"lost-reply", kBroken},
                                   {"duplicate", kBroken},
                                   {"reset", kBroken},
                                   {"partition", kBroken},
                                   {"restart", kBroken},
                                   {"failover", kBroken},
                                   {"clock", kBroken},
                                   {"eviction", kBroken},
                                   {"ttl-0", kUnusable}})},
      // Between GET and DEL the lock may change hands.
      {"get-then-del", sound({{"delay", kBroken},
                              {"pause", kBroken},
                              {"lost-reply", kBroken},
                              {"duplicate", kBroken},
                              {"reset", kBroken},
                              {"partition", kBroken},
                              {"restart", kBroken},
                              {"failover", kBroken},
                              {"clock", kBroken},
                              {"eviction", kBroken},
                              {"ttl-0", kUnusable}})},
      // Whatever ends the way between SETNX and EXPIRE leaves a lock for ever.
      {"setnx-then-expire", sound({{"crash", kBroken},
                                   {"lost-reply", kBroken},
                                   {"duplicate", kBroken},
                                   {"reset", kBroken},
                                   {"restart", kBroken},
                                   {"failover", kBroken},
                                   {"eviction", kBroken},
                                   {"refusal", kBroken},
                                   {"ttl-0", kBroken}})},
      // A vote that is given twice is a limit: a node forgets, or its clock leaps.
      {"redlock", sound({{"ttl-0", kUnusable}})},
      {"redlock-value-per-node", sound({{"ttl-0", kUnusable}})},
      {"client-lock", sound({{"ttl-0", kUnusable}})},
      {"client-watchdog", sound({{"ttl-0", kUnusable}})},
      {"client-reentrant", sound({{"ttl-0", kUnusable}})},
      // What it guards looks at the token: no pause, no leap and no lost data lets an older one in.
      {"client-fenced", {{"ttl-0", kUnusable}}},
      {"client-fair", sound({{"ttl-0", kUnusable}})},
      {"client-read-write", sound({{"ttl-0", kUnusable}})},
      {"client-semaphore", sound({{"ttl-0", kUnusable}})},
      // Nothing is held, so nothing can be overslept.
      {"client-latch", {{"ttl-0", kUnusable}}},
      {"client-multi", sound({{"ttl-0", kUnusable}})},
      {"client-redlock", sound({{"ttl-0", kUnusable}})},
      // Nobody looks at the ttl before the servers do, and they refuse: nobody holds it.
      {"redlock-once", sound({})},
      // Over five servers so few schedules do not come to it; failover_test.cpp replays it.
      {"redlock-once-5", sound({{"pause", kHolds}})},
      // The founding case: a replica is promoted that has not heard of the lock.
      {"failover", sound({{"ttl-0", kUnusable}})},
      // It counts on what the replica has confirmed only.
      {"failover-wait", sound({{"failover", kHolds}, {"ttl-0", kUnusable}})},
  };
  return all;
}

Class expected_of(const GalleryLock& lock, const Condition& condition) {
  const Expected& row = known().at(lock.name);
  const auto found = row.find(condition.name);
  return found == row.end() ? kHolds : found->second;
}

/// A cell is right if it says what is known. A sample may miss what is rare, but never accuses.
void check(const Cell& cell, bool thorough) {
  if (!cell.applies) return;
  const Class expected = expected_of(*cell.lock, *cell.condition);
  INFO(cell.lock->name << ", " << cell.condition->name << ": " << phrase_cell(cell) << ", expected "
                       << to_string(expected) << "\n"
                       << cell.verdict.message << "\n"
                       << cell.verdict.replay_line);
  if (thorough) {
    CHECK(cell.verdict.verdict == expected);
  } else {
    CHECK(cell.verdict.verdict <= expected);
  }
  if (cell.verdict.verdict == kHolds) return;
  const LockSettings settings = settings_of(*cell.lock, *cell.condition);
  const Verdict again = replay(cell.verdict.replay, make_scenario(*cell.lock, settings),
                               make_options(*cell.lock, settings));
  CHECK(again.verdict == cell.verdict.verdict);
  CHECK(again.message == cell.verdict.message);
}

bool is_provable(const GalleryLock& lock) { return lock.protocol != nullptr && !lock.by_majority; }

bool is_sound(const GalleryLock& lock) {
  return is_provable(lock) && std::ranges::none_of(kFaultKinds, [&](const FaultKind& kind) {
           const Condition* condition = find_condition(kind.name);
           return expected_of(lock, *condition) > kLimit;
         });
}

}  // namespace

TEST_CASE("the gallery has every founding protocol and every primitive, and all are known") {
  for (const picklock::WellKnownProtocol& protocol : picklock::well_known_protocols()) {
    INFO(protocol.name);
    const GalleryLock* lock = find_lock(protocol.name);
    REQUIRE(lock != nullptr);
    CHECK(lock->protocol == &protocol);
  }
  for (const GalleryLock& lock : gallery()) {
    INFO(lock.name);
    CHECK(known().contains(lock.name));
  }
  for (const auto& [name, row] : known()) {
    INFO(name);
    CHECK(find_lock(name) != nullptr);
    for (const auto& [condition, verdict] : row) CHECK(find_condition(condition) != nullptr);
  }
  for (const FaultKind& kind : kFaultKinds) CHECK(find_condition(kind.name) != nullptr);
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kFew = 20;  // Ten times slower.
constexpr std::uint64_t kFewest = 2;
#else
constexpr std::uint64_t kFew = 150;
constexpr std::uint64_t kFewest = 10;
#endif

TEST_CASE("no founding protocol is accused of what it is not, and its replays are exact") {
  for (const GalleryLock& lock : gallery()) {
    if (!is_provable(lock)) continue;
    for (const Condition& condition : conditions())
      check(judge(lock, condition, {.schedules = kFew}), false);
  }
}

TEST_CASE("nothing that goes through the lock client is accused, and its replays are exact") {
  for (const GalleryLock& lock : gallery()) {
    if (is_provable(lock)) continue;
    for (const Condition& condition : conditions())
      check(judge(lock, condition, {.schedules = kFewest}), false);
  }
}

TEST_CASE("what is known of a lock is found by a search of every schedule") {
  // One lock of each kind here; all of them in the long tests.
  for (const char* name : {"setex-unpack", "setnx-then-expire", "typo-release"}) {
    for (const Condition& condition : conditions()) {
      if (condition.max_delay > std::chrono::milliseconds{0}) continue;
      const Cell cell = judge(*find_lock(name), condition, {.exhaustive = 100'000});
      check(cell, true);
      INFO(name << ", " << condition.name);
      CHECK((!cell.applies || cell.is_proved() || cell.verdict.verdict >= kBroken));
    }
  }
}

TEST_CASE("what breaks a lock is found by the property that it breaks") {
  struct Case {
    const char* lock;
    const char* condition;
    Oracle oracle;
  };
  for (const Case& one :
       std::vector<Case>{{"setnx-then-expire", "crash", Oracle::no_ttl},
                         {"simple-setnx", "ttl-0", Oracle::no_ttl},
                         {"del-without-check", "pause", Oracle::ownership},
                         {"get-then-del", "pause", Oracle::ownership},
                         {"timestamp-getset", "client-clock", Oracle::mutual_exclusion},
                         {"reentrant-hash", "re-entry", Oracle::belief},
                         {"reentrant-hget", "lost-reply", Oracle::belief},
                         {"reentrant-renew", "ttl-0", Oracle::hold_count},
                         {"reentrant-renew-client", "none", Oracle::quiescence},
                         {"setex-unpack-client", "crash", Oracle::leaked}}) {
    const Cell cell =
        judge(*find_lock(one.lock), *find_condition(one.condition), {.exhaustive = 100'000});
    INFO(one.lock << ", " << one.condition << ": " << cell.verdict.message);
    CHECK(to_string(cell.verdict.oracle) == to_string(one.oracle));
  }
}

TEST_CASE("two workers on every founding lock are proved under one fault of each kind", "[.all]") {
  std::size_t sound_locks = 0;
  for (const GalleryLock& lock : gallery()) {
    if (!is_provable(lock)) continue;
    sound_locks += is_sound(lock) ? 1 : 0;
    for (const Condition& condition : conditions()) {
      const bool delayed = condition.max_delay > std::chrono::milliseconds{0};
      // Late messages are no fault: what they break is found, and what they do not is proved where
      // the states are few.
      const Cell cell =
          judge(lock, condition, {.schedules = 5'000, .exhaustive = delayed ? 50'000U : 500'000U});
      check(cell, true);
      INFO(lock.name << ", " << condition.name);
      if (cell.applies && !delayed) CHECK((cell.is_proved() || cell.verdict.verdict >= kBroken));
    }
  }
  CHECK(sound_locks >= 4);
}

TEST_CASE("whatever goes through the lock client meets its limits and nothing else", "[.all]") {
  for (const GalleryLock& lock : gallery()) {
    if (is_provable(lock)) continue;
    for (const Condition& condition : conditions())
      check(judge(lock, condition, {.schedules = 3'000}), true);
  }
}

TEST_CASE("the matrix is the same to the byte, and its replay strings replay") {
  const std::vector<std::string> words{"verdicts",
                                       "--schedules",
                                       "100",
                                       "--locks",
                                       "get-then-del,set-nx-px,typo-release",
                                       "--faults",
                                       "none,pause,ttl-0,re-entry",
                                       "--seed",
                                       "3",
                                       "--exhaustive",
                                       "50000"};
  const Outcome outcome = run(words);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == run(words).out);
  CHECK(outcome.out.find("set-nx-px\n  holds, all states:  none (112)\n  pause: documented limit "
                         "(mutual exclusion: ") != std::string::npos);
  CHECK(outcome.out.find("'then' expected near '\\xe5'") != std::string::npos);
  CHECK(outcome.out.find("3 locks; cells: 2 hold in every state, 0 hold in 100 "
                         "schedules, 1 documented limits, 1 broken, 5 unusable\n") !=
        std::string::npos);
  std::istringstream lines{outcome.out};
  std::size_t replayed = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string call = "      picklock-fuzz replay ";
    if (!line.starts_with(call)) continue;
    const Outcome again = run({"replay", line.substr(call.size())});
    CHECK(again.exit_code != 2);
    CHECK(again.err.empty());
    ++replayed;
  }
  CHECK(replayed == 7);
}

TEST_CASE("locks and faults that there are not are named") {
  const Outcome lock = run({"verdicts", "--locks", "set-nx-px,nonsense"});
  CHECK(lock.exit_code == 2);
  CHECK(lock.err.starts_with("picklock-fuzz: --locks: there is no lock 'nonsense': take some of "));
  const Outcome fault = run({"verdicts", "--faults", "gremlins"});
  CHECK(fault.exit_code == 2);
  CHECK(fault.err.starts_with("picklock-fuzz: --faults: there is no fault 'gremlins': take some"));
  const Outcome file = run({"verdicts", "--markdown", "/no/such/folder/matrix.md"});
  CHECK(file.exit_code == 2);
  CHECK(run({"verdicts", "--schedules", "0"}).exit_code == 2);
}
