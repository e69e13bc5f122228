// OBJECT: how a value is kept and when it was used.
#include <algorithm>
#include <optional>
#include <variant>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"

namespace picklock {
namespace {

/// The entry to speak of, without counting as a use of it; null with null answered.
const KeyEntry* inspect(Context& c) {
  const KeyEntry* entry = c.look(c.args[2]);
  if (!entry) c.reply.null();
  return entry;
}

/// The integer as which Redis would keep the string.
std::optional<std::int64_t> kept_number(const KeyEntry& entry, const StringValue& value) {
  return entry.form == Form::fresh ? parse_int64(value) : std::nullopt;
}

// One function for each type: the encoding by the name that Redis gives it.

std::string_view encoding(const KeyEntry& entry, const StringValue& value) {
  constexpr std::size_t kMaxEmbedded = 44;  // What Redis keeps in one piece with its object.
  if (kept_number(entry, value)) return "int";
  return entry.form != Form::grown && value.size() <= kMaxEmbedded ? "embstr" : "raw";
}

std::string_view encoding(const KeyEntry& entry, const HashValue& hash) {
  if (entry.form == Form::grown) return "hashtable";
  return hash.ever_had_deadlines() ? "listpackex" : "listpack";
}

std::string_view encoding(const KeyEntry&, const SetValue& set) {
  return set.is_intset() ? "intset" : "hashtable";
}

std::string_view encoding(const KeyEntry&, const SortedSet& set) {
  return set.compact() ? "listpack" : "skiplist";
}

std::string_view encoding(const KeyEntry&, const Stream&) { return "stream"; }

// A list, which Redis 7.0 keeps in one way whatever its size.
template <class List>
std::string_view encoding(const KeyEntry&, const List&) {
  return "quicklist";
}

void object_encoding(Context& c) {
  const KeyEntry* entry = inspect(c);
  if (!entry) return;
  c.reply.bulk(
      std::visit([&](const auto& value) { return encoding(*entry, value); }, entry->value));
}

std::string_view policy(Context& c) {
  return engine_context(c).engine.config.get("maxmemory-policy");
}

bool is_lfu(Context& c) { return policy(c).ends_with("lfu"); }

/// Redis shares its objects for the small integers, unless each must have its own time of use.
void object_refcount(Context& c) {
  const KeyEntry* entry = inspect(c);
  if (!entry) return;
  constexpr std::int64_t kShared = 10'000;
  constexpr std::int64_t kSharedCount = 2147483647;
  const auto* text = std::get_if<StringValue>(&entry->value);
  const bool must_be_own = engine_context(c).engine.config.get("maxmemory") != "0" &&
                           (is_lfu(c) || policy(c).ends_with("lru"));
  const auto number = text && !must_be_own ? kept_number(*entry, *text) : std::nullopt;
  c.reply.integer(number && *number >= 0 && *number < kShared ? kSharedCount : 1);
}

void object_idletime(Context& c) {
  const KeyEntry* entry = inspect(c);
  if (!entry) return;
  if (is_lfu(c)) return c.reply.error(errors::kLfuSelected);
  // Redis reads both from a clock of whole seconds.
  c.reply.integer(std::max<std::int64_t>(c.clock_ms() / 1000 - entry->used_ms / 1000, 0));
}

/// Redis counts uses by chance, with a chance of 1 / (lfu-log-factor * (counter - 5) + 1); here the
/// counter stands where it would be on average, so that it is the same in every run.
void object_freq(Context& c) {
  const KeyEntry* entry = inspect(c);
  if (!entry) return;
  if (!is_lfu(c)) return c.reply.error(errors::kLfuNotSelected);
  const Config& config = engine_context(c).engine.config;
  const auto factor = parse_int64(config.get("lfu-log-factor")).value_or(10);
  const auto decay_minutes = parse_int64(config.get("lfu-decay-time")).value_or(1);
  constexpr std::int64_t kInitial = 5;
  std::int64_t above = 0;
  for (std::int64_t uses = entry->uses; uses > 0 && above < 255 - kInitial; ++above)
    uses -= factor * above + 1;
  const std::int64_t idle_minutes = c.clock_ms() / 60'000 - entry->used_ms / 60'000;
  const std::int64_t decayed = decay_minutes > 0 ? idle_minutes / decay_minutes : 0;
  c.reply.integer(std::max<std::int64_t>(kInitial + above - decayed, 0));
}

void object_help(Context& c) { write_help(c, help::object()); }

constexpr KeySpec kKey[] = {{.flags = "RO", .first = 2}};

constexpr Command kSubcommands[] = {
    {"object|encoding",
     3,
     kReadonly,
     kAclKeyspace,
     kKey,
     "generic",
     "2.2.3",
     object_encoding,
     {},
     "nondeterministic_output"},
    {"object|freq",
     3,
     kReadonly,
     kAclKeyspace,
     kKey,
     "generic",
     "4.0.0",
     object_freq,
     {},
     "nondeterministic_output"},
    {"object|help", 2, kLoading | kStale, kAclKeyspace, {}, "generic", "6.2.0", object_help},
    {"object|idletime",
     3,
     kReadonly,
     kAclKeyspace,
     kKey,
     "generic",
     "2.2.3",
     object_idletime,
     {},
     "nondeterministic_output"},
    {"object|refcount",
     3,
     kReadonly,
     kAclKeyspace,
     kKey,
     "generic",
     "2.2.3",
     object_refcount,
     {},
     "nondeterministic_output"},
};

constexpr Command kCommands[] = {
    {"object", -2, 0, 0, {}, "generic", "2.2.3", nullptr, kSubcommands},
};

}  // namespace

std::span<const Command> commands::object() { return kCommands; }

}  // namespace picklock
