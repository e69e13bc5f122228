// Ranges of sorted sets: reading, storing, counting and removing them.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/sorted_set_range.hpp"
#include "emulator/commands/sorted_set_replies.hpp"

namespace picklock {
namespace {

enum class By : std::uint8_t { rank, score, lex };

struct RangeOptions {
  By by = By::rank;
  bool reverse = false;
  bool with_scores = false;
  std::int64_t offset = 0;
  std::int64_t limit = -1;  // Negative: no limit.
};

/// Which options a command takes beyond LIMIT.
struct Allowed {
  bool by = false;
  bool reverse = false;
  bool with_scores = true;
};

/// Reads the options from word `at` on; false if an error was answered.
bool read_options(Context& c, std::size_t at, Allowed allowed, RangeOptions& options) {
  for (; at < c.args.size(); ++at) {
    const std::string_view word = c.args[at];
    if (allowed.with_scores && is_word(word, "withscores")) {
      options.with_scores = true;
    } else if (is_word(word, "limit") && at + 2 < c.args.size()) {
      const auto offset = parse_int64(c.args[at + 1]);
      const auto limit = parse_int64(c.args[at + 2]);
      if (!offset || !limit) return c.reply.error(errors::kNotInteger), false;
      options.offset = *offset;
      options.limit = *limit;
      at += 2;
    } else if (allowed.reverse && !options.reverse && is_word(word, "rev")) {
      options.reverse = true;
    } else if (allowed.by && options.by == By::rank && is_word(word, "byscore")) {
      options.by = By::score;
    } else if (allowed.by && options.by == By::rank && is_word(word, "bylex")) {
      options.by = By::lex;
    } else {
      return c.reply.error(errors::kSyntax), false;
    }
  }
  // Redis takes a limit of -1 for none given.
  if (options.limit != -1 && options.by == By::rank)
    return c.reply.error(errors::kLimitWithoutRange), false;
  if (options.with_scores && options.by == By::lex)
    return c.reply.error(errors::kWithscoresByLex), false;
  return true;
}

/// Two words that say which part of a set is meant.
class Range {
 public:
  /// nullopt if an error was answered.
  static std::optional<Range> read(Context& c, By by, std::string_view min, std::string_view max) {
    Range range;
    range.by_ = by;
    if (by == By::score) {
      const auto scores = parse_score_range(min, max);
      if (!scores) return c.reply.error(errors::kScoreRange), std::nullopt;
      range.scores_ = *scores;
    } else if (by == By::lex) {
      const auto lex = parse_lex_range(min, max);
      if (!lex) return c.reply.error(errors::kLexRange), std::nullopt;
      range.lex_ = *lex;
    } else {
      const auto start = parse_int64(min);
      const auto stop = parse_int64(max);
      if (!start || !stop) return c.reply.error(errors::kNotInteger), std::nullopt;
      range.start_ = *start;
      range.stop_ = *stop;
    }
    return range;
  }

  /// The range less the `skip` members that come first in the order of the answer. Ranks count from
  /// the end when `reverse`, but those returned never do.
  RankSpan within(const SortedSet& zset, bool reverse = false, std::size_t skip = 0) const {
    if (by_ == By::score) return without_first(scores_.within(zset), reverse, skip);
    if (by_ == By::lex) return lex_.within(zset, reverse, skip);
    const RankSpan span = rank_span(start_, stop_, zset.size());
    return reverse ? RankSpan{zset.size() - span.last, zset.size() - span.first} : span;
  }

