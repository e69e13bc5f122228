// Ranges of a sorted set: by rank, by score, by the bytes of members.
//
// A range is read from two words and then cut out of a set as a span of ranks. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/keyspace/sorted_set.hpp"

namespace picklock {

/// Ranks from `first` to before `last`; empty when they are equal.
struct RankSpan {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t size() const { return last - first; }
};

/// `span` less its first `skip` ranks, its last ones if `reverse`.
RankSpan without_first(RankSpan span, bool reverse, std::size_t skip);

/// `start` and `stop` count from the end when they are negative, and are cut to what is there.
RankSpan rank_span(std::int64_t start, std::int64_t stop, std::size_t size);

struct ScoreRange {
  double min = 0;
  double max = 0;
  bool without_min = false;
  bool without_max = false;

  RankSpan within(const SortedSet& zset) const;
};

/// "1", "(1", "-inf". Redis 7.0, zslParseRange: read by strtod, hence blanks in front and nothing
/// at all (0) are taken, and what follows a NUL is not seen.
std::optional<ScoreRange> parse_score_range(std::string_view min, std::string_view max);

/// One end of a range by bytes.
struct LexBound {
  enum class Kind : std::uint8_t { least, bytes, greatest } kind = Kind::bytes;
  std::string_view bytes;
  bool exclusive = false;
};

struct LexRange {
  LexBound min;
  LexBound max;

  /// The range less the `skip` members that are met first (LIMIT's offset).
  ///
  /// Meant for a set whose scores are all equal. In a small one with different scores it gives what
  /// Redis's walk along a listpack gives; in a large one Redis itself depends on chance.
  RankSpan within(const SortedSet& zset, bool reverse, std::size_t skip) const;
};

/// "-", "+", "[a", "(a".
std::optional<LexRange> parse_lex_range(std::string_view min, std::string_view max);

}  // namespace picklock
