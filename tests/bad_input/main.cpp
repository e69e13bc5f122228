// picklock-bad-input: the requests of the golden transcripts, spoilt in every way, on redis-server
// and on the emulator, byte for byte.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bad_input/tester.hpp"
#include "tests/differential/campaign.hpp"

namespace {

using namespace picklock::test;

constexpr std::string_view kUsage =
    "usage: picklock-bad-input TRANSCRIPTS [--resp 2|3] [--stride N] [--seed S] [--show N]\n"
    "  TRANSCRIPTS   a folder of golden transcripts, or one of them\n"
    "  --stride N    spoil every N-th request only; --seed S says from which on\n"
    "  --show N      print at most N differences\n";

struct BadInputOptions {
  std::string path;
  int resp = 2;
  std::size_t stride = 1;
  std::size_t seed = 0;
  std::size_t show = 40;
};

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

std::optional<BadInputOptions> parse(std::span<char* const> arguments) {
  if (arguments.size() % 2 != 1) return std::nullopt;
  BadInputOptions options{.path = arguments[0]};
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    const std::string_view name = arguments[i];
    const std::string_view value = arguments[i + 1];
    bool good = false;
    if (name == "--resp")
      good = read_number(value, options.resp) && (options.resp == 2 || options.resp == 3);
    else if (name == "--stride")
      good = read_number(value, options.stride) && options.stride > 0;
    else if (name == "--seed")
      good = read_number(value, options.seed);
    else if (name == "--show")
      good = read_number(value, options.show);
    if (!good) return std::nullopt;
  }
  return options;
}

std::vector<std::string> transcripts_in(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{path})
    if (entry.path().extension() == ".txt") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

int run(const BadInputOptions& options) {
  std::size_t requests = 0;
  std::size_t differences = 0;
  for (const auto& path : transcripts_in(options.path)) {
    RealRedis real;  // A new one each: no setting survives.
    BadInputTester tester{real, [](std::int64_t now_ms) { return make_candidate(now_ms, ""); },
                          options.resp};
    try {
      tester.play(read_transcript(path), options.stride, options.seed % options.stride);
    } catch (const TargetDied& death) {
      std::cout << path << ": redis-server died (" << death.what() << ")\n";
      ++differences;
    }
    requests += tester.requests();
    for (const auto& [where, request, theirs, ours] : tester.differences())
      if (differences++ < options.show)
        std::cout << where << "\n  request:      " << request << "\n  redis-server: " << theirs
                  << "\n  emulator:     " << ours << std::endl;
  }
  std::cout << requests << " requests in RESP" << options.resp << ", " << differences
            << " differences\n";
  return differences == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  const auto options =
      parse(std::span<char* const>{argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (!options) {
    std::cerr << kUsage;
    return 2;
  }
  try {
    return run(*options);
  } catch (const std::exception& error) {
    std::cerr << "picklock-bad-input: " << error.what() << '\n';
    return 2;
  }
}
