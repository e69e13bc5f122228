// Keys that get another name or another database: RENAME, COPY, MOVE, SWAPDB; and RANDOMKEY, TOUCH.
#include <algorithm>
#include <utility>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

/// Gives `entry` the name `key` in `database`, in which that name must be free.
void add(Database& database, std::string_view key, KeyEntry entry) {
  database.put_until(key, std::move(entry.value), entry.deadline_ms);
  database.set_form(key, entry.form);
}

enum class Target : std::uint8_t { may_exist, must_be_new };

void rename_key(Context& c, Target target) {
  const std::string_view from = c.args[1];
  const std::string_view to = c.args[2];
  const bool only_new = target == Target::must_be_new;
  const KeyEntry* found = c.find(from);
  if (!found) return c.reply.error(errors::kNoSuchKey);
  if (from != to) {
    const bool overwrites = c.find(to) != nullptr;
    if (overwrites && only_new) return c.reply.integer(0);
    KeyEntry moved = *c.look(from);  // The look at the other may have moved it.
    const UseClock use = moved.use;
    c.db().erase(from);  // First: who caches both keys hears of this one first.
    if (overwrites) c.db().erase(to);
    add(c.db(), to, std::move(moved));
    c.db().set_use(to, use);
    c.event(EventClass::generic, "rename_from", from);
    c.event(EventClass::generic, "rename_to", to);
  } else if (only_new) {
    return c.reply.integer(0);
  }
  if (only_new)
    c.reply.integer(1);
  else
    c.reply.ok();
}

void rename(Context& c) { rename_key(c, Target::may_exist); }
void renamenx(Context& c) { rename_key(c, Target::must_be_new); }

/// The database that `word` names, or nullopt with the error answered.
std::optional<int> read_database(Context& c, std::string_view word) {
  const auto index = parse_int64(word);
  if (!index) return c.reply.error(errors::kNotInteger), std::nullopt;
  if (*index != static_cast<std::int32_t>(*index))
    return c.reply.error(errors::kNotInt), std::nullopt;
  if (*index < 0 || *index >= c.keyspace.size())
    return c.reply.error(errors::kDbIndexOutOfRange), std::nullopt;
  return static_cast<int>(*index);
}

/// `index`'s database and the selected one. The higher of the two is made first, for making one
/// moves those that are there.
std::pair<Database&, Database&> both(Context& c, int index) {
  c.keyspace[std::max(index, c.database)];
  return {c.keyspace[index], c.db()};
}

void event_in(Context& c, int database, std::string_view name, std::string_view key) {
  c.tell_changes();
  if (c.events) c.events->event(EventClass::generic, name, key, database);
}

void copy(Context& c) {
  int index = c.database;
  bool replace = false;
  for (std::size_t i = 3; i < c.args.size(); ++i) {
    if (is_word(c.args[i], "replace")) {
      replace = true;
    } else if (is_word(c.args[i], "db") && i + 1 < c.args.size()) {
      const auto wanted = read_database(c, c.args[++i]);
      if (!wanted) return;
      index = *wanted;
    } else {
      return c.reply.error(errors::kSyntax);
    }
  }
  if (c.in_cluster && index != 0) return c.reply.error(errors::kCopyInCluster);
  const std::string_view from = c.args[1];
  const std::string_view to = c.args[2];
  if (index == c.database && from == to) return c.reply.error(errors::kSameObject);
  auto [target, source] = both(c, index);
  const KeyEntry* found = c.find_to_read(from);
  if (!found) return c.reply.integer(0);
  KeyEntry copied = *found;
  if (target.find(to, c.now_ms)) {
    if (!replace) return c.reply.integer(0);
    target.erase(to);
  }
  if (std::holds_alternative<StringValue>(copied.value) && copied.form == Form::fresh)
    copied.form = Form::own;
  if (auto* stream = std::get_if<Stream>(&copied.value)) stream->forget_room();
  add(target, to, std::move(copied));
  event_in(c, index, "copy_to", to);
  c.reply.integer(1);
}

