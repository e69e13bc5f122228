// Faults of clocks, of servers and of workers: they run fast or slow from the start, jump or stand
// still.
#include "emulator/base/numbers.hpp"
#include "fuzz/world/ids.hpp"
#include "fuzz/world/simulation.hpp"

namespace picklock::race {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kDriftPpm = 10'000;

}  // namespace

/// Which clocks run fast or slow is chosen before anything happens.
void Simulation::choose_drifts() {
  for (Server& server : servers_) {
    if (!server.used) continue;
    choose_drift(server.local_clock);
    find_deadline(server);
  }
  for (std::size_t i = 0; i < worker_count_; ++i) choose_drift(processes_[i].clock);
}

void Simulation::choose_drift(LocalClock& clock) {
  if (!has_budget(Fault::drift) || stopped_) return;
  options_.clear();
  options_.push_back({.id = static_cast<std::uint32_t>(Drift::none)});
  for (const Drift drift : {Drift::fast, Drift::slow})
    options_.push_back({.id = static_cast<std::uint32_t>(drift), .weight = kUsualWeight / 2});
  const std::size_t picked = choose(Kind::fault);
  if (picked >= options_.size()) return;
  const auto drift = static_cast<Drift>(options_[picked].id);
  mix(options_[picked].id);
  if (drift == Drift::none) return;
  spend(Fault::drift);
  clock.run_fast(drift == Drift::fast ? kDriftPpm : -kDriftPpm, now_);
}

/// Nothing: the clock stands still.
std::optional<Duration> Simulation::choose_jump(Instant wall) {
  Duration to_deadline = seconds{30};
  for (const Server& server : servers_) {
    if (server.used && server.deadline && server.local_clock.wall(*server.deadline) > wall)
      to_deadline = server.local_clock.wall(*server.deadline) - wall;
  }
  switch (static_cast<Jump>(choose_variant(kJumps))) {
    case Jump::past_deadline:
      return to_deadline + milliseconds{1};
    case Jump::half_to_deadline:
      return std::chrono::floor<milliseconds>(to_deadline / 2);
    case Jump::hour:
      return hours{1};
    case Jump::back_second:
      return -seconds{1};
    case Jump::back_hour:
      return -hours{1};
    case Jump::tick:
      return milliseconds{1};
    case Jump::back_tick:
      return -milliseconds{1};
    case Jump::freeze:
      break;
  }
  return std::nullopt;
}

/// Something falls due there, or was written: it may hold instants.
bool Simulation::Server::goes_by_clock() const { return deadline || redis.inspect().changes() > 0; }

void Simulation::jump(Server& server) {
  spend(Fault::clock);
  sync(server);
  const std::optional<Duration> by = choose_jump(server.local_clock.wall(now_));
  by ? step_clock(server, *by) : freeze_clock(server);
}

void Simulation::step_clock(Server& server, Duration by) {
  sync(server);
  server.local_clock.jump(by);
  clock_changed(server, "clock jumps by " + to_text(by.count() / 1000) + " ms",
                by<Duration{}, by> Duration{});
}

void Simulation::freeze_clock(Server& server) {
  sync(server);
  server.local_clock.freeze(now_);
  clock_changed(server, "clock stands still", true, false);
}

/// `is_slow`: it may show less than it should, so that keys live longer; `is_fast`: they may expire
/// before their time.
void Simulation::clock_changed(Server& server, std::string what, bool is_slow, bool is_fast) {
  note_fault(true, server.index, std::move(what));
  if (is_slow) oracles_.properties().clock_went_back();
  sync(server);
  oracles_.disturbed(server.index, now_, server.redis.inspect(), is_fast);
  tell_what_came_by_itself(server);
}

void Simulation::jump_wall(std::size_t worker) {
  spend(Fault::client_clock);
  Process& process = processes_[worker];
  const std::optional<Duration> by = choose_jump(process.clock.wall(now_));
  if (by)
    process.clock.jump(*by);
  else
    process.clock.freeze(now_);
  process.tell(now_, by ? static_cast<std::uint64_t>(by->count()) : 0xf0);
  note_fault(false, worker,
             by ? "wall clock jumps by " + to_text(by->count() / 1000) + " ms"
                : "wall clock stands still");
}

}  // namespace picklock::race
