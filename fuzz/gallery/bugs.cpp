#include "fuzz/gallery/bugs.hpp"

#include <algorithm>
#include <iterator>

#include "fuzz/gallery/bugs/kit.hpp"

namespace picklock::race {
namespace {

constexpr std::string_view kPrefix = "bug-";

}  // namespace

const std::vector<Bug>& all_bugs() {
  static const std::vector<Bug> all = [] {
    std::vector<Bug> list;
    for (const auto group :
         {bugs::ownership_bugs(), bugs::clock_bugs(), bugs::lost_reply_bugs(),
          bugs::watchdog_bugs(), bugs::identity_bugs(), bugs::read_write_bugs(), bugs::queue_bugs(),
          bugs::wake_up_bugs(), bugs::quorum_bugs(), bugs::fence_bugs()})
      std::copy(group.begin(), group.end(), std::back_inserter(list));
    const auto place = [](const Bug& bug) {
      return bug.id[0] * 1000 + std::stoi(std::string{bug.id.substr(1)});
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](const Bug& a, const Bug& b) { return place(a) < place(b); });
    return list;
  }();
  return all;
}

const Bug* find_bug(std::string_view id) {
  for (const Bug& bug : all_bugs()) {
    if (bug.id == id) return &bug;
  }
  return nullptr;
}

const Bug* find_bug(std::string_view scenario, std::span<const std::uint64_t> parameters,
                    bool& mended) {
  if (!scenario.starts_with(kPrefix) || parameters.size() != 1 || parameters[0] > 1) return nullptr;
  mended = parameters[0] == 1;
  return find_bug(scenario.substr(kPrefix.size()));
}

Scenario make_scenario(const Bug& bug, bool mended) {
  return [furnish = bug.furnish, mended](World& world) { furnish(world, mended); };
}

ExploreOptions make_options(const Bug& bug, bool mended) {
  ExploreOptions options;
  options.scenario = std::string{kPrefix} + std::string{bug.id};
  options.parameters = {mended ? std::uint64_t{1} : std::uint64_t{0}};
  options.faults = bug.faults;
  options.timeless = bug.timeless && !mended;
  options.replay_command = "picklock-fuzz replay ";
  return options;
}

}  // namespace picklock::race
