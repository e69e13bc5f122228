#include "tests/differential/campaign.hpp"

#include <ostream>

#include "tests/differential/corrupted_target.hpp"
#include "tests/differential/generator.hpp"
#include "tests/differential/shrinker.hpp"
#include "tests/support/emulator_target.hpp"

namespace picklock::test {
Candidate make_candidate(std::int64_t now_ms, const std::string& corruption) {
  Options options;
  options.start = from_unix_ms(now_ms);
  // No generated script needs it; one that goes over a long string counts as longer.
  options.script_budget = 1'000'000'000;
  auto target = std::make_unique<EmulatorTarget>(options);
  Emulator& emulator = target->emulator();
  Candidate candidate{std::move(target), [&emulator](std::int64_t instant_ms) {
                        if (from_unix_ms(instant_ms) > emulator.now())
                          emulator.set_time(from_unix_ms(instant_ms));
                      }};
  if (!corruption.empty()) candidate.target = corrupt(std::move(candidate.target), corruption);
  return candidate;
}

namespace {

Finding shrink_finding(SideBySide& servers, Sequence sequence, Difference difference, int resp,
                       std::ostream& out) {
  if (difference.action < sequence.size()) sequence.resize(difference.action + 1);
  out << "a difference; shrinking " << count_steps(sequence) << " steps" << std::endl;
  const auto still_fails = [&](const Sequence& smaller) {
    return servers.run(smaller, resp).has_value();
  };
  if (!still_fails(sequence)) {
    out << "the difference did not come again; it is not shrunk" << std::endl;
    return {std::move(sequence), std::move(difference), resp};
  }
  sequence = shrink(std::move(sequence), still_fails);
  if (auto last = servers.run(sequence, resp)) difference = *std::move(last);
  return {std::move(sequence), std::move(difference), resp};
}

}  // namespace

std::optional<Finding> run_campaign(const CampaignOptions& options, Normalisers& normalisers,
                                    std::ostream& out) {
  RealRedis real;
  SideBySide servers{
      real, [&](std::int64_t now_ms) { return make_candidate(now_ms, options.corruption); },
      normalisers};
  Random seeds{options.seed};
  for (std::size_t done = 0, episode = 0; done < options.steps; ++episode) {
    const std::size_t steps = std::min(options.episode_steps, options.steps - done);
    Sequence sequence = Generator{seeds.next(), options.theme}.sequence(steps);
    const int resp = options.resp != 0 ? options.resp : episode % 2 == 0 ? 2 : 3;
    if (auto difference = servers.run(sequence, resp))
      return shrink_finding(servers, std::move(sequence), *std::move(difference), resp, out);
    done += count_steps(sequence);
    if (episode % 10 == 9) out << done << " steps agree" << std::endl;
  }
  return std::nullopt;
}

}  // namespace picklock::test
