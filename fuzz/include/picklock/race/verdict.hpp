// What a search is asked and what it answers: options, faults, verdicts.
//
// Plain values without behaviour of their own. Thread-safe as values are.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/clock.hpp>
#include <picklock/race/faults.hpp>
#include <picklock/script_report.hpp>

#pragma GCC visibility push(default)

namespace picklock::race {

/// How far a search is.
struct Progress {
  /// What is searched, where that is one of many: "A10, 12 of 86". Empty otherwise.
  std::string title;
  std::uint64_t schedules_done = 0;  ///< That were run.
  std::uint64_t schedules = 0;       ///< That were asked for.
  std::uint64_t coverage = 0;        ///< Edges between abstract states, so far.
  /// Of them those that one group of 256 schedules alone has shown. Good and Turing: divided by the
  /// schedules, about the chance that the next schedule shows an edge that none has shown yet.
  std::uint64_t singletons = 0;
  std::uint64_t states = 0;  ///< Of an exhaustive search.
  double done = 0;           ///< Of an exhaustive search: about which part, from 0 to 1.
  bool over = false;         ///< The search has ended: the last call.
};

/// How schedules are picked.
enum class Strategy : std::uint8_t {
  portfolio,  ///< All of the following but the last in turn, with few kinds of faults at a time.
  random,     ///< Every possible next step as likely as its weight.
  uniform,    ///< Every order of events about as likely as any other.
  pct,        ///< A random order of workers, changed at a few random points.
  partial_order,  ///< A random order of events, drawn again after each race.
  delay,          ///< The plainest schedule, disturbed at a few random points.
  coverage,       ///< Variations of schedules that have shown something new.
  /// Every schedule: `schedules` only bounds how long that may take. Orders of creation, which
  /// HKEYS, SMEMBERS or KEYS show, part no states: code that goes by them is to be searched at
  /// random.
  exhaustive,
};
/// Its name on the command line.
std::string_view to_string(Strategy strategy);

/// Which part of a campaign this is: the slices of schedules that are its turn. Shards of the same
/// seed and number of schedules run what the whole campaign runs, on as many machines.
struct Shard {
  std::uint64_t index = 1;  ///< From 1 to count.
  std::uint64_t count = 1;  ///< From 1; 1: the whole campaign.
  /// Whether a part is wanted of the whole campaign, too: 1/1, for a merge of one report.
  bool is_named = false;
};

/// How to search. The environment overrides: PICKLOCK_SEED, PICKLOCK_SCHEDULES, and
/// PICKLOCK_SHARD ("2/8"), and PICKLOCK_REPLAY, which replays its string in every exploration whose
/// scenario it names instead of searching. PICKLOCK_REPORT_DIR is a folder for HTML reports of
/// failures.
struct ExploreOptions {
  /// How many to run, from 1; of an exhaustive search: how many at most.
  std::uint64_t schedules = 10'000;
  /// What randomness starts from: the same seed gives the same verdict, to the byte.
  std::uint64_t seed = 1;
  /// How schedules are picked.
  Strategy strategy = Strategy::portfolio;
  /// Not of an exhaustive search.
  Shard shard{};
  /// What may go wrong, and how often.
  Faults faults{};
  /// How long a message may stay in flight while time goes on; 0 delivers before time moves. Whole
  /// ms.
  std::chrono::milliseconds max_delay{5};
  /// A schedule is not followed further when time has gone on so often; 0: no such bound.
  std::uint32_t time_steps = 0;
  /// Names the program under test in replay strings: letters, digits, '-' and '_'.
  std::string scenario = "test";
  /// Settings of the program under test that a replay string must carry along (at most 32).
  std::vector<std::uint64_t> parameters;
  /// A digest of what else decides the run (the text of scripts): a replay under another one is
  /// refused.
  std::uint64_t configuration = 0;
  /// What a failure's last line says before the replay string.
  std::string replay_command = "PICKLOCK_REPLAY=";
  /// Of an exhaustive search: workers differ in nothing but their names, so that of two that have
  /// not started it does not matter which one does.
  bool symmetric = false;
  /// Of an exhaustive search: workers and scripts use times for their differences only, and write
  /// none down (no TIME in a script, no instant in a value), so that what is the same but for the
  /// hour is the same state.
  bool timeless = false;
  /// Nobody is slow: workers go on and replies arrive before anything else happens, unless a fault
  /// strikes them. Far fewer states, where a client asks several servers at once; replies of
  /// different servers then come in the order in which these carried out the requests.
  bool prompt = false;
  /// Makes a documented limit count as a failure.
  bool strict = false;
  /// Looks for the nearest schedule that holds (some milliseconds, only after a failure).
  bool explain = true;
  /// Proves that no shorter schedule fails: of the same workers, with no more faults and none of
  /// other kinds. Gives up after so many states; 0: not asked for. For workers that share nothing
  /// but their servers.
  std::uint64_t certify = 0;
  /// Runs every schedule once more by its choices, and not only a sample: whether the program under
  /// test is deterministic is looked at most closely.
  bool twice = false;
  /// Has Verdict::scripts filled in. Makes scripts slower, and changes nothing else.
  bool cover_scripts = false;
  /// A worker that runs for so long without an await ends the process (std::abort), with a line on
  /// standard error that names it: nothing can interrupt a coroutine. Real time; 0: never. Replays
  /// do not look. Blocking workers are given up after 10 s, and the verdict says so.
  std::chrono::seconds patience{30};
  /// Called now and then (every 1,024 schedules, and at the end), to show that the search is alive.
  /// May be empty.
  std::function<void(const Progress&)> progress;
  /// The search ends, with what it has found so far, once this is true. May be null; whoever sets
  /// it may be another thread, or a handler of signals.
  const std::atomic<bool>* stop = nullptr;
};

/// Numbers stand in replay strings: never reuse one.
enum class Class : std::uint8_t {
  holds = 0,  ///< No schedule broke anything.
  documented_limit =
      1,          ///< Broken only where no lock of this kind can hold (a pause beyond its TTL).
  violation = 2,  ///< A property was broken that the lock ought to keep.
  unusable = 3,   ///< The program under test threw, got stuck or does not fit the replay string.
};
std::string_view to_string(Class verdict);

/// Which property was broken.
enum class Oracle : std::uint8_t {
  none,
  mutual_exclusion,  ///< Two workers inside at once.
  belief,     ///< A worker inside, within its own deadline, but the server's key is not its own.
  ownership,  ///< Somebody ended, overwrote or prolonged another's hold.
  no_ttl,     ///< A lock key without TTL whose writer is gone: nobody can acquire any more.
  threw,      ///< A worker ended with an exception.
  endless,    ///< The run did not end within its bound of steps.
  stuck,      ///< A worker waits for what cannot come.
  replay,     ///< The replay string does not fit.
  nondeterminism,   ///< The same choices gave different runs.
  permits,          ///< More permits in use than there are.
  read_write,       ///< A writer inside together with somebody else.
  fencing,          ///< A resource took an older token after a greater one, or tokens did not grow.
  hold_count,       ///< The server counts other holds than the worker has.
  waiting,          ///< A free lock was not taken although somebody waited for it.
  fairness,         ///< A waiter was overtaken too often.
  leaked,           ///< A key was left behind when everything was over.
  quiescence,       ///< A hold that was over was prolonged, or came to life again.
  hot_loop,         ///< A worker sends too many requests a second.
  property,         ///< A sentence of the scenario's own does not hold.
  linearizability,  ///< The answers of a lock fit to no order of the calls (World::history).
};
std::string_view to_string(Oracle oracle);

struct Story;
struct Part;

/// The answer of a search or a replay. Converts to true if nothing speaks against the lock: it
/// holds, or only documented limits were met (and the search was not strict).
struct Verdict {
  Class verdict = Class::holds;  ///< See Class.
  Oracle oracle = Oracle::none;  ///< Which of them objected.
  /// One line: what was broken and by whom, or why the program is unusable. Empty if it holds.
  std::string message;
  /// The decision that parts this schedule from the nearest one that holds: "alice's DEL reaches
  /// redis before ...; the other way round it holds". Empty if none was found.
  std::string decides;
  /// The shrunk schedule as lanes over time, at most 100 columns and 40 lines. Empty if it holds.
  std::string timeline;
  /// The shrunk schedule as a replay string. Empty if it holds.
  std::string replay;
  /// The last line of the report: how to see this again.
  std::string replay_line;
  std::uint64_t seed = 0;                   ///< As it was used.
  Strategy strategy = Strategy::portfolio;  ///< As it was used.
  /// Schedules that were run, without those of the shrinking.
  std::uint64_t schedules = 0;
  /// Schedules in which a documented limit was met.
  std::uint64_t limits = 0;
  /// Schedules that were run once more by their choices, and gave the same.
  std::uint64_t repeated = 0;
  /// Which strategy the schedule `found_at` was picked by: one of the portfolio's, if that was
  /// asked for.
  Strategy found_by = Strategy::portfolio;
  /// The number, from 1, of the first schedule that gave this verdict; 0 if it holds.
  std::uint64_t found_at = 0;
  /// Edges between abstract states (who holds what, who is inside) that were met.
  std::uint64_t coverage = 0;
  /// Of an exhaustive search: distinct states, and whether they are all that there are.
  std::uint64_t states = 0;
  /// Whether all states were met: the verdict is a proof within `bound`.
  bool complete = false;
  /// If ExploreOptions::certify: the schedule has the fewest steps that there are, and over how
  /// many states that was found out.
  bool certified = false;
  /// Over how many states.
  std::uint64_t certified_over = 0;
  /// ExploreOptions::stop ended the search before it was done.
  bool interrupted = false;
  /// Bounds of the search, for the reader: "faults: 1 pause, 1 crash; messages up to 5 ms late".
  std::string bound;
  /// If ExploreOptions::cover_scripts: how often each line of a script ran in all the schedules, on
  /// all the servers; its warnings and errors, each once. Replays have none.
  ScriptReport scripts;
  /// ExploreOptions::strict: documented limits count as violations.
  bool strict = false;
  /// The scenario's name.
  std::string scenario;
  /// The recorded runs; empty if it holds. For html() and those who export.
  std::shared_ptr<const Story> story;  // Shared because verdicts are copied freely.
  /// Of one shard of several: what a merge of all needs.
  std::shared_ptr<const Part> part;
  /// Where the HTML report was written: PICKLOCK_REPORT_DIR. Empty: nowhere.
  std::string report;

  /// Whether nothing speaks against the lock.
  explicit operator bool() const {
    return verdict == Class::holds || (verdict == Class::documented_limit && !strict);
  }
  /// Everything above for a person, the replay line last, with a final newline.
  std::string to_string() const;
  /// The schedule as a page that needs nothing else: lanes, a slider with the state at each step,
  /// the nearest schedule that holds.
  std::string html() const;
  /// Writes html() to a file; false if that is not possible.
  [[nodiscard]] bool write_report(const std::string& path) const;
};
std::ostream& operator<<(std::ostream& out, const Verdict& verdict);

}  // namespace picklock::race

#pragma GCC visibility pop
