// SORT and SORT_RO: the elements of a list, set or sorted set in the order of their own values or
// of others' that a pattern finds.
#include <cerrno>
#include <cmath>
#include <locale.h>
#include <optional>
#include <stdlib.h>
#include <string>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/partial_quicksort.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/acl_sessions.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

struct SortOptions {
  bool descending = false;
  bool alpha = false;
  bool unsorted = false;  ///< BY a word without '*'.
  std::int64_t limit_start = 0;
  std::int64_t limit_count = -1;
  std::optional<std::string_view> by;
  std::vector<std::string_view> gets;
  std::optional<std::string_view> store;
};

/// Reads the option at word `at` and moves `at` to its last word; false with the error answered.
bool read_option(Context& c, std::size_t& at, SortOptions& options) {
  const std::string_view word = c.args[at];
  const std::size_t operands = c.args.size() - at - 1;
  if (is_word(word, "asc") || is_word(word, "desc")) {
    options.descending = is_word(word, "desc");
  } else if (is_word(word, "alpha")) {
    options.alpha = true;
  } else if (is_word(word, "limit") && operands >= 2) {
    const auto start = parse_int64(c.args[at + 1]);
    const auto count = parse_int64(c.args[at + 2]);
    if (!start || !count) return c.reply.error(errors::kNotInteger), false;
    options.limit_start = *start;
    options.limit_count = *count;
    at += 2;
  } else if (!c.command->has(kReadonly) && is_word(word, "store") && operands >= 1) {
    options.store = c.args[++at];
  } else if (is_word(word, "by") && operands >= 1) {
    options.by = c.args[++at];
    // Redis never takes this back, whatever another BY says.
    if (until_nul(*options.by).find('*') == std::string_view::npos)
      options.unsorted = true;
    else if (c.in_cluster)
      return c.reply.error(errors::sort_option_in_cluster("BY")), false;
  } else if (is_word(word, "get") && operands >= 1) {
    if (c.in_cluster) return c.reply.error(errors::sort_option_in_cluster("GET")), false;
    options.gets.push_back(c.args[++at]);
  } else {
    return c.reply.error(errors::kSyntax), false;
  }
  return true;
}

std::optional<SortOptions> read_sort_options(Context& c) {
  SortOptions options;
  for (std::size_t at = 2; at < c.args.size(); ++at)
    if (!read_option(c, at, options)) return std::nullopt;
  return options;
}

/// What `pattern` finds for `element`: the element itself for "#", the string at the key that has
/// it in place of '*', or behind "->" a field of the hash there.
std::optional<std::string> look_up(Context& c, std::string_view pattern, std::string_view element) {
  const std::string_view visible = until_nul(pattern);
  if (visible == "#") return std::string{element};
  const auto star = visible.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  auto end = visible.find("->", star + 1);
  if (end == std::string_view::npos || end + 2 == visible.size()) end = pattern.size();
  std::string key{pattern.substr(0, star)};
  key.append(element).append(pattern.substr(star + 1, end - star - 1));
  const KeyEntry* entry = c.find_to_read(key);
  if (!entry) return std::nullopt;
  if (end == pattern.size()) {
    const auto* text = std::get_if<StringValue>(&entry->value);
    return text ? std::optional{*text} : std::nullopt;
  }
  const auto* hash = std::get_if<HashValue>(&entry->value);
  const auto field = hash ? hash->find(pattern.substr(end + 2)) : std::nullopt;
  return field ? std::optional{std::string{*field}} : std::nullopt;
}

struct Element {
  std::string text;
  double score = 0;
  std::optional<std::string> weight;  ///< With ALPHA and BY.
};

/// The score that `text` stands for. Redis: strtod up to a NUL, blanks in front allowed.
std::optional<double> read_score(const std::string& text) {
  const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  char* end = nullptr;
  errno = 0;
  const double score = strtod_l(text.c_str(), &end, c_locale);
  const bool out_of_range = errno == ERANGE;
  freelocale(c_locale);
  if (*end != '\0' || out_of_range || std::isnan(score)) return std::nullopt;
  return score;
}

/// Gives each element what it is compared by; false if one should have a number and has none.
bool weigh(Context& c, const SortOptions& options, std::vector<Element>& elements) {
  if (options.alpha && !options.by) return true;
  bool good = true;
  for (Element& element : elements) {
    auto weight = options.by ? look_up(c, *options.by, element.text) : std::nullopt;
    if (options.by && !weight) continue;
    if (options.alpha) {
      element.weight = std::move(weight);
      continue;
    }
    const auto score = read_score(weight ? *weight : element.text);
    good &= score.has_value();
    element.score = score.value_or(0);
  }
  return good;
}

int order_of(std::string_view a, std::string_view b) { return a < b ? -1 : a > b ? 1 : 0; }

/// Texts compare by all bytes for STORE, else as strcoll in the C locale does.
int order_of_texts(std::string_view a, std::string_view b, bool binary) {
  return binary ? order_of(a, b) : order_of(until_nul(a), until_nul(b));
}

int compare(const SortOptions& options, const Element& a, const Element& b) {
  int order = 0;
  if (!options.alpha)
    order = a.score != b.score ? (a.score < b.score ? -1 : 1) : order_of(a.text, b.text);
  else if (!options.by)
    order = order_of_texts(a.text, b.text, options.store.has_value());
  else if (a.weight && b.weight)
    order = order_of_texts(*a.weight, *b.weight, options.store.has_value());
  else
    order = int{a.weight.has_value()} - int{b.weight.has_value()};
  return options.descending ? -order : order;
}

/// Elements from `first` to before `last`.
struct Span {
  std::size_t first;
  std::size_t last;
};

