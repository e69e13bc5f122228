// Sorted sets: adding, removing and asking for single members. A sorted set that loses its last
// member is deleted.
#include <cmath>
#include <optional>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/sorted_set_replies.hpp"

namespace picklock {
namespace {

struct AddOptions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
  bool changed = false;
  bool increment = false;
  std::size_t first_pair = 2;

  /// Takes `word` if it is an option.
  bool take(std::string_view word) {
    if (is_word(word, "nx")) return nx = true;
    if (is_word(word, "xx")) return xx = true;
    if (is_word(word, "gt")) return gt = true;
    if (is_word(word, "lt")) return lt = true;
    if (is_word(word, "ch")) return changed = true;
    if (is_word(word, "incr")) return increment = true;
    return false;
  }
};

/// The options of ZADD; nullopt if an error was answered.
std::optional<AddOptions> read_options(Context& c, bool increment) {
  AddOptions options{.increment = increment};
  std::size_t& at = options.first_pair;
  while (at < c.args.size() && options.take(c.args[at])) ++at;
  const std::size_t words = c.args.size() - at;
  if (words == 0 || words % 2 != 0)
    c.reply.error(errors::kSyntax);
  else if (options.nx && options.xx)
    c.reply.error(errors::kZaddXxNx);
  else if ((options.gt || options.lt) && (options.nx || (options.gt && options.lt)))
    c.reply.error(errors::kZaddGtLtNx);
  else if (options.increment && words > 2)
    c.reply.error(errors::kZaddIncrPairs);
  else
    return options;
  return std::nullopt;
}

std::optional<std::vector<double>> read_scores(Context& c, std::size_t first) {
  std::vector<double> scores;
  for (std::size_t i = first; i < c.args.size(); i += 2) {
    const auto score = parse_double(c.args[i]);
    if (!score) {
      c.reply.error(errors::kNotFloat);
      return std::nullopt;
    }
    scores.push_back(*score);
  }
  return scores;
}

/// What becomes of one member.
struct Outcome {
  enum class Kind : std::uint8_t { nothing, same, updated, added, not_a_number } kind;
  double score = 0;
};

/// Redis 7.0, zsetAdd.
Outcome judge(const AddOptions& options, std::optional<double> old, double score) {
  using Kind = Outcome::Kind;
  if (!old) return {options.xx ? Kind::nothing : Kind::added, score};
  if (options.nx) return {Kind::nothing, 0};
  if (options.increment) score += *old;
  if (std::isnan(score)) return {Kind::not_a_number, 0};
  if ((options.lt && score >= *old) || (options.gt && score <= *old)) return {Kind::nothing, 0};
  return {score == *old ? Kind::same : Kind::updated, score};
}

/// The sorted set at `key` for writing, made if it is missing. It is known to have no other type.
SortedSet& make_zset(Context& c, std::string_view key) {
  if (auto* zset = c.edit_as<SortedSet>(key)) return *zset;
  c.db().put(key, SortedSet{});
  return std::get<SortedSet>(c.edit(key)->value);
}

/// Lets a set that is new know of the members that ZADD is about to add.
void expect_all(SortedSet& zset, std::span<const double> scores, Args pairs) {
  if (scores.size() < 2 || !zset.empty()) return;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    bytes += SortedSet::bytes_for(pairs[2 * i + 1], scores[i]);
  zset.expect(scores.size(), bytes);
}

void add(Context& c, bool increment) {
  const auto options = read_options(c, increment);
  if (!options) return;
  const auto scores = read_scores(c, options->first_pair);
  if (!scores) return;
  const std::string_view key = c.args[1];
  const auto* zset = c.find_as<SortedSet>(key);
  if (c.failed) return;
  SortedSet* writable = nullptr;  // Only a real change counts as one.
  std::int64_t added = 0;
  std::int64_t updated = 0;
  std::optional<double> processed;
  for (std::size_t i = 0; i < scores->size(); ++i) {
    const std::string_view member = c.args[options->first_pair + 2 * i + 1];
    const auto [kind, score] =
        judge(*options, zset ? zset->score(member) : std::nullopt, (*scores)[i]);
    if (kind == Outcome::Kind::not_a_number) return c.reply.error(errors::kScoreNan);
    if (kind == Outcome::Kind::nothing) continue;
    processed = score;
    if (kind == Outcome::Kind::same) continue;
    added += kind == Outcome::Kind::added;
    updated += kind == Outcome::Kind::updated;
    if (!writable) {
      zset = writable = &make_zset(c, key);
      expect_all(*writable, *scores, c.args.subspan(options->first_pair));
    }
    writable->set(member, score, c.limits);
  }
  if (c.events) c.events->publish_notes();
  if (!options->increment)
    c.reply.integer(options->changed ? added + updated : added);
  else if (processed)
    c.reply.real(*processed);
  else
    c.reply.null();
  if (writable) c.event(EventClass::sorted_set, options->increment ? "zincr" : "zadd", key);
}

void zadd(Context& c) { sorted_sets::add(c); }
void zincrby(Context& c) { add(c, true); }

void zrem(Context& c) {
  const std::string_view key = c.args[1];
  const auto* zset = c.find_as<SortedSet>(key);
  if (c.failed) return;
  std::int64_t removed = 0;
  bool emptied = false;
  for (const std::string_view member : c.args.subspan(2)) {
    if (!zset || !zset->score(member)) continue;
    auto* writable = c.edit_as<SortedSet>(key);
    writable->erase(member);
    ++removed;
    if (!writable->empty()) continue;
    c.db().erase(key);
    emptied = true;
    break;
  }
  if (removed > 0) c.early_event(EventClass::sorted_set, "zrem", key);
  if (emptied) c.early_event(EventClass::generic, "del", key);
  c.tell_changes();
  c.reply.integer(removed);
}

void write_score(Context& c, const SortedSet* zset, std::string_view member) {
  const auto score = zset ? zset->score(member) : std::nullopt;
  if (score)
    c.reply.real(*score);
  else
    c.reply.null();
}

void zscore(Context& c) {
  const auto* zset = c.find_as<SortedSet>(c.args[1]);
  if (!c.failed) write_score(c, zset, c.args[2]);
}

void zmscore(Context& c) {
  const auto* zset = c.find_as<SortedSet>(c.args[1]);
  if (c.failed) return;
  c.reply.array(c.args.size() - 2);
  for (const std::string_view member : c.args.subspan(2)) write_score(c, zset, member);
}

void zcard(Context& c) {
  const auto* zset = c.find_as<SortedSet>(c.args[1]);
  if (!c.failed) c.reply.integer(zset ? static_cast<std::int64_t>(zset->size()) : 0);
}

void rank(Context& c, bool reverse) {
  const auto* zset = c.find_as<SortedSet>(c.args[1]);
  if (c.failed) return;
  const auto rank = zset ? zset->rank(c.args[2]) : std::nullopt;
  if (!rank) return c.reply.null();
  c.reply.integer(static_cast<std::int64_t>(reverse ? zset->size() - 1 - *rank : *rank));
}

void zrank(Context& c) { rank(c, false); }
void zrevrank(Context& c) { rank(c, true); }

constexpr std::uint32_t kAdds = kWrite | kDenyOom | kFast;
constexpr std::uint32_t kScoreReads = kReadonly | kFast;
constexpr Command kSortedSetsCommands[] = {
    {"zadd", -4, kAdds, kAclSortedSet, keys::kUpdate, "sorted-set", "1.2.0", zadd},
    {"zincrby", 4, kAdds, kAclSortedSet, keys::kReadUpdate, "sorted-set", "1.2.0", zincrby},
    {"zrem", -3, kWrite | kFast, kAclSortedSet, keys::kDelete, "sorted-set", "1.2.0", zrem},
    {"zscore", 3, kScoreReads, kAclSortedSet, keys::kRead, "sorted-set", "1.2.0", zscore},
    {"zmscore", -3, kScoreReads, kAclSortedSet, keys::kRead, "sorted-set", "6.2.0", zmscore},
    {"zcard", 2, kScoreReads, kAclSortedSet, keys::kLook, "sorted-set", "1.2.0", zcard},
    {"zrank", 3, kScoreReads, kAclSortedSet, keys::kRead, "sorted-set", "2.0.0", zrank},
    {"zrevrank", 3, kScoreReads, kAclSortedSet, keys::kRead, "sorted-set", "2.0.0", zrevrank},
};

}  // namespace

void sorted_sets::add(Context& c) { picklock::add(c, false); }

std::span<const Command> commands::sorted_sets() { return kSortedSetsCommands; }

}  // namespace picklock
