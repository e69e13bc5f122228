// Lists, without what takes elements out at the ends. A list that loses its last element is
// deleted.
#include "emulator/commands/lists.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

std::int64_t length(const ListValue& list) { return static_cast<std::int64_t>(list.size()); }

void push_all(ListValue& list, Args elements, End to) {
  for (const std::string_view element : elements)
    to == End::left ? list.push_front(element) : list.push_back(element);
}

void push(Context& c, End to, bool only_if_there) {
  const std::string_view key = c.args[1];
  const Args elements = c.args.subspan(2);
  ListValue* list = c.edit_as<ListValue>(key);
  if (c.failed) return;
  if (!list && only_if_there) return c.reply.integer(0);
  if (list) {
    push_all(*list, elements, to);
    c.reply.integer(length(*list));
  } else {
    ListValue made;
    push_all(made, elements, to);
    const std::int64_t size = length(made);
    c.db().put(key, std::move(made));
    if (c.events) c.events->publish_notes();
    c.reply.integer(size);
  }
  c.event(EventClass::list, to == End::left ? "lpush" : "rpush", key);
}

void lpush(Context& c) { push(c, End::left, false); }
void rpush(Context& c) { push(c, End::right, false); }
void lpushx(Context& c) { push(c, End::left, true); }
void rpushx(Context& c) { push(c, End::right, true); }

void llen(Context& c) {
  const auto* list = c.find_as<ListValue>(c.args[1]);
  if (!c.failed) c.reply.integer(list ? length(*list) : 0);
}

struct Range {
  std::size_t first = 0, count = 0;
};

/// Words 2 and 3, the first and the last index of a range; answers the error if they are none.
std::optional<std::pair<std::int64_t, std::int64_t>> parse_range(Context& c) {
  const auto first = parse_int64(c.args[2]);
  const auto last = parse_int64(c.args[3]);
  if (first && last) return std::pair{*first, *last};
  c.reply.error(errors::kNotInteger);
  return std::nullopt;
}

/// What of it lies in a list of `size` elements; negative indexes count from the end.
Range clip(std::pair<std::int64_t, std::int64_t> range, std::int64_t size) {
  auto [first, last] = range;
  if (first < 0) first = std::max<std::int64_t>(first + size, 0);
  if (last < 0) last += size;
  last = std::min(last, size - 1);
  if (first > last) return {};
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(last - first + 1)};
}

void lrange(Context& c) {
  const auto range = parse_range(c);
  if (!range) return;
  const auto* list = c.find_as<ListValue>(c.args[1]);
  if (c.failed) return;
  if (!list) return c.reply.array(0);
  const auto [first, count] = clip(*range, length(*list));
  c.reply.array(count);
  auto element = list->at(first);
  for (std::size_t i = 0; i < count; ++i) c.reply.bulk(*element++);
}

void ltrim(Context& c) {
  const auto range = parse_range(c);
  if (!range) return;
  const std::string_view key = c.args[1];
  auto* list = c.edit_as<ListValue>(key);
  if (c.failed) return;
  if (!list) return c.reply.ok();
  const auto [first, count] = clip(*range, length(*list));
  if (count == list->size()) c.replicated = Replicated::never;
  list->keep(first, count);
  c.early_event(EventClass::list, "ltrim", key);
  if (count == 0) {
    c.db().erase(key);
    c.early_event(EventClass::generic, "del", key);
  }
  c.tell_changes();
  c.reply.ok();
}

/// The place of `index`, which may count from the end, in `list`; nullopt if it is outside.
std::optional<std::size_t> place_of(std::int64_t index, const ListValue& list) {
  if (index < 0) index += length(list);
  if (index < 0 || index >= length(list)) return std::nullopt;
  return static_cast<std::size_t>(index);
}

void lindex(Context& c) {
  const auto* list = c.find_as<ListValue>(c.args[1]);
  if (c.failed) return;
  if (!list) return c.reply.null();
  const auto index = parse_int64(c.args[2]);
  if (!index) return c.reply.error(errors::kNotInteger);
  if (const auto place = place_of(*index, *list))
    c.reply.bulk((*list)[*place]);
  else
    c.reply.null();
}

void lset(Context& c) {
  const auto* list = c.find_as<ListValue>(c.args[1]);
  if (c.failed) return;
  if (!list) return c.reply.error(errors::kNoSuchKey);
  const auto index = parse_int64(c.args[2]);
  if (!index) return c.reply.error(errors::kNotInteger);
  const auto place = place_of(*index, *list);
  if (!place) return c.reply.error(errors::kIndexOutOfRange);
  c.edit_as<ListValue>(c.args[1])->set(*place, c.args[3]);
  c.reply.ok();
  c.event(EventClass::list, "lset", c.args[1]);
}

void linsert(Context& c) {
  const bool after = is_word(c.args[2], "after");
  if (!after && !is_word(c.args[2], "before")) return c.reply.error(errors::kSyntax);
  const auto* list = c.find_as<ListValue>(c.args[1]);
  if (c.failed) return;
  if (!list) return c.reply.integer(0);
  const auto pivot = std::ranges::find(*list, c.args[3]);
  if (pivot == list->end()) return c.reply.integer(-1);
  const auto place =
      static_cast<std::size_t>(std::distance(list->begin(), pivot)) + (after ? 1 : 0);
  auto* editable = c.edit_as<ListValue>(c.args[1]);
  editable->insert(place, c.args[4]);
  c.event(EventClass::list, "linsert", c.args[1]);
  c.reply.integer(length(*editable));
}

