// DEBUG: what a test can use of it. What would end the process, or has no meaning in an emulator,
// is refused.
#include <bit>
#include <cstdio>
#include <variant>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/dataset_digest.hpp"
#include "emulator/engine/debug_protocol.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/object_facts.hpp"
#include "emulator/engine/rdb_options.hpp"
#include "emulator/engine/reload.hpp"
#include "emulator/engine/setting_texts.hpp"
#include "emulator/keyspace/rdb/writer.hpp"

namespace picklock {
namespace {

/// The key in word 2, expired or not, as Redis's DEBUG looks at it; null with the error answered.
const KeyEntry* inspect(Context& c) {
  const KeyEntry* entry = c.db().keys().find(c.args[2]);
  if (!entry) c.reply.error(errors::kNoSuchKey);
  return entry;
}

void sleep(Context& c) {
  // Redis reads the seconds with strtod, which takes nonsense for 0.
  const double seconds = parse_double(c.args[2]).value_or(0);
  if (seconds > 0 && seconds < 1e9)
    c.clock.sleep_for(Duration{static_cast<std::int64_t>(seconds * 1e6)});
  c.reply.ok();
}

/// As atoi reads a flag, but for what follows the number.
bool read_flag(std::string_view word) { return parse_int64(word).value_or(0) != 0; }

void set_active_expire(Context& c) {
  engine_context(c).engine.active_expiry = read_flag(c.args[2]);
  c.reply.ok();
}

void permit_in_scripts(Context& c) {
  engine_context(c).engine.debug.scripts_look = read_flag(c.args[2]);
  c.reply.ok();
}

void skip_checksum(Context& c) {
  engine_context(c).engine.debug.skip_checksum = read_flag(c.args[2]);
  c.reply.ok();
}

void packed_threshold(Context& c) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 32) - (1 << 20);
  constexpr std::int64_t kDefault = 1 << 30;
  const auto bytes = parse_memory(c.args[2]);
  if (!bytes || *bytes > kMost) return c.reply.error(errors::kPackedThreshold);
  engine_context(c).engine.debug.packed_threshold =
      static_cast<std::size_t>(*bytes == 0 ? kDefault : *bytes);
  c.reply.ok();
}

std::string quicklist_facts(const Engine& engine, const ListValue& list) {
  const auto limits = rdb_options(engine).quicklist;
  const auto nodes = rdb::quicklist_nodes(list, limits);
  std::size_t bytes = 0;
  for (const rdb::QuicklistNode& node : nodes) bytes += node.size;
  char average[kInt64Chars + 8];
  std::snprintf(average, sizeof average, "%.2f",
                static_cast<double>(list.size()) / static_cast<double>(nodes.size()));
  std::string text{average};
  if (const auto point = text.find(','); point != std::string::npos) text[point] = '.';
  return " ql_nodes:" + to_text(static_cast<std::int64_t>(nodes.size())) + " ql_avg_node:" + text +
         " ql_listpack_max:" + to_text(limits.max_listpack_size) +
         " ql_compressed:0 ql_uncompressed_size:" + to_text(static_cast<std::int64_t>(bytes));
}

void object(Context& c) {
  const KeyEntry* entry = inspect(c);
  if (!entry) return;
  const Engine& engine = engine_context(c).engine;
  const rdb::Options options = rdb_options(engine);
  rdb::Writer writer{options};
  writer.write_value(*entry);
  std::string text = "Value at:0x000000000001 refcount:" + to_text(reference_count(c, *entry)) +
                     " encoding:" + std::string{encoding_name(*entry)} + " serializedlength:" +
                     to_text(static_cast<std::int64_t>(writer.bytes().size())) +
                     " lru:" + to_text(entry->use.bits()) +
                     " lru_seconds_idle:" + to_text(entry->use.idle_seconds(c.clock_ms()));
  if (const auto* list = std::get_if<ListValue>(&entry->value))
    text += quicklist_facts(engine, *list);
  c.reply.status(text);
}

/// Redis prints the structure on its standard output, where an emulator has nothing to say.
void listpack(Context& c) {
  const KeyEntry* entry = c.inspect(c.args[2]);
  if (!entry) return c.reply.error(errors::kNoSuchKey);
  if (encoding_name(*entry) != "listpack") return c.reply.error(errors::kNotListpack);
  c.reply.status("Listpack structure printed on stdout");
}

void quicklist(Context& c) {
  const KeyEntry* entry = c.inspect(c.args[2]);
  if (!entry) return c.reply.error(errors::kNoSuchKey);
  if (encoding_name(*entry) != "quicklist") return c.reply.error(errors::kNotQuicklist);
  c.reply.status("Quicklist structure printed on stdout");
}

void digest(Context& c) { c.reply.status(digest_of_keyspace(c.keyspace)); }

void digest_value(Context& c) {
  c.reply.array(c.args.size() - 2);
  for (const std::string_view key : c.args.subspan(2)) {
    const KeyEntry* entry = c.db().keys().find(key);
    c.reply.status(entry ? digest_of_value(*entry) : digest_of_nothing());
  }
}

/// The positive number in word `index`, or nullopt with an error answered.
std::optional<std::int64_t> read_positive(Context& c, std::size_t index) {
  const auto number = parse_int64(c.args[index]);
  if (number && *number >= 0) return number;
  c.reply.error(errors::kMustBePositive);
  return std::nullopt;
}