void move(Context& c) {
  if (c.in_cluster) return c.reply.error(errors::not_in_cluster("MOVE"));
  const std::string_view key = c.args[1];
  const auto index = read_database(c, c.args[2]);
  if (!index) return;
  if (*index == c.database) return c.reply.error(errors::kSameObject);
  auto [target, source] = both(c, *index);
  const KeyEntry* found = source.find(key, c.now_ms);
  if (!found || target.find(key, c.now_ms)) return c.reply.integer(0);
  add(target, key, *found);
  target.set_use(key, found->use);
  source.erase(key);
  event_in(c, c.database, "move_from", key);
  event_in(c, *index, "move_to", key);
  c.reply.integer(1);
}

/// The number in `word` if it is an int, which need not be a database's; else answers `error`.
std::optional<std::int64_t> read_index(Context& c, std::string_view word, std::string_view error) {
  const auto index = parse_int64(word);
  if (index && *index == static_cast<std::int32_t>(*index)) return index;
  c.reply.error(error);
  return std::nullopt;
}

void swapdb(Context& c) {
  if (c.in_cluster) return c.reply.error(errors::not_in_cluster("SWAPDB"));
  const auto first = read_index(c, c.args[1], errors::kFirstDbIndex);
  if (!first) return;
  const auto second = read_index(c, c.args[2], errors::kSecondDbIndex);
  if (!second) return;
  for (const auto index : {*first, *second})
    if (index < 0 || index >= c.keyspace.size()) return c.reply.error(errors::kDbIndexOutOfRange);
  const int low = static_cast<int>(std::min(*first, *second));
  const int high = static_cast<int>(std::max(*first, *second));
  Database& other = c.keyspace[high];  // First, for making it moves those that are there.
  if (low != high) c.keyspace[low].swap_keys(other, c.now_ms);
  c.replicated = Replicated::always;
  c.reply.ok();
}

void randomkey(Context& c) {
  const auto below = [&](std::uint64_t bound) { return c.random.below(bound); };
  while (const auto* entry = c.db().keys().pick(below)) {
    const std::string key = entry->key;  // Looking it up deletes it if it has expired.
    if (c.look(key)) return c.reply.bulk(key);
  }
  c.reply.null();
}

void touch(Context& c) {
  std::int64_t found = 0;
  for (const std::string_view key : c.args.subspan(1)) found += c.find(key) != nullptr;
  c.reply.integer(found);
}

constexpr KeySpec kRenameKeys[] = {{"RW access delete"}, {.flags = "OW update", .first = 2}};
constexpr KeySpec kRenamenxKeys[] = {{"RW access delete"}, {.flags = "OW insert", .first = 2}};
constexpr KeySpec kCopyKeys[] = {{"RO access"}, {.flags = "OW update", .first = 2}};

constexpr Command kMovingCommands[] = {
    {"rename", 3, kWrite, kAclKeyspace, kRenameKeys, "generic", "1.0.0", rename},
    {"renamenx", 3, kWrite | kFast, kAclKeyspace, kRenamenxKeys, "generic", "1.0.0", renamenx},
    {"copy", -3, kWrite | kDenyOom, kAclKeyspace, kCopyKeys, "generic", "6.2.0", copy},
    {"move", 3, kWrite | kFast, kAclKeyspace, keys::kReadUpdate, "generic", "1.0.0", move},
    {"swapdb", 3, kWrite | kFast, kAclKeyspace | kAclDangerous, {}, "server", "4.0.0", swapdb},
    {"randomkey",
     1,
     kReadonly | kAnyKeys,
     kAclKeyspace,
     {},
     "generic",
     "1.0.0",
     randomkey,
     {},
     "request_policy:all_shards nondeterministic_output"},
    {"touch",
     -2,
     kReadonly | kFast,
     kAclKeyspace,
     keys::kLookAll,
     "generic",
     "3.2.1",
     touch,
     {},
     "request_policy:multi_shard response_policy:agg_sum"},
};

}  // namespace

std::span<const Command> commands::moving() { return kMovingCommands; }

}  // namespace picklock
