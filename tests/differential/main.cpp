// picklock-differential: generated sequences on redis-server and on the emulator, side by side.
#include <charconv>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>

#include "tests/differential/campaign.hpp"
#include "tests/differential/corrupted_target.hpp"
#include "tests/differential/generator.hpp"
#include "tests/differential/script_campaign.hpp"

namespace {

using namespace picklock::test;

constexpr std::string_view kUsage =
    "usage: picklock-differential [--steps N | --scripts N] [--seed S] [--resp 2|3]\n"
    "                             [--theme NAME] [--corrupt NAME]\n";

struct Arguments {
  CampaignOptions options;
  std::size_t scripts = 0;  // Written scripts instead of steps.
};

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// The options, or nullopt for bad usage.
std::optional<Arguments> parse(std::span<char* const> arguments) {
  Arguments parsed;
  CampaignOptions& options = parsed.options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) return std::nullopt;
    const std::string_view name = arguments[i];
    const std::string_view value = arguments[i + 1];
    bool good = true;
    if (name == "--steps") {
      good = read_number(value, options.steps);
    } else if (name == "--scripts") {
      good = read_number(value, parsed.scripts) && parsed.scripts > 0;
    } else if (name == "--seed") {
      good = read_number(value, options.seed);
    } else if (name == "--resp") {
      good = read_number(value, options.resp) && (options.resp == 2 || options.resp == 3);
    } else if (name == "--theme") {
      options.theme = value;
    } else if (name == "--corrupt") {
      options.corruption = value;
    } else {
      good = false;
    }
    if (!good) return std::nullopt;
  }
  return parsed;
}

int report(const CampaignOptions& options, const Finding& finding) {
  std::cout << "\nFAILED with --seed " << options.seed << " (RESP" << finding.resp
            << "). The shortest sequence:\n\n"
            << print_sequence(finding.sequence) << "\nrequest:      " << finding.difference.request
            << "\nredis-server: " << finding.difference.theirs
            << "\nemulator:     " << finding.difference.ours << '\n';
  return 1;
}

int run(const CampaignOptions& options) {
  std::cout << options.steps << " steps, seed " << options.seed << std::endl;
  Normalisers normalisers;
  const auto finding = run_campaign(options, normalisers, std::cout);
  if (finding) return report(options, *finding);
  std::cout << "no difference in " << options.steps << " steps (seed " << options.seed
            << "). Replies that differed as two real servers may:\n";
  normalisers.print(std::cout);
  return 0;
}

int run_scripts(const Arguments& arguments) {
  ScriptCampaignOptions options;
  options.scripts = arguments.scripts;
  options.seed = arguments.options.seed;
  options.resp = arguments.options.resp;
  options.corruption = arguments.options.corruption;
  std::cout << options.scripts << " scripts, seed " << options.seed << std::endl;
  Normalisers normalisers;
  const auto result = run_script_campaign(options, normalisers, std::cout);
  if (result.finding) return report(arguments.options, *result.finding);
  std::cout << "no difference in " << result.scripts << " scripts (seed " << options.seed << "), "
            << result.refused << " of which ended in an error; " << result.killers.size()
            << " killed redis-server and " << result.endless.size()
            << " had no end on both; these were left out.\n";
  normalisers.print(std::cout);
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::span<char* const> arguments{argv + 1, static_cast<std::size_t>(argc - 1)};
  if (arguments.size() == 1 && std::string_view{arguments[0]} == "--help") {
    std::cout << kUsage << "themes:";
    for (const auto name : Generator::themes()) std::cout << ' ' << name;
    std::cout << "\ncorruptions:";
    for (const auto name : corruption_names()) std::cout << ' ' << name;
    std::cout << '\n';
    return 0;
  }
  const auto parsed = parse(arguments);
  if (!parsed) {
    std::cerr << kUsage;
    return 2;
  }
  try {
    return parsed->scripts > 0 ? run_scripts(*parsed) : run(parsed->options);
  } catch (const TargetDied& death) {
    std::cout << "FAILED with --seed " << parsed->options.seed << ": " << death.what() << '\n';
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "picklock-differential: " << error.what() << '\n';
    return 2;
  }
}
