#include "tests/bench/leases.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "lua/scripts.hpp"

namespace picklock::bench {
namespace {

using namespace race;
using std::chrono::seconds;

constexpr std::string_view kKey = "lock";
constexpr std::string_view kTtl = "30000";
constexpr seconds kBeat{10};

using Words = std::array<std::string_view, 6>;

struct Holder {
  std::string name;
  std::string watchdog;
  bool holds = false;
};

struct Leases {
  LeaseSettings settings;
  std::array<std::string, 3> scripts;  // The digests of acquire, release and extend.
  std::vector<Holder> holders;
  Node* redis = nullptr;
};

Call ask(Worker& worker, const Leases& leases, std::size_t script, const Holder& holder) {
  const Words words{"EVALSHA", leases.scripts[script], "1", kKey, holder.name, kTtl};
  return worker.call(*leases.redis, words);
}

Task<> operate(Worker& worker, const Leases& leases, Holder& holder) {
  for (std::uint64_t i = 0; i < leases.settings.seconds; ++i) {
    co_await worker.sleep(seconds{1});
    if (!leases.settings.sends) continue;
    const Reply reply = co_await ask(worker, leases, holder.holds ? 1 : 0, holder);
    holder.holds = !holder.holds && reply == 1;
  }
}

Task<> watch(Worker& worker, const Leases& leases, Holder& holder) {
  for (std::uint64_t i = 0; i < leases.settings.seconds; i += kBeat.count()) {
    co_await worker.sleep(kBeat);
    if (holder.holds) co_await ask(worker, leases, 2, holder);
  }
}

// Of its own: those of the gallery renew what their client does not know to be lost.
constexpr const char* kExtend =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then "
    "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

void furnish(World& world, Leases& leases) {
  leases.redis = &world.redis("redis", [&](Emulator& emulator) {
    Client client = emulator.connect();
    const std::array<std::string_view, 3> scripts{scripts::find("set_nx_px_acquire"),
                                                  scripts::find("set_nx_px_release"), kExtend};
    for (std::size_t i = 0; i < scripts.size(); ++i)
      leases.scripts[i] = client.call("SCRIPT", "LOAD", scripts[i]).text();
  });
  world.lock_key(*leases.redis, kKey);
  for (Holder& holder : leases.holders) {
    holder.holds = false;
    world.spawn(holder.name, [used = &leases, one = &holder](Worker& worker) {
      return operate(worker, *used, *one);
    });
    world.spawn(holder.watchdog, [used = &leases, one = &holder](Worker& worker) {
      return watch(worker, *used, *one);
    });
    world.acts_for(holder.watchdog, holder.name);
  }
}

}  // namespace

Scenario make_leases(const LeaseSettings& settings) {
  const auto leases = std::make_shared<Leases>();
  leases->settings = settings;
  for (int i = 0; i < settings.clients; ++i) {
    const std::string name = "client-" + std::to_string(i);
    leases->holders.push_back({name, name + "'s watchdog"});
  }
  return [leases](World& world) { furnish(world, *leases); };
}

ExploreOptions lease_options() {
  ExploreOptions options;
  options.scenario = "leases";
  options.faults = Faults::none();
  return options;
}

}  // namespace picklock::bench