 private:
  By by_ = By::rank;
  std::int64_t start_ = 0;
  std::int64_t stop_ = 0;
  ScoreRange scores_;
  LexRange lex_;
};

/// The items of `zset` that are answered, in the order of the answer.
std::vector<SortedSet::Item> found_in(const SortedSet& zset, const Range& range,
                                      const RangeOptions& options) {
  // A negative offset skips everything.
  const std::size_t skip =
      options.offset < 0 ? zset.size() : static_cast<std::size_t>(options.offset);
  const RankSpan span = range.within(zset, options.reverse, skip);
  std::size_t count = span.size();
  if (options.by != By::rank && options.limit >= 0)
    count = std::min(count, static_cast<std::size_t>(options.limit));
  auto items = zset.items(options.reverse ? span.last - count : span.first, count);
  if (options.reverse) std::ranges::reverse(items);
  return items;
}

/// The words of the range stand from `first` on, its key before them.
void range(Context& c, std::size_t first, Allowed allowed, RangeOptions options,
           std::optional<std::string_view> target = std::nullopt) {
  if (!read_options(c, first + 2, allowed, options)) return;
  std::string_view min = c.args[first];
  std::string_view max = c.args[first + 1];
  if (options.reverse && options.by != By::rank) std::swap(min, max);
  const auto wanted = Range::read(c, options.by, min, max);
  if (!wanted) return;
  const auto* zset = c.read_as<SortedSet>(c.args[first - 1]);
  if (c.failed) return;
  const auto found = zset ? found_in(*zset, *wanted, options) : std::vector<SortedSet::Item>{};
  if (target) {
    SortedSet result;
    for (const SortedSet::Item& item : found) result.set(item.member, item.score, c.limits);
    return sorted_sets::store(c, *target, std::move(result), "zrangestore");
  }
  if (!zset) return c.reply.array(0);
  sorted_sets::begin_items(c, found.size(), options.with_scores);
  for (const SortedSet::Item& item : found)
    sorted_sets::write_item(c, item.member, item.score, options.with_scores);
}

void zrange(Context& c) { range(c, 2, {.by = true, .reverse = true}, {}); }
void zrangestore(Context& c) {
  range(c, 3, {.by = true, .reverse = true, .with_scores = false}, {}, c.args[1]);
}
void zrevrange(Context& c) { range(c, 2, {}, {.reverse = true}); }
void zrangebyscore(Context& c) { range(c, 2, {}, {.by = By::score}); }
void zrevrangebyscore(Context& c) { range(c, 2, {}, {.by = By::score, .reverse = true}); }
void zrangebylex(Context& c) { range(c, 2, {}, {.by = By::lex}); }
void zrevrangebylex(Context& c) { range(c, 2, {}, {.by = By::lex, .reverse = true}); }

void count(Context& c, By by) {
  const auto range = Range::read(c, by, c.args[2], c.args[3]);
  if (!range) return;
  const auto* zset = c.find_as<SortedSet>(c.args[1]);
  if (c.failed) return;
  c.reply.integer(zset ? static_cast<std::int64_t>(range->within(*zset).size()) : 0);
}

void zcount(Context& c) { count(c, By::score); }
void zlexcount(Context& c) { count(c, By::lex); }

void remove(Context& c, By by) {
  const auto range = Range::read(c, by, c.args[2], c.args[3]);
  if (!range) return;
  const std::string_view key = c.args[1];
  const auto* zset = c.find_as<SortedSet>(key);
  if (c.failed) return;
  const RankSpan span = zset ? range->within(*zset) : RankSpan{};
  if (span.size() == 0) return c.reply.integer(0);
  auto* writable = c.edit_as<SortedSet>(key);
  writable->erase(span.first, span.size());
  c.event(EventClass::sorted_set, c.command->name, key);
  sorted_sets::delete_if_empty(c, key, *writable);
  c.reply.integer(static_cast<std::int64_t>(span.size()));
}

void zremrangebyrank(Context& c) { remove(c, By::rank); }
void zremrangebyscore(Context& c) { remove(c, By::score); }
void zremrangebylex(Context& c) { remove(c, By::lex); }

constexpr KeySpec kStoreOne[] = {{"OW update"}, {.flags = "RO access", .first = 2}};
constexpr std::uint32_t kRangeReads = kReadonly | kFast;
constexpr Command kSortedSetRangesCommands[] = {
    {"zrange", -4, kReadonly, kAclSortedSet, keys::kRead, "sorted-set", "1.2.0", zrange},
    {"zrangestore", -5, kWrite | kDenyOom, kAclSortedSet, kStoreOne, "sorted-set", "6.2.0",
     zrangestore},
    {"zrevrange", -4, kReadonly, kAclSortedSet, keys::kRead, "sorted-set", "1.2.0", zrevrange},
    {"zrangebyscore", -4, kReadonly, kAclSortedSet, keys::kRead, "sorted-set", "1.0.5",
     zrangebyscore},
    {"zrevrangebyscore", -4, kReadonly, kAclSortedSet, keys::kRead, "sorted-set", "2.2.0",
     zrevrangebyscore},
    {"zrangebylex", -4, kReadonly, kAclSortedSet, keys::kRead, "sorted-set", "2.8.9", zrangebylex},
    {"zrevrangebylex", -4, kReadonly, kAclSortedSet, keys::kRead, "sorted-set", "2.8.9",
     zrevrangebylex},
    {"zcount", 4, kRangeReads, kAclSortedSet, keys::kRead, "sorted-set", "2.0.0", zcount},
    {"zlexcount", 4, kRangeReads, kAclSortedSet, keys::kRead, "sorted-set", "2.8.9", zlexcount},
    {"zremrangebyrank", 4, kWrite, kAclSortedSet, keys::kDelete, "sorted-set", "2.0.0",
     zremrangebyrank},
    {"zremrangebyscore", 4, kWrite, kAclSortedSet, keys::kDelete, "sorted-set", "1.2.0",
     zremrangebyscore},
    {"zremrangebylex", 4, kWrite, kAclSortedSet, keys::kDelete, "sorted-set", "2.8.9",
     zremrangebylex},
};

}  // namespace

std::span<const Command> commands::sorted_set_ranges() { return kSortedSetRangesCommands; }

}  // namespace picklock
