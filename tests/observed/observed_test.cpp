// What the commands of the golden transcripts leave behind for others to see, on the real server
// and on the emulator.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/coverage/coverage.hpp"
#include "tests/coverage/lists.hpp"
#include "tests/observed/observer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/transcript_player.hpp"

namespace picklock::test {
namespace {

using Facts = std::vector<std::string>;

/// Ids of clients and nodes are each server's own.
bool names_an_id(const Step& step) {
  return step.words.find("{last-integer}") != std::string::npos ||
         (step.words.starts_with("CLUSTER") && step.words.find("{last}") != std::string::npos);
}

/// What may differ, by the transcript and the request.
bool is_excused(const Transcript& transcript, const Step& step) {
  static const auto list = read_list("observed/may_differ.txt");
  return list.contains(transcript.path.substr(std::string_view{"transcripts/"}.size()) + " " +
                       step.source);
}

/// The lines of `facts` that `others` does not have.
std::string without(Facts facts, Facts others) {
  std::ranges::sort(facts);
  std::ranges::sort(others);
  Facts missing;
  std::ranges::set_difference(facts, others, std::back_inserter(missing));
  std::string text;
  for (const auto& line : missing) text += "\n  " + line;
  return text;
}

std::optional<std::string> difference(const Facts& theirs, const Facts& ours) {
  if (theirs == ours) return std::nullopt;
  const std::string lacking = without(theirs, ours);
  const std::string surplus = without(ours, theirs);
  if (lacking.empty() && surplus.empty()) return "in another order:" + without(theirs, {});
  return "only redis-server:" + lacking + "\nonly the emulator:" + surplus;
}

void compare(const Transcript& transcript) {
  RealRedis real{transcript.options};
  real.expire_only_on_access();
  Options options = to_options(transcript.options);
  options.start = from_unix_ms(real.now_ms());
  EmulatorTarget emulator{options};
  Observer theirs{real};
  Observer ours{emulator};
  Player their_player{real, 2};
  Player our_player{emulator, 2};
  for (const Step& step : transcript.steps) {
    if (step.kind == Step::Kind::text) continue;
    their_player.play(step);
    our_player.play(step);
    const auto differs = difference(theirs.look(), ours.look());
    INFO(transcript.path << ':' << step.line << ' ' << step.source << '\n' << differs.value_or(""));
    CHECK((!differs || names_an_id(step) || is_excused(transcript, step)));
  }
}

}  // namespace

TEST_CASE("others see the same of every transcript") {
  const char* only = std::getenv("PICKLOCK_ONLY");
  for (const Transcript& transcript : transcripts_below("transcripts")) {
    if (only && transcript.path.find(only) == std::string::npos) continue;
    // Real time cannot be observed without losing some.
    if (!transcript.lets_time_pass()) compare(transcript);
  }
}

}  // namespace picklock::test
