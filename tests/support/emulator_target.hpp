// The emulator as a target of transcripts and of the differential test, byte by byte.
//
// Speaks to the engine through the connections that socket drivers use. One thread.
#pragma once

#include <string>
#include <vector>

#include <picklock/emulator.hpp>

#include "tests/support/target.hpp"

namespace picklock::test {

/// Settings of a transcript's @options, as an emulator takes them: name, value, ... Throws
/// std::runtime_error for one that cannot be given.
Options to_options(const std::vector<std::string>& settings);

class EmulatorTarget final : public Target {
 public:
  explicit EmulatorTarget(const std::vector<std::string>& settings)
      : EmulatorTarget(to_options(settings)) {}
  explicit EmulatorTarget(Options options = {}) : emulator_(std::move(options)) {}

  std::string_view name() const override { return "emulator"; }
  std::unique_ptr<Channel> connect() override;
  bool time_stands_still() const override { return true; }
  std::int64_t now_ms() override { return to_unix_ms(emulator_.now()); }
  void pass(std::chrono::milliseconds duration) override { emulator_.advance(duration); }

  Emulator& emulator() { return emulator_; }

 private:
  Emulator emulator_;
};

}  // namespace picklock::test
