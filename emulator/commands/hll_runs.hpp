// The sparse form of a HyperLogLog: runs of equal registers.
//
// 00nnnnnn is a run of up to 64 zeros, 01nnnnnn nnnnnnnn one of up to 16384, 1vvvvvnn one of up to
// four registers of a value up to 32; lengths and values are kept less one. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace picklock::hll {

inline constexpr std::size_t kHeaderBytes = 16;

inline unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

struct Run {
  enum class Kind : std::uint8_t { zeros, many_zeros, value } kind;
  std::size_t length;
  std::uint8_t value;  ///< 0 but for Kind::value.

  std::size_t bytes() const { return kind == Kind::many_zeros ? 2 : 1; }
};

/// The run at `at`, which must be within `bytes`; a byte that is cut off at the end counts as 0.
Run read_run(std::string_view bytes, std::size_t at);
/// Appends a run of `length` zeros, which must be at least one.
void append_zeros(std::string& bytes, std::size_t length);

enum class RunOutcome : std::uint8_t { same, changed, corrupted, too_large };

/// Raises register `at` to `count`. Nothing is changed if it is too large: the value for a run, or
/// the string, which would have more than `most_bytes`.
RunOutcome raise_in_runs(std::string& bytes, std::size_t at, std::uint8_t count,
                         std::int64_t most_bytes);

}  // namespace picklock::hll
