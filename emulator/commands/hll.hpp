// The bytes of a HyperLogLog, as Redis keeps them in a string.
//
// A header ("HYLL", encoding, cached cardinality), then 16384 registers: dense, six bits each, or
// sparse, as runs of equal registers. A string may come from anywhere: no run is trusted to end
// where it should. Pure functions; every change of a register is that of Redis 7.0, byte by byte.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace picklock::hll {

inline constexpr std::size_t kRegisters = 16384;
using Registers = std::array<std::uint8_t, kRegisters>;

enum class Encoding : std::uint8_t { dense, sparse };

/// An empty one.
std::string make();
/// Whether the header fits. What follows it may still be corrupted.
bool is_valid(std::string_view bytes);
Encoding encoding(std::string_view bytes);

/// What a change came to.
enum class Outcome : std::uint8_t { same, changed, corrupted };

/// Adds an element; a sparse form of more than `most_bytes` becomes dense.
Outcome add(std::string& bytes, std::string_view element, std::int64_t most_bytes);
/// Raises a register to `count`.
Outcome raise(std::string& bytes, std::size_t at, std::uint8_t count, std::int64_t most_bytes);
/// False, and nothing is changed, if the runs do not cover the registers.
bool make_dense(std::string& bytes);
/// Raises each of `registers` to that of `bytes`. False if the runs do not cover the registers;
/// what was read until then has been merged.
bool merge_into(Registers& registers, std::string_view bytes);

/// The cardinality that the header remembers, unless it is out of date.
std::optional<std::uint64_t> cached(std::string_view bytes);
void remember(std::string& bytes, std::uint64_t cardinality);
void forget(std::string& bytes);

/// The estimate; nullopt if the runs do not cover the registers.
std::optional<std::uint64_t> count(std::string_view bytes);
std::uint64_t count(const Registers& registers);

/// The runs of a sparse one, as PFDEBUG DECODE shows them.
std::string describe(std::string_view bytes);

}  // namespace picklock::hll