Span limited(const SortOptions& options, std::size_t size) {
  const auto length = static_cast<std::int64_t>(size);
  const std::int64_t first = std::clamp<std::int64_t>(options.limit_start, 0, length);
  const std::int64_t count = options.limit_count < 0 ? length : options.limit_count;
  return {static_cast<std::size_t>(first),
          static_cast<std::size_t>(first + std::min(count, length - first))};
}

void sort_elements(const SortOptions& options, std::vector<Element>& elements, Span span) {
  const auto order = [&](const Element& a, const Element& b) { return compare(options, a, b); };
  const auto precedes = [&](const Element& a, const Element& b) { return order(a, b) < 0; };
  // Numbers never tie but for equal elements; without ties every sort gives the same.
  const bool whole = span.first == 0 && span.last == elements.size();
  if (!options.alpha || !options.by || whole)
    std::stable_sort(elements.begin(), elements.end(), precedes);
  else if (span.first < span.last)
    PartialQuicksort{std::span{elements}, span.first, span.last - 1, order};
}

/// The collection's elements in its own order; a list or sorted set from its end if `backwards`.
std::vector<Element> elements_of(const Value& value, bool backwards) {
  std::vector<Element> elements;
  if (const auto* list = std::get_if<ListValue>(&value)) {
    for (const std::string_view text : *list) elements.push_back({std::string{text}, 0, {}});
  } else if (const auto* set = std::get_if<SetValue>(&value)) {
    set->for_each([&](std::string_view text) { elements.push_back({std::string{text}, 0, {}}); });
    return elements;
  } else if (const auto* zset = std::get_if<SortedSet>(&value)) {
    zset->for_each([&](const SortedSet::Item& item) {
      elements.push_back({std::string{item.member}, 0, {}});
    });
  }
  if (backwards) std::reverse(elements.begin(), elements.end());
  return elements;
}

void answer(Context& c, const SortOptions& options, std::span<const Element> elements) {
  c.reply.array(elements.size() * std::max<std::size_t>(options.gets.size(), 1));
  for (const Element& element : elements) {
    if (options.gets.empty()) c.reply.bulk(element.text);
    for (const std::string_view pattern : options.gets) {
      const auto found = look_up(c, pattern, element.text);
      if (found)
        c.reply.bulk(*found);
      else
        c.reply.null();
    }
  }
}

void store(Context& c, const SortOptions& options, std::span<const Element> elements) {
  ListValue result;
  for (const Element& element : elements) {
    if (options.gets.empty()) result.push_back(element.text);
    for (const std::string_view pattern : options.gets)
      result.push_back(look_up(c, pattern, element.text).value_or(""));
  }
  const std::string_view key = *options.store;
  const auto size = static_cast<std::int64_t>(result.size());
  if (size > 0) {
    c.about_to_overwrite(key);
    c.db().put(key, std::move(result));
    c.event(EventClass::list, "sortstore", key);
  } else if (c.db().erase(key)) {
    c.event(EventClass::generic, "del", key);
  }
  c.reply.integer(size);
}

/// The elements to sort; nullopt with WRONGTYPE answered.
std::optional<std::vector<Element>> read_elements(Context& c, SortOptions& options) {
  const KeyEntry* entry = c.find_to_read(c.args[1]);
  if (!entry) return std::vector<Element>{};
  const bool is_set = std::holds_alternative<SetValue>(entry->value);
  const bool is_zset = std::holds_alternative<SortedSet>(entry->value);
  if (!is_set && !is_zset && !std::holds_alternative<ListValue>(entry->value))
    return c.reply.error(errors::kWrongType), std::nullopt;
  // Redis: what is stored, or seen by a script, must not depend on the order of a hash table.
  if (options.unsorted && is_set && (options.store || !engine_context(c).may_block)) {
    options.unsorted = false;
    options.alpha = true;
    options.by.reset();
  }
  // Redis turns a listpack into a skiplist to sort it, SORT_RO included.
  if (is_zset) std::get<SortedSet>(const_cast<KeyEntry*>(entry)->value).leave_compact();
  return elements_of(entry->value, options.unsorted && options.descending);
}

void sort(Context& c) {
  if (refuse_sort(engine_context(c))) return;
  auto options = read_sort_options(c);
  if (!options) return;
  auto elements = read_elements(c, *options);
  if (!elements) return;
  const Span span = limited(*options, elements->size());
  if (!options->unsorted) {
    if (!weigh(c, *options, *elements)) return c.reply.error(errors::kSortNotNumeric);
    sort_elements(*options, *elements, span);
  }
  const auto wanted =
      std::span<const Element>{*elements}.subspan(span.first, span.last - span.first);
  if (options->store)
    store(c, *options, wanted);
  else
    answer(c, *options, wanted);
}

constexpr std::string_view kPatternNote =
    "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the "
    "content of the key we sort";
constexpr std::string_view kStoreNote =
    "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear "
    "anywhere in the argument array";
constexpr KeySpec kReadOnlyKeys[] = {
    {"RO access"}, {.flags = "RO access", .find = KeySpec::Find::unknown, .notes = kPatternNote}};
constexpr KeySpec kSortKeys[] = {
    kReadOnlyKeys[0],
    kReadOnlyKeys[1],
    {.flags = "OW update", .find = KeySpec::Find::unknown, .notes = kStoreNote}};

constexpr std::uint32_t kAcl = kAclSet | kAclSortedSet | kAclList | kAclDangerous;
constexpr Command kSortCommands[] = {
    {"sort", -2, kWrite | kDenyOom | kMovableKeys, kAcl, kSortKeys, "generic", "1.0.0", sort},
    {"sort_ro", -2, kReadonly | kMovableKeys, kAcl, kReadOnlyKeys, "generic", "7.0.0", sort},
};

}  // namespace

std::span<const Command> commands::sort() { return kSortCommands; }

}  // namespace picklock
