#include "emulator/commands/hll.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/hll_runs.hpp"

namespace picklock::hll {
namespace {

constexpr std::size_t kIndexBits = 14;
constexpr std::size_t kHashBits = 64 - kIndexBits;
constexpr std::size_t kDenseBytes = kHeaderBytes + kRegisters * 6 / 8;
constexpr std::size_t kEncodingAt = 4;
constexpr std::size_t kCardinalityAt = 8;
constexpr unsigned char kStale = 0x80;  // In the last byte of the cardinality.

/// MurmurHash64A with the seed of Redis; reads the bytes as little-endian.
std::uint64_t murmur(std::string_view bytes) {
  constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995ULL;
  constexpr int kShift = 47;
  std::uint64_t hash = 0xadc83b19ULL ^ (bytes.size() * kMultiplier);
  while (bytes.size() >= 8) {
    std::uint64_t block = 0;
    for (int i = 7; i >= 0; --i) block = block << 8 | byte_at(bytes, static_cast<std::size_t>(i));
    block *= kMultiplier;
    block ^= block >> kShift;
    hash = (hash ^ block * kMultiplier) * kMultiplier;
    bytes.remove_prefix(8);
  }
  if (!bytes.empty()) {
    std::uint64_t rest = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) rest = rest << 8 | byte_at(bytes, i);
    hash = (hash ^ rest) * kMultiplier;
  }
  hash ^= hash >> kShift;
  hash *= kMultiplier;
  return hash ^ hash >> kShift;
}

std::uint8_t dense_register(std::string_view bytes, std::size_t at) {
  const std::size_t bit = at * 6;
  const std::size_t byte = kHeaderBytes + bit / 8;
  const unsigned low = byte_at(bytes, byte);
  const unsigned high = byte + 1 < bytes.size() ? byte_at(bytes, byte + 1) : 0;
  return static_cast<std::uint8_t>((low | high << 8) >> (bit % 8) & 63);
}

void set_dense_register(std::string& bytes, std::size_t at, std::uint8_t value) {
  const std::size_t bit = at * 6;
  const std::size_t byte = kHeaderBytes + bit / 8;
  const unsigned mask = 63U << (bit % 8);
  const unsigned bits = unsigned{value} << (bit % 8);
  bytes[byte] = static_cast<char>((byte_at(bytes, byte) & ~mask) | bits);
  if (byte + 1 < bytes.size())
    bytes[byte + 1] = static_cast<char>((byte_at(bytes, byte + 1) & ~(mask >> 8)) | (bits >> 8));
}

/// Calls `visit(first, length, value)` for each run; true if they cover the registers exactly.
template <class Visit>
bool for_each_run(std::string_view bytes, Visit&& visit) {
  std::size_t first = 0;
  for (std::size_t at = kHeaderBytes; at < bytes.size();) {
    const Run run = read_run(bytes, at);
    if (first + run.length > kRegisters) return false;
    visit(first, run.length, run.value);
    first += run.length;
    at += run.bytes();
  }
  return first == kRegisters;
}

/// How many registers have each value.
using Histogram = std::array<std::uint64_t, 64>;

// The two series of "New cardinality estimation algorithms for HyperLogLog sketches", Otmar Ertl,
// 2017; both converge until a double no longer changes.
double tau(double x) {
  if (x == 0 || x == 1) return 0;
  double sum = 1 - x;
  double before = 0;
  for (double factor = 1; sum != before;) {
    x = std::sqrt(x);
    before = sum;
    factor *= 0.5;
    sum -= std::pow(1 - x, 2) * factor;
  }
  return sum / 3;
}

double sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double sum = x;
  double before = -1;
  for (double factor = 1; sum != before; factor += factor) {
    x *= x;
    before = sum;
    sum += x * factor;
  }
  return sum;
}

std::uint64_t estimate(const Histogram& histogram) {
  constexpr double kAlpha = 0.721347520444481703680;
  constexpr double kSize = kRegisters;
  double sum = kSize * tau((kSize - static_cast<double>(histogram[kHashBits + 1])) / kSize);
  for (std::size_t value = kHashBits; value >= 1; --value) {
    sum += static_cast<double>(histogram[value]);
    sum *= 0.5;
  }
  sum += kSize * sigma(static_cast<double>(histogram[0]) / kSize);
  const long double estimate = kAlpha * kSize * kSize / sum;
  // Registers that no hash gives: as x86 converts infinity.
  if (!(estimate < 0x1p63L)) return std::uint64_t{1} << 63;
  return static_cast<std::uint64_t>(static_cast<double>(std::llroundl(estimate)));
}

}  // namespace

