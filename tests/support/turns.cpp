#include "tests/support/turns.hpp"

#include <array>

#include "lua/scripts.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

constexpr std::array<std::string_view, 8> kNames{"alice", "bob",   "carol", "dave",
                                                 "erin",  "frank", "grace", "heidi"};
constexpr std::string_view kTtl = "2";  // kTurnsTtl, as Redis reads it.

using Words = std::array<std::string_view, 6>;

struct Turns {
  TurnSettings settings;
  std::array<std::string, 2> scripts;  ///< The digests of acquire and release.
  std::vector<std::string> tokens;     ///< By client and round.
  std::shared_ptr<TurnsView> view;
  Node* redis = nullptr;  // Of the schedule that runs.
  Exclusive* section = nullptr;

  const std::string& token(std::size_t client, int round) const {
    return tokens[client * static_cast<std::size_t>(settings.rounds) +
                  static_cast<std::size_t>(round)];
  }
  /// All that still matters of what the client has been told is where it is.
  void show(Worker& worker, std::size_t client, Phase phase, int round) const {
    worker.digest(static_cast<std::uint64_t>(phase) << 8 | static_cast<std::uint64_t>(round));
    if (!view) return;
    for (const TurnsView::Client& other : view->clients)
      view->overlapped |= phase == Phase::inside && other.phase == Phase::inside;
    view->clients[client] = {phase, settings.rounds - round};
  }
  void note(bool acquires, bool succeeded, const std::string& token) const {
    if (view) view->scripts.push_back({acquires, succeeded, &token});
  }
};

Task<> free_by_script(Worker& worker, const Turns& turns, std::size_t client, int round) {
  const std::string& token = turns.token(client, round);
  turns.show(worker, client, Phase::releasing, round);
  const Words words{"EVALSHA", turns.scripts[1], "1", kTurnsKey, token};
  const Reply freed = co_await worker.call(*turns.redis, std::span{words}.first(5));
  turns.note(false, freed == 1, token);
}

Task<> free_by_hand(Worker& worker, const Turns& turns, std::size_t client, int round) {
  turns.show(worker, client, Phase::reading, round);
  const Reply owner = co_await worker.call(*turns.redis, "GET", kTurnsKey);
  if (!(owner == turns.token(client, round))) co_return;
  turns.show(worker, client, Phase::deleting, round);
  co_await worker.call(*turns.redis, "DEL", kTurnsKey);
}

Task<> take_turn(Worker& worker, const Turns& turns, std::size_t client, int round) {
  const std::string& token = turns.token(client, round);
  turns.show(worker, client, Phase::acquiring, round);
  const Instant until = worker.now() + kTurnsTtl;
  const Words words{"EVALSHA", turns.scripts[0], "1", kTurnsKey, token, kTtl};
  const Reply taken = co_await worker.call(*turns.redis, words);
  turns.note(true, taken == 1, token);
  if (!(taken == 1)) co_return;
  if (worker.now() <= until) {
    turns.show(worker, client, Phase::inside, round);
    const Claim claim{.node = turns.redis, .key = kTurnsKey, .token = token, .until = until};
    Turn turn = turns.section->enter(worker, claim);
    co_await worker.sleep(milliseconds{0});
    turn.leave();
  } else if (turns.settings.keeps_late_locks) {
    co_return;
  }
  if (turns.settings.gets_then_deletes)
    co_await free_by_hand(worker, turns, client, round);
  else
    co_await free_by_script(worker, turns, client, round);
}

Task<> take_turns(Worker& worker, const Turns& turns, std::size_t client) {
  for (int round = 0; round < turns.settings.rounds; ++round)
    co_await take_turn(worker, turns, client, round);
  turns.show(worker, client, Phase::done, turns.settings.rounds);
}

Task<> tick(Worker& worker, const Turns& turns) {
  for (int i = 0; i < turns.settings.ticks; ++i) {
    worker.digest(static_cast<std::uint64_t>(i));
    co_await worker.sleep(milliseconds{1});
  }
}

void furnish(World& world, Turns& turns) {
  turns.redis = &world.redis("redis", [&](Emulator& emulator) {
    Client client = emulator.connect();
    constexpr std::array<std::string_view, 2> kScripts{"set_nx_px_acquire", "set_nx_px_release"};
    for (std::size_t i = 0; i < kScripts.size(); ++i)
      turns.scripts[i] = client.call("SCRIPT", "LOAD", scripts::find(kScripts[i])).text();
  });
  turns.section = &world.exclusive("section");
  world.lock_key(*turns.redis, kTurnsKey);
  const auto clients = static_cast<std::size_t>(turns.settings.clients);
  if (turns.view) {
    turns.view->clients.assign(clients, {Phase::fresh, turns.settings.rounds});
    turns.view->redis = turns.redis;
    turns.view->overlapped = false;
  }
  for (std::size_t i = 0; i < clients; ++i)
    world.spawn(kNames[i], [used = &turns, i](Worker& w) { return take_turns(w, *used, i); });
  world.spawn("clock", [used = &turns](Worker& worker) { return tick(worker, *used); });
}

}  // namespace

std::string_view turns_client(std::size_t index) { return kNames.at(index); }

Scenario make_turns(const TurnSettings& settings, std::shared_ptr<TurnsView> view) {
  const auto turns = std::make_shared<Turns>();
  turns->settings = settings;
  turns->view = std::move(view);
  for (int client = 0; client < settings.clients; ++client) {
    for (int round = 1; round <= settings.rounds; ++round)
      turns->tokens.push_back(std::string{kNames.at(static_cast<std::size_t>(client))} + ":" +
                              std::to_string(round));
  }
  return [turns](World& world) { furnish(world, *turns); };
}

ExploreOptions turns_options(const TurnSettings& settings) {
  ExploreOptions options;
  options.scenario = "turns";
  options.faults = Faults::none();
  options.max_delay = std::chrono::seconds{1};
  options.time_steps = static_cast<std::uint32_t>(settings.ticks);
  options.timeless = true;
  return options;
}

}  // namespace picklock::race
