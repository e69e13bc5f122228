// Unions, intersections and differences of sorted sets; a plain set takes part with scores of 1.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/sorted_set_replies.hpp"

namespace picklock {
namespace {

enum class Operation : std::uint8_t { unite, intersect, subtract };
enum class Aggregate : std::uint8_t { sum, min, max };
enum class Answer : std::uint8_t { items, stored, count };

/// One input: a sorted set, a set, or a missing key.
struct Source {
  const SortedSet* zset = nullptr;
  const SetValue* set = nullptr;
  double weight = 1;

  std::size_t size() const { return zset ? zset->size() : set ? set->size() : 0; }
  std::optional<double> score(std::string_view member) const {
    if (set) return set->has(member) ? std::optional{1.0} : std::nullopt;
    return zset ? zset->score(member) : std::nullopt;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (zset && zset->dict())
      zset->dict()->for_each([&](const auto& entry) { visit(entry.key, entry.value); });
    else if (zset)
      zset->for_each([&](const SortedSet::Item& item) { visit(item.member, item.score); });
    if (set) set->members().for_each([&](const auto& entry) { visit(entry.key, 1.0); });
  }
};

struct Request {
  Operation operation;
  Answer answer;
  std::vector<Source> sources;
  Aggregate aggregate = Aggregate::sum;
  bool with_scores = false;
  std::int64_t limit = 0;  // 0: none.
};

/// Reads the keys behind the word `at`, which counts them; the place after them, or nullopt with an
/// error answered.
std::optional<std::size_t> read_sources(Context& c, std::size_t at, Request& request) {
  const auto count = parse_int64(c.args[at]);
  if (!count) return c.reply.error(errors::kNotInteger), std::nullopt;
  if (*count < 1) return c.reply.error(errors::needs_input_key(c.command->name)), std::nullopt;
  if (*count > static_cast<std::int64_t>(c.args.size() - at - 1))
    return c.reply.error(errors::kSyntax), std::nullopt;
  const std::size_t after = at + 1 + static_cast<std::size_t>(*count);
  while (++at < after) {
    const KeyEntry* entry = c.find_to_read(c.args[at]);
    Source source;
    if (entry) {
      source.zset = std::get_if<SortedSet>(&entry->value);
      source.set = std::get_if<SetValue>(&entry->value);
      if (!source.zset && !source.set) return c.reply.error(errors::kWrongType), std::nullopt;
    }
    request.sources.push_back(source);
  }
  return after;
}

bool read_weights(Context& c, std::size_t at, Request& request) {
  for (Source& source : request.sources) {
    const auto weight = parse_double(c.args[at++]);
    if (!weight) return c.reply.error(errors::kWeightNotFloat), false;
    source.weight = *weight;
  }
  return true;
}

bool read_aggregate(std::string_view word, Request& request) {
  if (is_word(word, "sum"))
    request.aggregate = Aggregate::sum;
  else if (is_word(word, "min"))
    request.aggregate = Aggregate::min;
  else if (is_word(word, "max"))
    request.aggregate = Aggregate::max;
  else
    return false;
  return true;
}

/// Reads the words from `at` on; false if an error was answered.
bool read_options(Context& c, std::size_t at, Request& request) {
  const bool counts = request.answer == Answer::count;
  const bool weighs = !counts && request.operation != Operation::subtract;
  while (at < c.args.size()) {
    const std::string_view word = c.args[at];
    const std::size_t more = c.args.size() - at - 1;
    if (weighs && more >= request.sources.size() && is_word(word, "weights")) {
      if (!read_weights(c, at + 1, request)) return false;
      at += 1 + request.sources.size();
    } else if (weighs && more >= 1 && is_word(word, "aggregate")) {
      if (!read_aggregate(c.args[at + 1], request)) return c.reply.error(errors::kSyntax), false;
      at += 2;
    } else if (request.answer == Answer::items && is_word(word, "withscores")) {
      request.with_scores = true;
      ++at;
    } else if (counts && more >= 1 && is_word(word, "limit")) {
      const auto limit = parse_int64(c.args[at + 1]);
      if (!limit || *limit < 0) return c.reply.error(errors::kLimitNegative), false;
      request.limit = *limit;
      at += 2;
    } else {
      return c.reply.error(errors::kSyntax), false;
    }
  }
  return true;
}

double weighted(const Source& source, double score) {
  const double product = source.weight * score;
  return std::isnan(product) ? 0 : product;  // 0 * inf
}

double join(Aggregate how, double a, double b) {
  if (how == Aggregate::min) return b < a ? b : a;
  if (how == Aggregate::max) return b > a ? b : a;
  const double sum = a + b;
  return std::isnan(sum) ? 0 : sum;  // inf - inf
}

using Scores = Dict<double>;

Scores unite(const Request& request) {
  Scores result;
  for (const Source& source : request.sources)
    source.for_each([&](std::string_view member, double score) {
      const auto [entry, made] = result.insert(member);
      const double value = weighted(source, score);
      entry->value = made ? value : join(request.aggregate, entry->value, value);
    });
  return result;
}

/// The score that `member` of the first source has in the intersection, if it is in it.
std::optional<double> intersected(const Request& request, std::string_view member, double score) {
  double result = weighted(request.sources[0], score);
  for (std::size_t i = 1; i < request.sources.size(); ++i) {
    const auto found = request.sources[i].score(member);
    if (!found) return std::nullopt;
    // Redis 7.0 lets 0 * inf be NaN here: an aggregate by sum makes 0 of it, MIN and MAX pass over
    // it.
    result = join(request.aggregate, result, request.sources[i].weight * *found);
  }
  return result;
}

Scores intersect(const Request& request) {
  Scores result;
  const auto full = [&] {
    return request.limit > 0 && static_cast<std::int64_t>(result.size()) >= request.limit;
  };
  request.sources[0].for_each([&](std::string_view member, double score) {
    if (full()) return;
    if (const auto joined = intersected(request, member, score))
      result.insert(member).first->value = *joined;
  });
  return result;
}

Scores subtract(const Request& request) {
  Scores result;
  const auto others = std::span{request.sources}.subspan(1);
  request.sources[0].for_each([&](std::string_view member, double score) {
    const bool elsewhere = std::ranges::any_of(
        others, [&](const Source& source) { return source.score(member).has_value(); });
    if (!elsewhere) result.insert(member).first->value = score;
  });
  return result;
}

Scores compute(Request& request) {
  if (request.operation == Operation::subtract) return subtract(request);
  // As Redis does: sums of floats depend on the order.
  std::ranges::stable_sort(request.sources, {}, &Source::size);
  return request.operation == Operation::unite ? unite(request) : intersect(request);
}

/// `counted` is the word that says how many keys follow.
void combine(Context& c, Operation operation, Answer answer, std::size_t counted) {
  Request request{.operation = operation, .answer = answer, .sources = {}};
  const auto options = read_sources(c, counted, request);
  if (!options || !read_options(c, *options, request)) return;
  const Scores scores = compute(request);
  if (answer == Answer::count) return c.reply.integer(static_cast<std::int64_t>(scores.size()));
  SortedSet result;
  const EncodingLimits large{.zset_max_listpack_entries = -1};  // Which keeps -0.
  scores.for_each([&](const auto& entry) {
    result.set(entry.key, entry.value, answer == Answer::stored ? c.limits : large);
  });
  if (answer == Answer::stored)
    return sorted_sets::store(c, c.args[1], std::move(result), c.command->name);
  sorted_sets::begin_items(c, result.size(), request.with_scores);
  result.for_each([&](const SortedSet::Item& item) {
    sorted_sets::write_item(c, item.member, item.score, request.with_scores);
  });
}

void zunion(Context& c) { combine(c, Operation::unite, Answer::items, 1); }
void zinter(Context& c) { combine(c, Operation::intersect, Answer::items, 1); }
void zdiff(Context& c) { combine(c, Operation::subtract, Answer::items, 1); }
void zunionstore(Context& c) { combine(c, Operation::unite, Answer::stored, 2); }
void zinterstore(Context& c) { combine(c, Operation::intersect, Answer::stored, 2); }
void zdiffstore(Context& c) { combine(c, Operation::subtract, Answer::stored, 2); }
void zintercard(Context& c) { combine(c, Operation::intersect, Answer::count, 1); }

constexpr KeySpec kFrom[] = {{.flags = "RO access", .find = KeySpec::Find::keynum}};
constexpr KeySpec kStored[] = {{"OW update"},
                               {.flags = "RO access", .first = 2, .find = KeySpec::Find::keynum}};
constexpr std::uint32_t kAlgebraReads = kReadonly | kMovableKeys;
constexpr std::uint32_t kStores = kWrite | kDenyOom | kMovableKeys;
constexpr Command kSortedSetAlgebraCommands[] = {
    {"zunion", -3, kAlgebraReads, kAclSortedSet, kFrom, "sorted-set", "6.2.0", zunion},
    {"zinter", -3, kAlgebraReads, kAclSortedSet, kFrom, "sorted-set", "6.2.0", zinter},
    {"zdiff", -3, kAlgebraReads, kAclSortedSet, kFrom, "sorted-set", "6.2.0", zdiff},
    {"zunionstore", -4, kStores, kAclSortedSet, kStored, "sorted-set", "2.0.0", zunionstore},
    {"zinterstore", -4, kStores, kAclSortedSet, kStored, "sorted-set", "2.0.0", zinterstore},
    {"zdiffstore", -4, kStores, kAclSortedSet, kStored, "sorted-set", "6.2.0", zdiffstore},
    {"zintercard", -3, kAlgebraReads, kAclSortedSet, kFrom, "sorted-set", "7.0.0", zintercard},
};

}  // namespace

std::span<const Command> commands::sorted_set_algebra() { return kSortedSetAlgebraCommands; }

}  // namespace picklock