std::string make() {
  std::string bytes = "HYLL";
  bytes += static_cast<char>(Encoding::sparse);
  bytes.resize(kHeaderBytes);
  append_zeros(bytes, kRegisters);
  return bytes;
}

bool is_valid(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("HYLL")) return false;
  if (byte_at(bytes, kEncodingAt) > static_cast<unsigned>(Encoding::sparse)) return false;
  return encoding(bytes) == Encoding::sparse || bytes.size() == kDenseBytes;
}

Encoding encoding(std::string_view bytes) {
  return static_cast<Encoding>(byte_at(bytes, kEncodingAt));
}

Outcome add(std::string& bytes, std::string_view element, std::int64_t most_bytes) {
  const std::uint64_t hash = murmur(element);
  std::uint64_t rest = hash >> kIndexBits | std::uint64_t{1} << kHashBits;
  std::uint8_t count = 1;
  for (; (rest & 1) == 0; rest >>= 1) ++count;
  return raise(bytes, hash & (kRegisters - 1), count, most_bytes);
}

Outcome raise(std::string& bytes, std::size_t at, std::uint8_t count, std::int64_t most_bytes) {
  if (encoding(bytes) == Encoding::sparse) {
    const auto outcome = raise_in_runs(bytes, at, count, most_bytes);
    if (outcome != RunOutcome::too_large) {
      if (outcome == RunOutcome::corrupted) return Outcome::corrupted;
      if (outcome == RunOutcome::same) return Outcome::same;
      forget(bytes);
      return Outcome::changed;
    }
    if (!make_dense(bytes)) return Outcome::corrupted;
  }
  if (dense_register(bytes, at) >= count) return Outcome::same;
  set_dense_register(bytes, at, count);
  return Outcome::changed;
}

bool make_dense(std::string& bytes) {
  if (encoding(bytes) == Encoding::dense) return true;
  std::string dense = bytes.substr(0, kHeaderBytes);
  dense[kEncodingAt] = static_cast<char>(Encoding::dense);
  dense.resize(kDenseBytes);
  const bool whole =
      for_each_run(bytes, [&](std::size_t first, std::size_t length, std::uint8_t value) {
        if (value == 0) return;
        for (std::size_t i = first; i < first + length; ++i) set_dense_register(dense, i, value);
      });
  if (whole) bytes = std::move(dense);
  return whole;
}

bool merge_into(Registers& registers, std::string_view bytes) {
  if (encoding(bytes) == Encoding::sparse)
    return for_each_run(bytes, [&](std::size_t first, std::size_t length, std::uint8_t value) {
      for (std::size_t i = first; i < first + length; ++i)
        registers[i] = std::max(registers[i], value);
    });
  for (std::size_t i = 0; i < kRegisters; ++i)
    registers[i] = std::max(registers[i], dense_register(bytes, i));
  return true;
}

std::optional<std::uint64_t> cached(std::string_view bytes) {
  std::uint64_t cardinality = 0;
  for (std::size_t i = 8; i-- > 0;)
    cardinality = cardinality << 8 | byte_at(bytes, kCardinalityAt + i);
  if (cardinality >> 63) return std::nullopt;
  return cardinality;
}

void remember(std::string& bytes, std::uint64_t cardinality) {
  for (std::size_t i = 0; i < 8; ++i)
    bytes[kCardinalityAt + i] = static_cast<char>(cardinality >> (8 * i) & 0xff);
}

void forget(std::string& bytes) {
  bytes[kCardinalityAt + 7] = static_cast<char>(byte_at(bytes, kCardinalityAt + 7) | kStale);
}

std::optional<std::uint64_t> count(std::string_view bytes) {
  Histogram histogram{};
  if (encoding(bytes) == Encoding::dense) {
    for (std::size_t i = 0; i < kRegisters; ++i) ++histogram[dense_register(bytes, i)];
    return estimate(histogram);
  }
  if (!for_each_run(bytes, [&](std::size_t, std::size_t length, std::uint8_t value) {
        histogram[value] += length;
      }))
    return std::nullopt;
  return estimate(histogram);
}

std::uint64_t count(const Registers& registers) {
  Histogram histogram{};
  for (const std::uint8_t value : registers) ++histogram[value];
  return estimate(histogram);
}

std::string describe(std::string_view bytes) {
  std::string text;
  for (std::size_t at = kHeaderBytes; at < bytes.size();) {
    const Run run = read_run(bytes, at);
    if (run.value > 0)
      text += "v:" + to_text(run.value) + ",";
    else
      text += run.bytes() == 2 ? "Z:" : "z:";
    text += to_text(static_cast<std::int64_t>(run.length)) + " ";
    at += run.bytes();
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace picklock::hll
