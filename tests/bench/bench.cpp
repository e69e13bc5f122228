// The benchmarks: what a command, a script and a schedule cost, each beside its floor where it has
// one.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/emulator.hpp>
#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>
#include <picklock/race.hpp>

#include "fuzz/gallery/gallery.hpp"
#include "lua/scripts.hpp"
#include "tests/bench/bare_lua.hpp"
#include "tests/bench/copies.hpp"
#include "tests/bench/crowds.hpp"
#include "tests/bench/search_marks.hpp"

namespace picklock::bench {
namespace {

constexpr std::string_view kOwner = "owner-of-the-lock";
constexpr int kLocks = 1000;  // Locks taken or freed between two rests of the stopwatch.

void get_hit(benchmark::State& state) {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "key", "value");
  for (auto _ : state) benchmark::DoNotOptimize(client.call("GET", "key"));
}
BENCHMARK(get_hit)->Name("get");

void set(benchmark::State& state) {
  Emulator redis;
  auto client = redis.connect();
  for (auto _ : state) benchmark::DoNotOptimize(client.call("SET", "key", "value"));
}
BENCHMARK(set)->Name("set");

void hash_field(benchmark::State& state, bool sets) {
  Emulator redis;
  auto client = redis.connect();
  client.call("HSET", "key", "field", "value");
  for (auto _ : state) {
    if (sets)
      benchmark::DoNotOptimize(client.call("HSET", "key", "field", "value"));
    else
      benchmark::DoNotOptimize(client.call("HGET", "key", "field"));
  }
}
BENCHMARK_CAPTURE(hash_field, set, true)->Name("hset");
BENCHMARK_CAPTURE(hash_field, get, false)->Name("hget");

void expire(benchmark::State& state) {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "key", "value");
  for (auto _ : state) benchmark::DoNotOptimize(client.call("EXPIRE", "key", "30"));
}
BENCHMARK(expire)->Name("expire");

void calls_of_a_script(benchmark::State& state) {
  Emulator redis;
  auto client = redis.connect();
  const char* const script = "for i = 1, 1000 do redis.call('incr', KEYS[1]) end return 1";
  for (auto _ : state) benchmark::DoNotOptimize(client.call("EVAL", script, "1", "key"));
}
BENCHMARK(calls_of_a_script)->Name("1,000 calls")->Unit(benchmark::kMicrosecond);

void new_emulator(benchmark::State& state, bool evaluates) {
  for (auto _ : state) {
    Emulator redis;
    Client client = redis.connect();
    if (evaluates) benchmark::DoNotOptimize(client.call("EVAL", "return 1", "0"));
    benchmark::DoNotOptimize(client);
  }
}
BENCHMARK_CAPTURE(new_emulator, alone, false)->Name("emulator");
BENCHMARK_CAPTURE(new_emulator, evaluates, true)->Name("emulator, first EVAL");

std::vector<std::string> lock_names() {
  std::vector<std::string> names;
  for (int i = 0; i < kLocks; ++i) names.push_back("lock:" + std::to_string(i));
  return names;
}

void snapshot(benchmark::State& state) {
  Emulator redis;
  auto client = redis.connect();
  for (const auto& name : lock_names()) client.call("SET", name, kOwner);
  for (auto _ : state) benchmark::DoNotOptimize(redis.snapshot());
}
BENCHMARK(snapshot)->Name("snapshot")->Unit(benchmark::kMicrosecond);

/// One script over a thousand locks that are all free (acquire) or all the caller's (release).
void evalsha(benchmark::State& state, std::string_view script, bool locked) {
  Emulator redis;
  auto client = redis.connect();
  const std::string sha1 = client.call("SCRIPT", "LOAD", scripts::find(script)).text();
  const auto names = lock_names();
  for (auto _ : state) {
    state.PauseTiming();
    client.call("FLUSHALL");
    if (locked)
      for (const auto& name : names) client.call("SET", name, kOwner);
    state.ResumeTiming();
    for (const auto& name : names) {
      const Reply reply = client.call("EVALSHA", sha1, "1", name, kOwner, "30000");
      if (!(reply == 1)) return state.SkipWithError("the script did not do its work");
    }
  }
  state.SetItemsProcessed(state.iterations() * kLocks);
}
BENCHMARK_CAPTURE(evalsha, acquire, "set_nx_px_acquire", false)->Name("acquire");
BENCHMARK_CAPTURE(evalsha, release, "set_nx_px_release", true)->Name("release");

void bare(benchmark::State& state, std::string_view script, bool locked) {
  BareLua lua{scripts::find(script)};
  if (locked) lua.set_owner(kOwner);
  const auto names = lock_names();
  for (auto _ : state)
    for (const auto& name : names) lua.run(name, kOwner, "30000");
  state.SetItemsProcessed(state.iterations() * kLocks);
}
BENCHMARK_CAPTURE(bare, acquire, "set_nx_px_acquire", false)->Name("acquire, bare Lua");
BENCHMARK_CAPTURE(bare, release, "set_nx_px_release", true)->Name("release, bare Lua");

