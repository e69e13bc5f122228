// The abstract states that the exhaustive search reaches of the lock in tests/support/turns.hpp, in
// the words of turns.pml: `reached-states 3 2 4 [--get-then-delete] [--keep-late] [--silent]`.
//
// The search itself is the one that explore() uses. What is added holds nothing back: the clock
// starts first, as Spin's does, and a worker that never starts before the end gives every state a
// second option, for only states with a choice are asked about.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <set>
#include <string>
#include <unordered_set>

#include "emulator/base/numbers.hpp"
#include "fuzz/search/exhaustive.hpp"
#include "fuzz/world/ids.hpp"
#include "tests/support/turns.hpp"

namespace picklock::race {
namespace {

constexpr std::string_view kObserver = "observer";

std::string number(std::int64_t value) { return to_text(value); }

class Observer final : public Chooser {
 public:
  Observer(const TurnSettings& settings, bool silent)
      : settings_(settings),
        silent_(silent),
        simulation_({Faults::none(), turns_options(settings).max_delay,
                     static_cast<std::uint32_t>(settings.ticks), /*timeless=*/true}) {}

  /// Returns the number of schedules.
  std::uint64_t run() {
    const Scenario turns = make_turns(settings_, view_);
    const Scenario scenario = [&](World& world) {
      turns(world);
      world.spawn(kObserver, [this](Worker&) { return end(*this); });
    };
    std::uint64_t schedules = 0;
    do {
      view_->scripts.clear();
      search_.run(scenario, this, Class::unusable);
      ++schedules;
    } while (search_.next());
    return schedules;
  }

  std::size_t pick(Kind kind, std::span<const Option> options) override {
    const auto clock = static_cast<std::uint32_t>(settings_.clients);
    if (!simulation_.has_started(clock)) return position(options, step_id(Step::resume, clock));
    if (!silent_ && kind == Kind::step) look(options);
    // The observer itself, who comes last, is no choice.
    const std::size_t others = options.size() - (kind == Kind::step ? 1 : 0);
    if (others == 1) return search_.goes_on(options.front()) ? 0 : options.size();
    const std::size_t picked = search_.pick(kind, options.first(others));
    return picked < others ? picked : options.size();
  }

  /// In order.
  std::set<std::string> states() const { return {states_.begin(), states_.end()}; }
  std::uint64_t concrete_states() const { return search_.states(); }

 private:
  static Task<> end(Observer& observer) {
    if (!observer.silent_) observer.look({});
    co_return;
  }

  static std::size_t position(std::span<const Option> options, std::uint32_t id) {
    std::size_t at = 0;
    while (at < options.size() && options[at].id != id) ++at;
    return at;
  }

  /// What a client's request or reply in flight makes of its phase; empty: it is about to act on
  /// what has arrived, which others can only notice by what it does then.
  std::string_view word(std::size_t client, std::span<const Option> options) const {
    const Phase phase = view_->clients[client].phase;
    const std::uint32_t actor = connection_actor(client, 0);
    const bool asks = position(options, step_id(Step::request, actor)) < options.size();
    const bool hears = position(options, step_id(Step::reply, actor)) < options.size();
    const auto either = [&](std::string_view request, std::string_view reply) {
      return asks ? request : hears ? reply : std::string_view{};
    };
    switch (phase) {
      case Phase::fresh:
        return "fresh";
      case Phase::acquiring:
        return either("asking", "answered");
      case Phase::inside:
        return "inside";
      case Phase::reading:
        return either("reading", "read");
      case Phase::deleting:
        return either("deleting", "deleted");
      case Phase::releasing:
        return either("freeing", "freed");
      case Phase::done:
        break;
    }
    return "done";
  }

  struct Held {
    std::size_t client = 0;
    std::int64_t round = 0;
    std::int64_t left_ms = 0;  ///< 0: nobody has the lock.
  };
  /// By the server's truth, though it has not looked at its clock since its last command.
  Held held(Instant now) {
    const Inspector server = view_->redis->emulator().inspect();
    const auto token = server.string(kTurnsKey);
    const auto deadline = server.deadline(kTurnsKey);
    if (!token || !deadline || *deadline < now) return {};
    Held held;
    while (!token->starts_with(turns_client(held.client))) ++held.client;
    held.round = parse_int64(token->substr(token->find(':') + 1)).value_or(0) - 1;
    held.left_ms = to_unix_ms(*deadline) - to_unix_ms(now) + 1;
    return held;
  }

  void look(std::span<const Option> options) {
    if (view_->overlapped) states_.insert("two were inside at once");
    const Instant now = World{simulation_}.now();
    const Held lock = held(now);
    state_ = "at " + number(to_unix_ms(now) - to_unix_ms(kDefaultStart));
    if (lock.left_ms == 0) {
      state_ += ", free";
    } else {
      state_ += ", held by " + number(static_cast<std::int64_t>(lock.client)) + ":" +
                number(lock.round) + " for " + number(lock.left_ms);
    }
    for (std::size_t i = 0; i < view_->clients.size(); ++i) {
      const std::string_view where = word(i, options);
      if (where.empty()) return;
      state_ += ", ";
      state_ += where;
      state_ += " " + number(view_->clients[i].rounds_left);
    }
    if (!states_.contains(state_)) states_.insert(state_);
  }

  TurnSettings settings_;
  bool silent_;
  std::shared_ptr<TurnsView> view_ = std::make_shared<TurnsView>();
  Simulation simulation_;
  ExhaustiveChooser search_{simulation_};
  std::unordered_set<std::string> states_;
  std::string state_;
};

bool read_number(const char* text, int least, int most, int& value) {
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc{} && stop == end && value >= least && value <= most;
}

int run(int argc, char** argv) {
  TurnSettings settings;
  bool silent = false;
  bool usable = argc >= 4 && read_number(argv[1], 1, 8, settings.clients) &&
                read_number(argv[2], 1, 8, settings.rounds) &&
                read_number(argv[3], 0, 100, settings.ticks);
  for (int i = 4; i < argc; ++i) {
    const std::string_view option = argv[i];
    settings.gets_then_deletes |= option == "--get-then-delete";
    settings.keeps_late_locks |= option == "--keep-late";
    silent |= option == "--silent";
    usable &= option == "--get-then-delete" || option == "--keep-late" || option == "--silent";
  }
  if (!usable) {
    std::fprintf(stderr,
                 "usage: reached-states CLIENTS ROUNDS TICKS [--get-then-delete] [--keep-late] "
                 "[--silent]\n");
    return 2;
  }
  Observer observer{settings, silent};
  const std::clock_t begin = std::clock();
  const std::uint64_t schedules = observer.run();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  for (const std::string& state : observer.states()) std::printf("state %s\n", state.c_str());
  std::fprintf(stderr, "%llu states, %llu schedules, %.2f s\n",
               static_cast<unsigned long long>(observer.concrete_states()),
               static_cast<unsigned long long>(schedules), seconds);
  return 0;
}

}  // namespace
}  // namespace picklock::race

int main(int argc, char** argv) { return picklock::race::run(argc, argv); }
