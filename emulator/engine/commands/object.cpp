// OBJECT: how a value is kept and when it was used.
#include <optional>
#include <variant>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/object_facts.hpp"

namespace picklock {
namespace {

/// The entry to speak of, without counting as a use of it; null with null answered.
const KeyEntry* inspect_object(Context& c) {
  const KeyEntry* entry = c.inspect(c.args[2]);
  if (!entry) c.reply.null();
  return entry;
}

/// The integer as which Redis would keep the string.
std::optional<std::int64_t> kept_number(const KeyEntry& entry, const StringValue& value) {
  return entry.form == Form::fresh || entry.form == Form::own ? parse_int64(value) : std::nullopt;
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
  if (const KeyEntry* entry = inspect_object(c)) c.reply.bulk(encoding_name(*entry));
}

std::string_view policy(Context& c) {
  return engine_context(c).engine.config.get("maxmemory-policy");
}

bool is_lfu(Context& c) { return policy(c).ends_with("lfu"); }

void object_refcount(Context& c) {
  if (const KeyEntry* entry = inspect_object(c)) c.reply.integer(reference_count(c, *entry));
}

void object_idletime(Context& c) {
  const KeyEntry* entry = inspect_object(c);
  if (!entry) return;
  if (is_lfu(c)) return c.reply.error(errors::kLfuSelected);
  c.reply.integer(entry->use.idle_seconds(c.clock_ms()));
}

void object_freq(Context& c) {
  const KeyEntry* entry = inspect_object(c);
  if (!entry) return;
  if (!is_lfu(c)) return c.reply.error(errors::kLfuNotSelected);
  c.reply.integer(entry->use.frequency(c.db().counting(), c.clock_ms()));
}

void object_help(Context& c) { write_help(c, help::object()); }

constexpr KeySpec kObjectKey[] = {{.flags = "RO", .first = 2}};

constexpr Command kObjectSubcommands[] = {
    {"object|encoding",
     3,
     kReadonly,
     kAclKeyspace,
     kObjectKey,
     "generic",
     "2.2.3",
     object_encoding,
     {},
     "nondeterministic_output"},
    {"object|freq",
     3,
     kReadonly,
     kAclKeyspace,
     kObjectKey,
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
     kObjectKey,
     "generic",
     "2.2.3",
     object_idletime,
     {},
     "nondeterministic_output"},
    {"object|refcount",
     3,
     kReadonly,
     kAclKeyspace,
     kObjectKey,
     "generic",
     "2.2.3",
     object_refcount,
     {},
     "nondeterministic_output"},
};

constexpr Command kObjectCommands[] = {
    {"object", -2, 0, 0, {}, "generic", "2.2.3", nullptr, kObjectSubcommands},
};

}  // namespace

std::string_view encoding_name(const KeyEntry& entry) {
  return std::visit([&](const auto& value) { return encoding(entry, value); }, entry.value);
}

/// Redis shares its objects for the small integers, unless each must have its own time of use.
std::int64_t reference_count(Context& c, const KeyEntry& entry) {
  constexpr std::int64_t kShared = 10'000;
  constexpr std::int64_t kSharedCount = 2147483647;
  const auto* text = std::get_if<StringValue>(&entry.value);
  if (!text || entry.form == Form::own) return 1;
  const bool must_be_own = engine_context(c).engine.config.get("maxmemory") != "0" &&
                           (is_lfu(c) || policy(c).ends_with("lru"));
  const auto number = must_be_own ? std::nullopt : kept_number(entry, *text);
  return number && *number >= 0 && *number < kShared ? kSharedCount : 1;
}

std::span<const Command> commands::object() { return kObjectCommands; }

}  // namespace picklock
