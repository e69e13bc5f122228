#include "fuzz/search/part.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"

namespace picklock::race {
namespace {

std::string text(std::uint64_t value) { return to_text(static_cast<std::int64_t>(value)); }

/// Returns a complaint, or nothing.
std::string check(std::span<const Part> parts) {
  if (parts.empty()) return "there is no part to merge";
  const Part& first = parts.front();
  std::vector<bool> given(first.shard.count);
  for (const Part& part : parts) {
    if (part.shard.count != first.shard.count || part.program != first.program ||
        part.seed != first.seed || part.schedules != first.schedules)
      return "the parts are of different campaigns: give those of one program, one seed, one "
             "number of schedules and one number of shards";
    if (given[part.shard.index - 1]) return "shard " + text(part.shard.index) + " is there twice";
    given[part.shard.index - 1] = true;
  }
  const auto missing = std::find(given.begin(), given.end(), false);
  if (missing == given.end()) return "";
  return "shard " + text(static_cast<std::uint64_t>(missing - given.begin()) + 1) + " of " +
         text(given.size()) + " is missing: run it, and merge all";
}

/// The part that ended the campaign; null if it ran to its end.
const Part* find_last(std::span<const Part> parts) {
  const Part* last = nullptr;
  for (const Part& part : parts)
    if (part.stopped_at != 0 && (last == nullptr || part.stopped_at < last->stopped_at))
      last = &part;
  return last;
}

/// The first failure of the highest class, of those that the campaign has met.
const Part* find_worst(std::span<const Part> parts, std::uint64_t schedules) {
  const Part* worst = nullptr;
  for (const Part& part : parts) {
    if (part.verdict == Class::holds || part.found_at > schedules) continue;
    if (worst == nullptr || part.verdict > worst->verdict ||
        (part.verdict == worst->verdict && part.found_at < worst->found_at))
      worst = &part;
  }
  return worst;
}

}  // namespace

bool parse_shard(std::string_view text, Shard& shard) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::optional<std::uint64_t> index = parse_uint64(text.substr(0, slash));
  const std::optional<std::uint64_t> count = parse_uint64(text.substr(slash + 1));
  if (!index || !count || *index < 1 || *index > *count || *count > kMostShards) return false;
  shard = {*index, *count, true};
  return true;
}

bool is_mine(const Shard& shard, std::uint64_t number) {
  return (number - 1) / kSlice % shard.count == shard.index - 1;
}

bool join(std::span<const Part> parts, Findings& findings, std::string& error) {
  error = check(parts);
  if (!error.empty()) return false;
  const Part* last = find_last(parts);
  findings.schedules = last != nullptr ? last->stopped_at : parts.front().schedules;
  findings.repeated = count_audited(findings.schedules);
  if (last != nullptr) findings.nondeterminism = last->nondeterminism;
  if (const Part* worst = find_worst(parts, findings.schedules); worst != nullptr) {
    findings.worst.choices = worst->choices;
    findings.worst.result.finding.verdict = worst->verdict;
    findings.found_at = worst->found_at;
    findings.found_by = worst->found_by;
  }
  const std::uint64_t last_slice = (findings.schedules - 1) / kSlice;
  for (const Part& part : parts) {
    for (const auto& [slice, count] : part.limits)
      if (slice <= last_slice) findings.limits += count;
    for (const auto& [slice, edges] : part.edges)
      for (const std::uint32_t edge : edges)
        if (slice <= last_slice) findings.coverage.set(edge);
  }
  return true;
}

}  // namespace picklock::race
