// The choosers of a search: random, strict replay, tolerant replay.
//
// Not thread-safe; one chooser serves one run at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <picklock/race/choice.hpp>

#include "emulator/base/random.hpp"

namespace picklock::race {

/// Takes options at random, each as likely as its weight says.
class RandomChooser final : public Chooser {
 public:
  explicit RandomChooser(std::uint64_t seed) : random_(seed) {}
  void reseed(std::uint64_t seed) { random_.reseed(seed); }
  std::size_t pick(Kind kind, std::span<const Option> options) override;

 private:
  Random random_;
};

/// Follows a list of choices to the letter and ends the run at the first step that does not fit.
class ReplayChooser final : public Chooser {
 public:
  explicit ReplayChooser(std::span<const Choice> choices) : choices_(choices) {}
  std::size_t pick(Kind kind, std::span<const Option> options) override;

  /// Where the run left the list: "choice 7 of 12: expected ..., but the options are ...". Call
  /// at_end() after the run, too: a run that asks less than the list holds has left it as well.
  const std::string& mismatch() const { return mismatch_; }
  bool at_end() const { return next_ == choices_.size(); }
  std::size_t position() const { return next_; }

 private:
  std::span<const Choice> choices_;
  std::size_t next_ = 0;
  std::string mismatch_;
};

/// Follows a list of choices as far as it fits. When the next entry is not on offer, the first
/// option is taken, up to `patience` times in a row; then the entry is dropped. Past the end of the
/// list the first option is taken. What shrinking runs its candidates with.
class TolerantChooser final : public Chooser {
 public:
  void follow(std::span<const Choice> choices, int patience = 0) {
    choices_ = choices;
    patience_ = patience;
    next_ = 0;
    missed_ = 0;
  }
  std::size_t pick(Kind kind, std::span<const Option> options) override;

 private:
  std::span<const Choice> choices_;
  std::size_t next_ = 0;
  int patience_ = 0;
  int missed_ = 0;
};

/// Takes a byte for every choice; past the end of the bytes the first option.
class ByteChooser final : public Chooser {
 public:
  void follow(std::span<const std::uint8_t> bytes) { bytes_ = bytes; }
  std::size_t pick(Kind, std::span<const Option> options) override {
    if (bytes_.empty()) return 0;
    const std::size_t picked = bytes_.front() % options.size();
    bytes_ = bytes_.subspan(1);
    return picked;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// "worker 2 crashes" and the like, for messages about choices that do not fit.
std::string describe(Choice choice);

}  // namespace picklock::race
