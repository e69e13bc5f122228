#include "emulator/commands/hll_runs.hpp"

#include <optional>

namespace picklock::hll {
namespace {

constexpr std::uint8_t kMaxValue = 32;
constexpr std::size_t kMostValues = 4;
constexpr std::size_t kMostZeros = 64;

void append_value(std::string& bytes, std::uint8_t value, std::size_t length) {
  bytes += static_cast<char>(0x80U | (value - 1U) << 2 | static_cast<unsigned>(length - 1));
}

/// A run within the string, with its place.
struct Place {
  std::size_t at;        ///< Its first byte.
  std::size_t previous;  ///< That of the run before it, or its own.
  std::size_t first;     ///< Its first register.
  Run run;
};

std::optional<Place> find(std::string_view bytes, std::size_t index) {
  std::size_t first = 0;
  std::size_t previous = kHeaderBytes;
  for (std::size_t at = kHeaderBytes; at < bytes.size();) {
    const Run run = read_run(bytes, at);
    if (index < first + run.length) {
      if (at + run.bytes() > bytes.size()) return std::nullopt;  // Its second byte is cut off.
      return Place{at, previous, first, run};
    }
    first += run.length;
    previous = at;
    at += run.bytes();
  }
  return std::nullopt;
}

/// The run of `place` with its register `index` raised to `count`.
std::string split(const Place& place, std::size_t index, std::uint8_t count) {
  std::string runs;
  const auto append_old = [&](std::size_t length) {
    if (length == 0) return;
    if (place.run.value > 0)
      append_value(runs, place.run.value, length);
    else
      append_zeros(runs, length);
  };
  append_old(index - place.first);
  append_value(runs, count, 1);
  append_old(place.first + place.run.length - 1 - index);
  return runs;
}

/// Joins neighbours of equal values among the five runs from `at` on. Redis: hllSparseSet, step 4.
void join(std::string& bytes, std::size_t at) {
  for (int scanned = 0; scanned < 5 && at < bytes.size(); ++scanned) {
    const Run run = read_run(bytes, at);
    if (run.value > 0 && at + 1 < bytes.size()) {
      const Run next = read_run(bytes, at + 1);
      if (next.value == run.value && run.length + next.length <= kMostValues) {
        std::string joined;
        append_value(joined, run.value, run.length + next.length);
        bytes.replace(at, 2, joined);
        continue;
      }
    }
    at += run.bytes();
  }
}

}  // namespace

Run read_run(std::string_view bytes, std::size_t at) {
  const unsigned byte = byte_at(bytes, at);
  if (byte & 0x80U)
    return {Run::Kind::value, (byte & 3U) + 1, static_cast<std::uint8_t>((byte >> 2 & 31U) + 1)};
  if (!(byte & 0x40U)) return {Run::Kind::zeros, (byte & 63U) + 1, 0};
  const unsigned low = at + 1 < bytes.size() ? byte_at(bytes, at + 1) : 0;
  return {Run::Kind::many_zeros, ((byte & 63U) << 8 | low) + 1, 0};
}

void append_zeros(std::string& bytes, std::size_t length) {
  const auto less_one = static_cast<unsigned>(length - 1);
  if (length > kMostZeros) bytes += static_cast<char>(0x40U | less_one >> 8);
  bytes += static_cast<char>(less_one & 0xffU);
}

RunOutcome raise_in_runs(std::string& bytes, std::size_t at, std::uint8_t count,
                         std::int64_t most_bytes) {
  if (count > kMaxValue) return RunOutcome::too_large;
  const auto place = find(bytes, at);
  if (!place) return RunOutcome::corrupted;
  if (place->run.value >= count) return RunOutcome::same;
  const std::string runs = split(*place, at, count);
  const std::size_t old = place->run.bytes();
  if (runs.size() > old && static_cast<std::int64_t>(bytes.size() + runs.size() - old) > most_bytes)
    return RunOutcome::too_large;
  bytes.replace(place->at, old, runs);
  join(bytes, place->previous);
  return RunOutcome::changed;
}

}  // namespace picklock::hll