void populate(Context& c) {
  constexpr std::int64_t kMostKeys = 10'000'000;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
  const auto count = read_positive(c, 2);
  if (!count) return;
  const std::string prefix{c.args.size() > 3 ? c.args[3] : "key"};
  const auto size = c.args.size() > 4 ? read_positive(c, 4) : 0;
  if (!size) return;
  if (*count > kMostKeys || *size > kMostBytes / std::max<std::int64_t>(*count, 1))
    return c.reply.error(errors::kPopulateTooMuch);
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::string key = prefix + ":" + to_text(i);
    if (c.find(key)) continue;
    std::string value = "value:" + to_text(i);
    if (*size > 0) value.resize(static_cast<std::size_t>(*size));
    c.db().put(key, std::move(value));
    c.db().set_form(key, Form::text);
  }
  c.reply.ok();
}

void reload(Context& c) {
  bool save = true;
  for (const std::string_view word : c.args.subspan(2)) {
    if (is_word(word, "nosave"))
      save = false;
    else if (!is_word(word, "merge") && !is_word(word, "noflush"))
      return c.reply.error(errors::kReloadOptions);
  }
  if (!save) return c.reply.error(errors::kReloadFailed);  // There are no files.
  reload_keyspace(engine_context(c).engine, c.now_ms);
  c.reply.ok();
}

void error(Context& c) {
  std::string text{c.args[2]};
  for (char& letter : text)
    if (letter == '\r' || letter == '\n') letter = ' ';
  c.reply.uncounted_error(text);
}

void structsize(Context& c) {
  c.reply.bulk(
      "bits:64 robj:16 dictentry:24 sdshdr5:1 sdshdr8:3 sdshdr16:5 sdshdr32:9 sdshdr64:17 ");
}

void stringmatch_test(Context& c) { c.reply.status("Apparently Redis did not crash: test passed"); }

/// What changes nothing that a client could see.
void nothing(Context& c) { c.reply.ok(); }

void refuse(Context& c) { c.reply.error(errors::debug_refused(c.args[1])); }

void debug_help(Context& c) { write_help(c, help::debug()); }

struct Subcommand {
  std::string_view name;
  std::size_t least;  ///< Words, DEBUG itself included.
  std::size_t most;
  void (*run)(Context&);
};

// Whatever it is, and without a word of the database.
void replicate_words(Context& c) {
  if (c.effects) c.effects->effect(kNoDatabase, c.args.subspan(2));
  c.reply.ok();
}

constexpr std::size_t kAny = SIZE_MAX;
constexpr Subcommand kDebugSubcommands[] = {
    {"help", 2, 2, debug_help},
    {"sleep", 3, 3, sleep},
    {"set-active-expire", 3, 3, set_active_expire},
    {"set-skip-checksum-validation", 3, 3, skip_checksum},
    {"quicklist-packed-threshold", 3, 3, packed_threshold},
    {"object", 3, 3, object},
    {"listpack", 3, 3, listpack},
    {"quicklist", 3, 4, quicklist},
    {"digest", 2, 2, digest},
    {"digest-value", 2, kAny, digest_value},
    {"populate", 3, 5, populate},
    {"protocol", 3, 3, debug_protocol},
    {"reload", 2, kAny, reload},
    {"error", 3, 3, error},
    {"structsize", 2, 2, structsize},
    {"stringmatch-test", 2, 2, stringmatch_test},
    {"log", 3, 3, nothing},
    {"leak", 3, 3, nothing},
    {"change-repl-id", 2, 2, nothing},
    {"aof-flush-sleep", 3, 3, nothing},
    {"replicate", 3, kAny, replicate_words},
    {"pause-cron", 3, 3, nothing},
    {"set-disable-deny-scripts", 3, 3, permit_in_scripts},
    {"segfault", 2, kAny, refuse},
    {"panic", 2, kAny, refuse},
    {"assert", 2, kAny, refuse},
    {"oom", 2, kAny, refuse},
    {"restart", 2, kAny, refuse},
    {"crash-and-recover", 2, kAny, refuse},
    {"loadaof", 2, 2, refuse},
    {"config-rewrite-force-all", 2, 2, refuse},
    {"sdslen", 3, 3, refuse},
    {"htstats", 3, 3, refuse},
    {"htstats-key", 3, 3, refuse},
    {"mallctl", 3, kAny, refuse},
    {"mallctl-str", 3, kAny, refuse},
    {"drop-cluster-packet-filter", 3, 3, refuse},
    {"client-eviction", 2, 2, refuse},
    {"replybuffer", 4, 4, refuse},
    {"clusterlink", 5, 5, refuse},
};

void debug(Context& c) {
  for (const Subcommand& row : kDebugSubcommands)
    if (is_word(c.args[1], row.name) && c.args.size() >= row.least && c.args.size() <= row.most)
      return row.run(c);
  c.reply.error(errors::wrong_subcommand(c.args[1], "DEBUG"));
}

constexpr Command kDebugCommands[] = {
    {"debug", -2, kAdmin | kNoScript | kLoading | kStale, 0, {}, "server", "1.0.0", debug},
};

}  // namespace

std::span<const Command> commands::debug() { return kDebugCommands; }

}  // namespace picklock
