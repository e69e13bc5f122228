#include "emulator/commands/sorted_set_range.hpp"

#include <algorithm>
#include <cmath>
#include <locale.h>
#include <stdlib.h>
#include <string>

#include "emulator/base/text.hpp"

namespace picklock {
namespace {

struct ScoreBound {
  double score;
  bool exclusive;
};

std::optional<ScoreBound> parse_score_bound(std::string_view text) {
  const bool exclusive = text.starts_with('(');
  if (exclusive) text.remove_prefix(1);
  const std::string copy{until_nul(text)};
  const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  char* end = nullptr;
  const double score = strtod_l(copy.c_str(), &end, c_locale);
  freelocale(c_locale);
  if (*end != '\0' || std::isnan(score)) return std::nullopt;
  return ScoreBound{score, exclusive};
}

std::optional<LexBound> parse_lex_bound(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool alone = text.size() == 1 || text[1] == '\0';
  switch (text[0]) {
    case '-':
      if (!alone) return std::nullopt;
      return LexBound{LexBound::Kind::least, {}, false};
    case '+':
      if (!alone) return std::nullopt;
      return LexBound{LexBound::Kind::greatest, {}, false};
    case '(':
    case '[':
      return LexBound{LexBound::Kind::bytes, text.substr(1), text[0] == '('};
    default:
      return std::nullopt;
  }
}

bool not_below(std::string_view member, const LexBound& min) {
  if (min.kind != LexBound::Kind::bytes) return min.kind == LexBound::Kind::least;
  return min.exclusive ? member > min.bytes : member >= min.bytes;
}

bool not_above(std::string_view member, const LexBound& max) {
  if (max.kind != LexBound::Kind::bytes) return max.kind == LexBound::Kind::greatest;
  return max.exclusive ? member < max.bytes : member <= max.bytes;
}

/// Whether no member at all can be in the range.
bool impossible(const LexBound& min, const LexBound& max) {
  if (min.kind != max.kind) return min.kind > max.kind;
  if (min.kind != LexBound::Kind::bytes) return false;
  return min.bytes > max.bytes || (min.bytes == max.bytes && (min.exclusive || max.exclusive));
}

/// The walk along a listpack, which skips without looking at the members' bytes (Redis 7.0,
/// genericZrangebylexCommand) and ends at the first member after that which is outside.
RankSpan walk(const SortedSet& zset, const LexRange& range, bool reverse, std::size_t skip) {
  const auto items = zset.items(0, zset.size());
  const std::size_t size = items.size();
  const auto member = [&](std::size_t step) {
    return items[reverse ? size - 1 - step : step].member;
  };
  const auto entered = [&](std::string_view bytes) {
    return reverse ? not_above(bytes, range.max) : not_below(bytes, range.min);
  };
  const auto inside = [&](std::string_view bytes) {
    return reverse ? not_below(bytes, range.min) : not_above(bytes, range.max);
  };
  std::size_t first = 0;
  while (first < size && !entered(member(first))) ++first;
  if (first == size || !inside(member(first))) return {};
  first += std::min(skip, size - first);
  std::size_t last = first;
  while (last < size && inside(member(last))) ++last;
  return reverse ? RankSpan{size - last, size - first} : RankSpan{first, last};
}

}  // namespace

RankSpan without_first(RankSpan span, bool reverse, std::size_t skip) {
  skip = std::min(skip, span.size());
  return reverse ? RankSpan{span.first, span.last - skip} : RankSpan{span.first + skip, span.last};
}

RankSpan rank_span(std::int64_t start, std::int64_t stop, std::size_t size) {
  const auto length = static_cast<std::int64_t>(size);
  if (start < 0) start = std::max<std::int64_t>(start + length, 0);
  if (stop < 0) stop += length;
  if (start > stop || start >= length) return {};
  stop = std::min(stop, length - 1);
  return {static_cast<std::size_t>(start), static_cast<std::size_t>(stop) + 1};
}

std::optional<ScoreRange> parse_score_range(std::string_view min, std::string_view max) {
  const auto low = parse_score_bound(min);
  const auto high = parse_score_bound(max);
  if (!low || !high) return std::nullopt;
  return ScoreRange{low->score, high->score, low->exclusive, high->exclusive};
}

RankSpan ScoreRange::within(const SortedSet& zset) const {
  const std::size_t first = zset.count_while([&](const SortedSet::Item& item) {
    return without_min ? item.score <= min : item.score < min;
  });
  const std::size_t last = zset.count_while([&](const SortedSet::Item& item) {
    return without_max ? item.score < max : item.score <= max;
  });
  return first < last ? RankSpan{first, last} : RankSpan{};
}

std::optional<LexRange> parse_lex_range(std::string_view min, std::string_view max) {
  const auto low = parse_lex_bound(min);
  const auto high = parse_lex_bound(max);
  if (!low || !high) return std::nullopt;
  return LexRange{*low, *high};
}

RankSpan LexRange::within(const SortedSet& zset, bool reverse, std::size_t skip) const {
  // Redis 7.0, zzlIsInLexRange: the last member must not be below, the first one not above.
  if (zset.empty() || impossible(min, max) || !not_below(zset.at(zset.size() - 1).member, min) ||
      !not_above(zset.at(0).member, max))
    return {};
  if (zset.compact()) return walk(zset, *this, reverse, skip);
  const std::size_t first =
      zset.count_while([&](const SortedSet::Item& item) { return !not_below(item.member, min); });
  const std::size_t last =
      zset.count_while([&](const SortedSet::Item& item) { return not_above(item.member, max); });
  return first < last ? without_first({first, last}, reverse, skip) : RankSpan{};
}

}  // namespace picklock
