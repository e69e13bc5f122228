// Commands on keys of any type, and on a whole database.
#include <optional>
#include <vector>

#include "emulator/base/glob.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/flush_mode.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

void del(Context& c) {
  std::int64_t deleted = 0;
  for (const std::string_view key : c.args.subspan(1)) {
    c.find(key);  // What has expired goes first, but stays on a replica and is deleted here.
    if (!c.db().erase(key)) continue;
    ++deleted;
    c.event(EventClass::generic, "del", key);
  }
  c.reply.integer(deleted);
}

// Values are freed at once, which no client can tell from Redis's background thread.
void unlink(Context& c) { del(c); }

void exists(Context& c) {
  std::int64_t found = 0;
  for (const std::string_view key : c.args.subspan(1)) found += c.find_untouched(key) != nullptr;
  c.reply.integer(found);
}

void type(Context& c) {
  const KeyEntry* entry = c.find_untouched(c.args[1]);
  c.reply.status(entry ? type_name(entry->value) : "none");
}

void keys_matching(Context& c) {
  const std::string_view pattern = c.args[1];
  std::vector<std::string_view> found;
  // Redis 7.0 leaves where it is what has expired.
  c.db().keys().for_each([&](const auto& entry) {
    if (pattern != "*" && !glob_match(pattern, entry.key)) return;
    if (c.db().peek(entry.key, c.now_ms)) found.push_back(entry.key);
  });
  c.reply.array(found.size());
  for (const std::string_view key : found) c.reply.bulk(key);
}

void dbsize(Context& c) { c.reply.integer(static_cast<std::int64_t>(c.db().size())); }

// Clients that cache keys hear of a flush before its reply.
void flushdb(Context& c) {
  const auto later = read_flush_mode(c);
  if (!later) return;
  *later ? c.keyspace.discard(c.db()) : c.db().clear();
  c.replicated = Replicated::always;
  c.tell_changes();
  c.reply.ok();
}

constexpr Command kGenericCommands[] = {
    {"del",
     -2,
     kWrite,
     kAclKeyspace,
     keys::kRemoveAll,
     "generic",
     "1.0.0",
     del,
     {},
     "request_policy:multi_shard response_policy:agg_sum"},
    {"unlink",
     -2,
     kWrite | kFast,
     kAclKeyspace,
     keys::kRemoveAll,
     "generic",
     "4.0.0",
     unlink,
     {},
     "request_policy:multi_shard response_policy:agg_sum"},
    {"exists",
     -2,
     kReadonly | kFast,
     kAclKeyspace,
     keys::kLookAll,
     "generic",
     "1.0.0",
     exists,
     {},
     "request_policy:multi_shard response_policy:agg_sum"},
    {"type", 2, kReadonly | kFast, kAclKeyspace, keys::kLook, "generic", "1.0.0", type},
    {"keys",
     2,
     kReadonly,
     kAclKeyspace | kAclDangerous,
     {},
     "generic",
     "1.0.0",
     keys_matching,
     {},
     "request_policy:all_shards nondeterministic_output_order"},
    {"dbsize",
     1,
     kReadonly | kFast,
     kAclKeyspace,
     {},
     "server",
     "1.0.0",
     dbsize,
     {},
     "request_policy:all_shards response_policy:agg_sum"},
    {"flushdb",
     -1,
     kWrite,
     kAclKeyspace | kAclDangerous,
     {},
     "server",
     "1.0.0",
     flushdb,
     {},
     "request_policy:all_shards response_policy:all_succeeded"},
};

}  // namespace

std::span<const Command> commands::generic() { return kGenericCommands; }

}  // namespace picklock
