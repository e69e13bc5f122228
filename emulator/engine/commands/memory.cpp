// MEMORY: what a key would take in Redis; of the emulator's own memory only constants.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/memory_estimate.hpp"
#include "emulator/engine/rdb_options.hpp"

namespace picklock {
namespace {

void usage(Context& c) {
  std::int64_t samples = 5;
  for (std::size_t i = 3; i < c.args.size(); ++i) {
    if (!is_word(c.args[i], "samples") || i + 1 == c.args.size())
      return c.reply.error(errors::kSyntax);
    const auto number = parse_int64(c.args[++i]);
    if (!number) return c.reply.error(errors::kNotInteger);
    if (*number < 0) return c.reply.error(errors::kSyntax);
    samples = *number;
  }
  const KeyEntry* entry = c.db().keys().find(c.args[2]);
  if (!entry) return c.reply.null();
  const Engine& engine = engine_context(c).engine;
  // Redis: clusterDictEntryMetadata, the neighbours of a key within its slot.
  const std::size_t in_slot = engine.cluster.enabled ? 16 : 0;
  c.reply.integer(static_cast<std::int64_t>(
      memory_usage(c.args[2], *entry, static_cast<std::size_t>(samples), rdb_options(engine)) +
      in_slot));
}

/// As INFO does, it says the same on every machine: everything of the process is 0.
void stats(Context& c) {
  constexpr std::string_view kBefore[] = {
      "peak.allocated", "total.allocated", "startup.allocated", "replication.backlog",
      "clients.slaves", "clients.normal",  "cluster.links",     "aof.buffer",
      "lua.caches",     "functions.caches"};
  constexpr std::string_view kOfDatabase[] = {
      "overhead.hashtable.main", "overhead.hashtable.expires", "overhead.hashtable.slot-to-keys"};
  constexpr std::string_view kSizes[] = {"keys.bytes-per-key", "dataset.bytes"};
  constexpr std::string_view kPercentages[] = {"dataset.percentage", "peak.percentage"};
  constexpr std::string_view kAllocator[] = {"allocator.allocated", "allocator.active",
                                             "allocator.resident"};
  constexpr std::string_view kRatios[] = {"allocator-fragmentation", "allocator-rss",
                                          "rss-overhead"};
  const auto none = [&](std::string_view name) {
    c.reply.bulk(name);
    c.reply.integer(0);
  };
  const auto ratio = [&](std::string_view name, double value) {
    c.reply.bulk(name);
    c.reply.real(value);
  };
  std::size_t databases = 0;
  std::size_t keys = 0;
  for (const Database& database : c.keyspace.used()) {
    databases += database.size() > 0;
    keys += database.size();
  }
  c.reply.map(27 + databases);
  for (const std::string_view name : kBefore) none(name);
  for (int i = 0; i < c.keyspace.size(); ++i) {
    const Database* database = c.keyspace.at(i);
    if (!database || database->size() == 0) continue;
    c.reply.bulk("db." + to_text(i));
    c.reply.map(3);
    for (const std::string_view name : kOfDatabase) none(name);
  }
  none("overhead.total");
  c.reply.bulk("keys.count");
  c.reply.integer(static_cast<std::int64_t>(keys));
  for (const std::string_view name : kSizes) none(name);
  for (const std::string_view name : kPercentages) ratio(name, 0);
  for (const std::string_view name : kAllocator) none(name);
  for (const std::string_view name : kRatios) {
    ratio(std::string{name} + ".ratio", 1);
    none(std::string{name} + ".bytes");
  }
  ratio("fragmentation", 1);
  none("fragmentation.bytes");
}

void doctor(Context& c) {
  c.reply.verbatim(
      "txt",
      "Hi Sam, this instance is empty or is using very little memory, my issues detector can't be "
      "used in these conditions. Please, leave for your mission on Earth and fill it with some "
      "data. The new Sam and I will be back to our programming as soon as I finished "
      "rebooting.\n");
}

void malloc_stats(Context& c) { c.reply.bulk("Stats not supported for the current allocator"); }
void purge(Context& c) { c.reply.ok(); }
void memory_help(Context& c) { write_help(c, help::memory()); }

constexpr KeySpec kKey[] = {{.flags = "RO", .first = 2}};
constexpr std::string_view kReports =
    "nondeterministic_output request_policy:all_shards response_policy:special";

constexpr Command kMemorySubcommands[] = {
    {"memory|doctor", 2, 0, 0, {}, "server", "4.0.0", doctor, {}, kReports},
    {"memory|help", 2, kLoading | kStale, 0, {}, "server", "4.0.0", memory_help},
    {"memory|malloc-stats", 2, 0, 0, {}, "server", "4.0.0", malloc_stats, {}, kReports},
    {"memory|purge",
     2,
     0,
     0,
     {},
     "server",
     "4.0.0",
     purge,
     {},
     "request_policy:all_shards response_policy:all_succeeded"},
    {"memory|stats", 2, 0, 0, {}, "server", "4.0.0", stats, {}, kReports},
    {"memory|usage", -3, kReadonly, 0, kKey, "server", "4.0.0", usage},
};

constexpr Command kMemoryCommands[] = {
    {"memory", -2, 0, 0, {}, "server", "4.0.0", nullptr, kMemorySubcommands},
};

}  // namespace

std::span<const Command> commands::memory() { return kMemoryCommands; }

}  // namespace picklock
