// record_transcripts [--check] FILE...: fills in the replies of golden transcripts from a real
// redis-server.
//
// It links no emulator on purpose: what a transcript says can only have come from Redis itself.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "tests/support/real_redis.hpp"
#include "tests/support/transcript.hpp"
#include "tests/support/transcript_match.hpp"
#include "tests/support/transcript_player.hpp"

namespace {

using namespace picklock::test;

struct Report {
  int differences = 0;
  void difference(const Transcript& transcript, const Step& step, int protocol,
                  const std::vector<std::string>& actual) {
    ++differences;
    std::cerr << transcript.path << ':' << step.line << " (RESP" << protocol << "): " << step.source
              << '\n';
    for (const auto& line : step.expectation(protocol)) std::cerr << "  - " << line << '\n';
    for (const auto& line : actual) std::cerr << "  + " << line << '\n';
  }
};

void take_reply(Step& step, int protocol, std::vector<std::string> actual) {
  if (protocol == 2)
    step.expected = std::move(actual);
  else
    step.expected3 = std::move(actual);
}

// Plays the transcript and puts in what does not match. In RESP3 a reply of its own is kept only
// where the RESP2 one does not do.
void record(Transcript& transcript, int protocol, Report& report) {
  RealRedis server{transcript.options};
  if (!transcript.lets_time_pass()) server.expire_only_on_access();
  Player player{server, protocol};
  for (Step& step : transcript.steps) {
    const Outcome outcome = player.play(step);
    if (step.kind == Step::Kind::text || step.kind == Step::Kind::wait) continue;
    if (protocol == 3 && step.expected3 && matches(step.expected, outcome)) {
      step.expected3.reset();
      continue;
    }
    const auto& expected = step.expectation(protocol);
    if (matches(expected, outcome)) continue;
    const auto actual = render(outcome, expected);
    const bool only_mark = expected.size() == 1 && expected[0].starts_with("(sorted");
    if (!expected.empty() && !only_mark && (protocol == 2 || step.expected3))
      report.difference(transcript, step, protocol, actual);
    take_reply(step, protocol, actual);
  }
}

void check(const Transcript& transcript, int protocol, Report& report) {
  RealRedis server{transcript.options};
  if (!transcript.lets_time_pass()) server.expire_only_on_access();
  Player player{server, protocol};
  for (const Step& step : transcript.steps) {
    const Outcome outcome = player.play(step);
    if (step.kind == Step::Kind::text || step.kind == Step::Kind::wait) continue;
    const auto& expected = step.expectation(protocol);
    if (!matches(expected, outcome))
      report.difference(transcript, step, protocol, render(outcome, expected));
  }
}

int run(bool only_check, const std::vector<std::string>& paths) {
  Report report;
  for (const auto& path : paths) {
    Transcript transcript = read_transcript(path);
    for (const int protocol : transcript.resp3 ? std::vector{2, 3} : std::vector{2}) {
      if (only_check)
        check(transcript, protocol, report);
      else
        record(transcript, protocol, report);
    }
    if (!only_check) std::ofstream{path, std::ios::binary} << print_transcript(transcript);
  }
  return only_check && report.differences > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  std::vector<std::string> paths{argv + 1, argv + argc};
  const bool only_check = !paths.empty() && paths[0] == "--check";
  if (only_check) paths.erase(paths.begin());
  if (paths.empty() || paths[0].starts_with('-')) {
    std::cerr << "usage: record_transcripts [--check] FILE...\n";
    return 2;
  }
  try {
    return run(only_check, paths);
  } catch (const std::exception& error) {
    std::cerr << "record_transcripts: " << error.what() << '\n';
    return 2;
  }
}
