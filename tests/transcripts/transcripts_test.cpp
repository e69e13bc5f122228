// Every golden transcript, on the real server and on the emulator, in RESP2 and in RESP3.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/transcript.hpp"
#include "tests/support/transcript_match.hpp"
#include "tests/support/transcript_player.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

std::vector<std::string> transcript_files() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{"transcripts"})
    if (entry.path().extension() == ".txt") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  return text;
}

void play(const Transcript& transcript, Target& target, int protocol) {
  Player player{target, protocol};
  for (const Step& step : transcript.steps) {
    const Outcome outcome = player.play(step);
    if (step.kind == Step::Kind::text || step.kind == Step::Kind::wait) continue;
    const auto& expected = step.expectation(protocol);
    if (matches(expected, outcome)) continue;
    UNSCOPED_INFO(transcript.path << ':' << step.line << ' ' << step.source << " (" << target.name()
                                  << ", RESP" << protocol << ")");
    CHECK(join(render(outcome, expected)) == join(expected));
  }
}

template <class Server>
struct Run {
  Transcript transcript;
  int protocol;
  std::unique_ptr<Server> server;
};

template <class Server>
std::vector<Run<Server>> all_runs() {
  std::vector<Run<Server>> runs;
  for (const auto& path : transcript_files()) {
    const Transcript transcript = read_transcript(path);
    for (const int protocol : {2, 3})
      if (protocol == 2 || transcript.resp3) runs.push_back({transcript, protocol, nullptr});
  }
  return runs;
}

template <class Server>
void play_all() {
  auto runs = all_runs<Server>();
  REQUIRE(!runs.empty());
  // The nodes of clusters come up all at once.
  if constexpr (std::is_same_v<Server, RealRedis>)
    for (auto& [transcript, protocol, server] : runs)
      if (std::ranges::find(transcript.options, "cluster-enabled") != transcript.options.end())
        server = std::make_unique<RealRedis>(transcript.options, RealRedis::Cluster::later);
  for (auto& [transcript, protocol, server] : runs) {
    if (!server) server = std::make_unique<Server>(transcript.options);
    play(transcript, *server, protocol);
    server.reset();
    SUCCEED();
  }
}

}  // namespace

TEST_CASE("the real server answers every transcript as recorded", "[.real]") {
  play_all<RealRedis>();
}

TEST_CASE("the emulator answers every transcript as the real server did") {
  play_all<EmulatorTarget>();
}

TEST_CASE("the corpus of scripting has at least four hundred recorded cases") {
  constexpr std::array kScripting{"EVAL"sv,  "EVAL_RO"sv,  "EVALSHA"sv, "EVALSHA_RO"sv,
                                  "FCALL"sv, "FCALL_RO"sv, "SCRIPT"sv,  "FUNCTION"sv};
  std::set<std::string> cases;  // Each request once.
  for (const auto& path : transcript_files())
    for (const Step& step : read_transcript(path).steps)
      if (std::ranges::find(kScripting, step.words.substr(0, step.words.find(' '))) !=
          kScripting.end())
        cases.insert(step.words + join(step.script));
  WARN(cases.size() << " different requests of EVAL, FCALL, SCRIPT and FUNCTION are recorded");
  CHECK(cases.size() >= 400);
}

TEST_CASE("a transcript is printed as it was read") {
  for (const auto& path : transcript_files()) {
    std::ifstream file{path, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    CHECK(print_transcript(parse_transcript(text, path)) == text);
  }
}

}  // namespace picklock::test
