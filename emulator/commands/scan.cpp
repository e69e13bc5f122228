// SCAN, HSCAN, SSCAN, ZSCAN.
//
// A cursor is the sequence number of the entry at which the next call goes on. Sequence numbers
// grow along the order of iteration and are never used again, so whatever is there throughout an
// iteration is returned by it, and nothing twice.
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "emulator/base/glob.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

/// Redis 7.0, parseScanCursorOrReply: strtoul, which takes signs and nothing at all (0).
std::optional<std::uint64_t> parse_cursor(std::string_view text) {
  const std::string copy{until_nul(text)};
  if (!copy.empty() && std::string_view{" \t\n\v\f\r"}.find(copy[0]) != std::string_view::npos)
    return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const std::uint64_t cursor = std::strtoul(copy.c_str(), &end, 10);
  if (*end != '\0' || errno == ERANGE) return std::nullopt;
  return cursor;
}

struct ScanOptions {
  std::int64_t count = 10;
  std::string_view pattern = "*";
  std::optional<std::string_view> type;

  bool match(std::string_view name) const { return pattern == "*" || glob_match(pattern, name); }
};

/// Reads the options from word `at` on; nullopt if an error was answered.
std::optional<ScanOptions> read_options(Context& c, std::size_t at, bool takes_type) {
  ScanOptions options;
  for (; at < c.args.size(); at += 2) {
    const std::string_view word = c.args[at];
    const bool has_value = at + 1 < c.args.size();
    if (has_value && is_word(word, "count")) {
      const auto count = parse_int64(c.args[at + 1]);
      if (!count) return c.reply.error(errors::kNotInteger), std::nullopt;
      if (*count < 1) return c.reply.error(errors::kSyntax), std::nullopt;
      options.count = *count;
    } else if (has_value && is_word(word, "match")) {
      options.pattern = c.args[at + 1];
    } else if (has_value && takes_type && is_word(word, "type")) {
      options.type = c.args[at + 1];
    } else {
      return c.reply.error(errors::kSyntax), std::nullopt;
    }
  }
  return options;
}

void write(Context& c, std::uint64_t cursor, const std::vector<std::string>& words) {
  c.reply.array(2);
  c.reply.bulk(std::to_string(cursor));
  c.reply.array(words.size());
  for (const std::string& word : words) c.reply.bulk(word);
}

/// Calls `visit(entry)` for up to `count` entries from `cursor` on; the cursor of the next call.
template <class Value, class Visit>
std::uint64_t walk(const Dict<Value>& dict, std::uint64_t cursor, std::int64_t count,
                   Visit&& visit) {
  const auto* entry = dict.first_from(cursor);
  for (; entry && count > 0; --count) {
    const std::uint64_t sequence = entry->sequence;
    visit(*entry);
    entry = dict.first_from(sequence + 1);
  }
  return entry ? entry->sequence : 0;
}

void scan(Context& c) {
  const auto cursor = parse_cursor(c.args[1]);
  if (!cursor) return c.reply.error(errors::kInvalidCursor);
  const auto options = read_options(c, 2, true);
  if (!options) return;
  std::vector<std::string> met;
  const std::uint64_t next = walk(c.db().keys(), *cursor, options->count, [&](const auto& entry) {
    if (options->match(entry.key)) met.push_back(entry.key);
  });
  // Redis deletes the expired keys that it meets; here after the walk.
  std::erase_if(met, [&](const std::string& key) {
    if (!options->type) return c.look(key) == nullptr;
    const KeyEntry* entry = c.find_untouched(key);
    if (!is_word(*options->type, entry ? type_name(entry->value) : "none")) return true;
    return !entry && c.db().keys().find(key) != nullptr;  // It has expired, and stays.
  });
  write(c, next, met);
}

// Redis keeps whole scores as integers in a listpack. Redis: double2ll.
std::string text_of(double score, bool compact) {
  constexpr auto kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max() / 2);
  if (compact && std::abs(score) <= kMost && score == std::trunc(score))
    return to_text(static_cast<std::int64_t>(score));
  char buffer[kDoubleChars];
  return std::string{format_double(score, buffer)};
}

// Redis answers a compact collection at once, whatever COUNT.

std::uint64_t collect(const HashValue& hash, std::uint64_t cursor, const ScanOptions& options,
                      Form form, std::vector<std::string>& words) {
  const auto take = [&](std::string_view field, std::string_view value) {
    if (!options.match(field)) return;
    words.emplace_back(field);
    words.emplace_back(value);
  };
  if (form != Form::grown || !hash.dict()) return hash.for_each(take), 0;
  return walk(*hash.dict(), cursor, options.count,
              [&](const auto& entry) { take(entry.key, entry.value); });
}

std::uint64_t collect(const SetValue& set, std::uint64_t cursor, const ScanOptions& options, Form,
                      std::vector<std::string>& words) {
  const auto take = [&](std::string_view member) {
    if (options.match(member)) words.emplace_back(member);
  };
  if (set.is_intset()) return set.for_each(take), 0;
  return walk(set.members(), cursor, options.count, [&](const auto& entry) { take(entry.key); });
}

std::uint64_t collect(const SortedSet& zset, std::uint64_t cursor, const ScanOptions& options, Form,
                      std::vector<std::string>& words) {
  const auto take = [&](std::string_view member, double score) {
    if (!options.match(member)) return;
    words.emplace_back(member);
    words.push_back(text_of(score, zset.compact()));
  };
  if (!zset.compact())
    return walk(*zset.dict(), cursor, options.count,
                [&](const auto& entry) { take(entry.key, entry.value); });
  zset.for_each([&](const SortedSet::Item& item) { take(item.member, item.score); });
  return 0;
}

template <class T>
void scan_key(Context& c) {
  const auto cursor = parse_cursor(c.args[2]);
  if (!cursor) return c.reply.error(errors::kInvalidCursor);
  const auto* value = c.find_as<T>(c.args[1]);
  if (c.failed) return;
  if (!value) return write(c, 0, {});
  const auto options = read_options(c, 3, false);
  if (!options) return;
  std::vector<std::string> words;
  const std::uint64_t next = collect(*value, *cursor, *options, c.look(c.args[1])->form, words);
  write(c, next, words);
}

void hscan(Context& c) { scan_key<HashValue>(c); }
void sscan(Context& c) { scan_key<SetValue>(c); }
void zscan(Context& c) { scan_key<SortedSet>(c); }

constexpr std::string_view kUnsteady = "nondeterministic_output";
constexpr Command kScansCommands[] = {
    {"scan",
     -2,
     kReadonly | kAnyKeys,
     kAclKeyspace,
     {},
     "generic",
     "2.8.0",
     scan,
     {},
     "nondeterministic_output request_policy:special"},
    {"hscan", -3, kReadonly, kAclHash, keys::kRead, "hash", "2.8.0", hscan, {}, kUnsteady},
    {"sscan", -3, kReadonly, kAclSet, keys::kRead, "set", "2.8.0", sscan, {}, kUnsteady},
    {"zscan",
     -3,
     kReadonly,
     kAclSortedSet,
     keys::kRead,
     "sorted-set",
     "2.8.0",
     zscan,
     {},
     kUnsteady},
};

}  // namespace

std::span<const Command> commands::scans() { return kScansCommands; }

}  // namespace picklock