void lock_client(benchmark::State& state) {
  Emulator redis;
  LocalLoop loop;
  const std::unique_ptr<Link> link = loop.connect(redis);
  LockClient client{*link};
  Lock lock{client, "ledger", {.ttl = std::chrono::seconds{30}}};
  for (auto _ : state) {
    auto held = lock.acquire().get();
    if (held->release().get() != Released::released)
      return state.SkipWithError("the lock was not released");
  }
}
BENCHMARK(lock_client)->Name("lock client");

/// The requests of the lock client without it: its floor.
void lock_by_hand(benchmark::State& state) {
  Emulator redis;
  auto client = redis.connect();
  client.call("HELLO", "3");
  const auto load = [&client](std::string_view name) {
    return client.call("SCRIPT", "LOAD", scripts::find(name)).text();
  };
  const std::string acquire = load("lock_acquire");
  const std::string release = load("lock_release");
  const std::string client_id(32, 'c');
  const std::string row = "picklock:{ledger}:over:" + client_id + ":1";
  constexpr std::uint64_t kFirst = 100'000'000'000'000;  // Numbers have 15 digits.
  std::uint64_t acquisitions = 0;
  for (auto _ : state) {
    const std::string owner = client_id + ':' + std::to_string(++acquisitions);
    const auto run = [&](const std::string& sha1) {
      return client.call("EVALSHA", sha1, "3", row, "ledger", "picklock:{ledger}:over", owner,
                         "30000", std::to_string(kFirst + acquisitions));
    };
    if (run(acquire).type() != Reply::Type::integer || !(run(release) == 1))
      return state.SkipWithError("the lock was not taken and given back");
  }
}
BENCHMARK(lock_by_hand)->Name("lock by hand");

// Nothing but the virtual machine, so that what an emulator takes longer is the hook of the budget.
constexpr const char* kLoop =
    "local x = 0 for i = 1, 1000000 do x = x + i % 7 if x > 1e9 then x = 0 end end return 1";

void loop(benchmark::State& state, bool watched) {
  Emulator redis;
  auto client = redis.connect();
  redis.watch_scripts(watched);
  for (auto _ : state) benchmark::DoNotOptimize(client.call("EVAL", kLoop, 0));
}
BENCHMARK_CAPTURE(loop, plain, false)->Name("loop")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(loop, watched, true)->Name("loop, watched")->Unit(benchmark::kMillisecond);

void bare_loop(benchmark::State& state) {
  BareLua lua{kLoop};
  for (auto _ : state) lua.run("", "", "");
}
BENCHMARK(bare_loop)->Name("loop, bare Lua")->Unit(benchmark::kMillisecond);

void schedules(benchmark::State& state) {
  const race::LockSettings settings;
  const race::GalleryLock& lock = *race::find_lock("set-nx-px");
  auto options = race::make_options(lock, settings);
  options.schedules = 10'000;
  const auto scenario = race::make_scenario(lock, settings);
  for (auto _ : state)
    if (!race::explore(options, scenario)) return state.SkipWithError("set-nx-px was accused");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(options.schedules));
}
BENCHMARK(schedules)->Name("schedules")->Unit(benchmark::kMillisecond);

/// Of a run by a copy of this program: prints what each benchmark took, in its own unit.
class Teller : public benchmark::BenchmarkReporter {
 public:
  /// Of the machine.
  static void print_context() { PrintBasicContext(&std::cerr, Context{}); }
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Aggregate) continue;
      const std::string name = run.benchmark_name();
      if (run.error_occurred) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), run.error_message.c_str());
        failed_ = true;
        continue;
      }
      const auto items = run.counters.find("items_per_second");
      const bool by_item = items != run.counters.end();
      std::printf("%s\t%.17g\t%s\n", run.run_name.function_name.c_str(),
                  by_item ? 1e9 / items->second.value : run.GetAdjustedCPUTime(),
                  by_item ? "ns" : benchmark::GetTimeUnitString(run.time_unit));
    }
  }
  bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

/// The median of each benchmark's runs, and the marks.
class Summary {
 public:
  /// Of a Teller.
  void add(std::string_view line) {
    const std::size_t tab = line.find('\t');
    const std::size_t unit = line.rfind('\t');
    if (tab == unit)
      throw std::runtime_error{"a run has printed '" + std::string{line} +
                               "', which is no figure: leave out the option that asks for it"};
    Figures& figures = figures_[std::string{line.substr(0, tab)}];
    figures.unit = line.substr(unit + 1);
    figures.values.push_back(std::stod(std::string{line.substr(tab + 1, unit - tab - 1)}));
  }
  void fail() { failed_ = true; }

  void print_medians() {
    std::printf("%-36s %14s %14s %14s\n", "median of the runs", "", "the least", "the most");
    for (auto& [name, figures] : figures_) {
      std::sort(figures.values.begin(), figures.values.end());
      std::printf("%-36s %11.2f %-2s %11.2f %-2s %11.2f %-2s\n", name.c_str(), of(name.c_str()),
                  figures.unit.c_str(), figures.values.front(), figures.unit.c_str(),
                  figures.values.back(), figures.unit.c_str());
    }
  }