void lrem(Context& c) {
  const std::string_view key = c.args[1];
  const auto count = parse_int64(c.args[2]);
  if (!count) return c.reply.error(errors::kNotInteger);
  const auto* list = c.find_as<ListValue>(key);
  if (c.failed) return;
  if (!list || std::ranges::find(*list, c.args[3]) == list->end()) return c.reply.integer(0);
  auto* editable = c.edit_as<ListValue>(key);
  const std::size_t limit = *count == 0  ? std::numeric_limits<std::size_t>::max()
                            : *count < 0 ? std::size_t{0} - static_cast<std::size_t>(*count)
                                         : static_cast<std::size_t>(*count);
  const std::size_t removed = *count < 0 ? editable->remove_last(c.args[3], limit)
                                         : editable->remove_first(c.args[3], limit);
  c.event(EventClass::list, "lrem", key);
  if (editable->empty()) {
    c.db().erase(key);
    c.event(EventClass::generic, "del", key);
  }
  c.reply.integer(static_cast<std::int64_t>(removed));
}

struct Search {
  std::int64_t rank = 1;  ///< Which match is the first that counts; from the end if negative.
  std::optional<std::int64_t>
      count;  ///< How many are wanted; all for 0. One, not in an array, if absent.
  std::int64_t max_compared = 0;  ///< How many elements are looked at; all for 0.
};

/// Reads one option of LPOS; false if the error was answered.
bool parse_search_option(Context& c, std::string_view option, std::string_view word,
                         Search& search) {
  const auto number = parse_int64(word);
  const auto fail = [&c](std::string_view error) { return c.reply.error(error), false; };
  const auto not_negative = number && *number >= 0;
  if (is_word(option, "rank")) {
    if (!number) return fail(errors::kNotInteger);
    if (*number == 0) return fail(errors::kRankZero);
    search.rank = *number;
  } else if (is_word(option, "count")) {
    if (!not_negative) return fail(errors::kCountNegative);
    search.count = *number;
  } else if (is_word(option, "maxlen")) {
    if (!not_negative) return fail(errors::kMaxlenNegative);
    search.max_compared = *number;
  } else {
    return fail(errors::kSyntax);
  }
  return true;
}

/// The indexes at which `element` is found.
std::vector<std::int64_t> matches(const ListValue& list, std::string_view element,
                                  const Search& search) {
  std::vector<std::int64_t> found;
  const std::int64_t size = length(list);
  const std::int64_t end = search.max_compared == 0 ? size : std::min(size, search.max_compared);
  // Redis negates the rank, for which the least number stays negative: every match counts, and
  // the sum that it compares with COUNT never reaches it.
  const bool least = search.rank == std::numeric_limits<std::int64_t>::min();
  std::int64_t to_skip = least ? 0 : std::abs(search.rank) - 1;
  const bool backwards = search.rank < 0;
  auto at = backwards ? list.end() : list.begin();
  for (std::int64_t i = 0; i < end; ++i) {
    const std::int64_t index = backwards ? size - 1 - i : i;
    if ((backwards ? *--at : *at++) != element) continue;
    if (to_skip-- > 0) continue;
    to_skip = 0;
    found.push_back(index);
    const std::int64_t wanted = least && search.count ? 0 : search.count.value_or(1);
    if (wanted != 0 && static_cast<std::int64_t>(found.size()) == wanted) break;
  }
  return found;
}

void lpos(Context& c) {
  Search search;
  for (std::size_t i = 3; i < c.args.size(); i += 2) {
    if (i + 1 == c.args.size()) return c.reply.error(errors::kSyntax);
    if (!parse_search_option(c, c.args[i], c.args[i + 1], search)) return;
  }
  const auto* list = c.find_as<ListValue>(c.args[1]);
  if (c.failed) return;
  const auto found = list ? matches(*list, c.args[2], search) : std::vector<std::int64_t>{};
  if (search.count) {
    c.reply.array(found.size());
    for (const std::int64_t index : found) c.reply.integer(index);
  } else if (found.empty()) {
    c.reply.null();
  } else {
    c.reply.integer(found[0]);
  }
}

constexpr Command kListsCommands[] = {
    {"lpush", -3, kWrite | kDenyOom | kFast, kAclList, keys::kInsert, "list", "1.0.0", lpush},
    {"rpush", -3, kWrite | kDenyOom | kFast, kAclList, keys::kInsert, "list", "1.0.0", rpush},
    {"lpushx", -3, kWrite | kDenyOom | kFast, kAclList, keys::kInsert, "list", "2.2.0", lpushx},
    {"rpushx", -3, kWrite | kDenyOom | kFast, kAclList, keys::kInsert, "list", "2.2.0", rpushx},
    {"llen", 2, kReadonly | kFast, kAclList, keys::kLook, "list", "1.0.0", llen},
    {"lrange", 4, kReadonly, kAclList, keys::kRead, "list", "1.0.0", lrange},
    {"lindex", 3, kReadonly, kAclList, keys::kRead, "list", "1.0.0", lindex},
    {"lset", 4, kWrite | kDenyOom, kAclList, keys::kUpdate, "list", "1.0.0", lset},
    {"linsert", 5, kWrite | kDenyOom, kAclList, keys::kInsert, "list", "2.2.0", linsert},
    {"lrem", 4, kWrite, kAclList, keys::kDelete, "list", "1.0.0", lrem},
    {"ltrim", 4, kWrite, kAclList, keys::kDelete, "list", "1.0.0", ltrim},
    {"lpos", -3, kReadonly, kAclList, keys::kRead, "list", "6.0.6", lpos},
};

}  // namespace

std::span<const Command> commands::lists() { return kListsCommands; }

}  // namespace picklock
