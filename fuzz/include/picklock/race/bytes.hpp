// Schedules out of bytes: the way of libFuzzer, AFL++ and their like into the search.
//
//   extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
//     static picklock::race::ByteRunner runner{options, scenario};
//     const auto verdict = runner.run({data, size});
//     if (!verdict) { std::cerr << verdict; std::abort(); }
//     return 0;
//   }
//
// Every choice takes one byte; when they are used up, the plainest option is taken. What the fuzzer
// found is shrunk and shown like any other failure, and its replay string needs no fuzzer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <picklock/race.hpp>

#pragma GCC visibility push(default)

namespace picklock::race {

/// Runs one schedule from the bytes of a fuzzer.
class ByteRunner {
 public:
  /// `counters`: where to count edges between abstract states for the fuzzer (libFuzzer: an array
  /// in the section __libfuzzer_extra_counters); may be empty. Throws std::invalid_argument as
  /// explore() does.
  ByteRunner(ExploreOptions options, Scenario scenario, std::span<std::uint8_t> counters = {});
  /// Leaves one that may only be destroyed.
  ByteRunner(ByteRunner&&) noexcept;
  ~ByteRunner();

  /// Runs the one schedule of these bytes. Only a failure costs more than that.
  Verdict run(std::span<const std::uint8_t> bytes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace picklock::race

#pragma GCC visibility pop