  /// Each figure beside its mark; false if a benchmark failed or a mark was missed. `all`: what was
  /// not run has missed it.
  bool print(bool all) {
    must_run_ = all;
    std::printf("\n%-52s %12s %12s\n", "what", "measured", "mark");
    line("GET hit, in-process (ns)", of("get"), 100, true);
    line("SET (ns)", of("set"), 150, true);
    line("HSET (ns)", of("hset"), 150, true);
    line("HGET (ns)", of("hget"), 150, true);
    line("EXPIRE (ns)", of("expire"), 120, true);
    line("EVALSHA set-nx-px acquire (x bare Lua)", of("acquire") / of("acquire, bare Lua"), 1.6,
         true);
    line("EVALSHA set-nx-px release (x bare Lua)", of("release") / of("release, bare Lua"), 1.6,
         true);
    line("a script of 1,000 redis.call('incr') (us)", of("1,000 calls"), 120, true);
    line("an emulator, made and destroyed (us)", of("emulator") / 1000, 40, true);
    line("the same with its first EVAL (us)", of("emulator, first EVAL") / 1000, 100, true);
    line("snapshot of 1,000 keys (us)", of("snapshot"), 100, true);
    line("acquire and release by the lock client (us)", of("lock client") / 1000, 2, true);
    std::printf("%-52s %12.2f\n", "  of that the same two EVALSHAs by hand",
                of("lock by hand") / 1000);
    line("a loop in a script, the hook included (x bare Lua)", of("loop") / of("loop, bare Lua"),
         1.10, true);
    line("the same, watched (x bare Lua)", of("loop, watched") / of("loop, bare Lua"), 20.0, true);
    line("schedules a second, 2 workers of set-nx-px", 1e9 / of("schedules"), 100'000, false);
    return !failed_;
  }

 private:
  struct Figures {
    std::string unit;
    std::vector<double> values;  ///< In order, once they are printed.
  };

  double of(const char* name) {
    const std::vector<double>& values = figures_[name].values;
    return values.empty() ? std::nan("") : values[values.size() / 2];
  }
  void line(const char* what, double measured, double mark, bool at_most) {
    const bool ran = !std::isnan(measured);
    const bool met = at_most ? measured <= mark : measured >= mark;
    failed_ = failed_ || (ran ? !met : must_run_);
    std::printf("%-52s %12.2f %s %10.2f  %s\n", what, measured, at_most ? "<=" : ">=", mark,
                met    ? ""
                : !ran ? "not run"
                       : "MISSED");
  }

  std::map<std::string, Figures> figures_;
  bool must_run_ = true;
  bool failed_ = false;
};

/// Medians of nine runs. False if a mark was missed.
bool print_commands(std::vector<std::string> options) {
  constexpr int kRuns = 9;
  Summary summary;
  const bool all = options.empty();
  options.push_back("--one-run");
  Teller::print_context();
  if (!run_copies(kRuns, options, [&](std::string_view line) { summary.add(line); }))
    summary.fail();
  summary.print_medians();
  return summary.print(all);
}

}  // namespace
}  // namespace picklock::bench

int main(int argc, char** argv) {
  using namespace picklock::bench;
  std::vector<std::string> words{argv + 1, argv + argc};
  // --part=commands, crowds, schedules, states or redlock: that part alone.
  constexpr std::string_view kPart = "--part=";
  std::string part;
  std::erase_if(words, [&](const std::string& word) {
    if (word.starts_with(kPart)) part = word.substr(kPart.size());
    return word.starts_with(kPart);
  });
  constexpr std::string_view kParts[]{"", "commands", "crowds", "schedules", "states", "redlock"};
  if (std::find(std::begin(kParts), std::end(kParts), part) == std::end(kParts)) {
    std::fprintf(stderr,
                 "picklock-bench: --part is commands, crowds, schedules, states or redlock\n");
    return 2;
  }
  // Of a copy, and of `make tuned`: one run of the commands, told and not judged.
  const bool tells = std::erase(words, "--one-run") > 0;
  std::vector<char*> arguments{argv[0]};
  std::string least = "--benchmark_min_time=0.05";
  arguments.push_back(least.data());
  std::vector<std::string> own = words;
  for (std::string& word : own) arguments.push_back(word.data());
  argc = static_cast<int>(arguments.size());
  benchmark::Initialize(&argc, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) return 2;
  if (tells) {
    Teller teller;
    benchmark::RunSpecifiedBenchmarks(&teller);
    return teller.failed() ? 1 : 0;
  }
  bool met = true;
  if (part.empty() || part == "commands") {
    try {
      met = print_commands(words);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "picklock-bench: %s\n", error.what());
      return 2;
    }
  }
  if (part.empty() || part == "crowds") met &= print_crowds();
  if (part != "commands" && part != "crowds") met &= print_search_marks(part);
  return met ? 0 : 1;
}
