// SAVE, BGSAVE, BGREWRITEAOF, LASTSAVE, FLUSHALL, SHUTDOWN: nothing is written, so that all are
// done at once.
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/flush_mode.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/script_call.hpp"

namespace picklock {
namespace {

void note_file(Context& c) {
  Persistence& persistence = engine_context(c).engine.persistence;
  persistence.last_save = c.clock.now();
  persistence.saved_changes = c.keyspace.changes();
}

void note_save(Context& c) {
  note_file(c);
  ++engine_context(c).engine.persistence.saves;
}

void save(Context& c) {
  note_save(c);
  c.reply.ok();
}

void bgsave(Context& c) {
  if (c.args.size() > 2 || (c.args.size() == 2 && !is_word(c.args[1], "schedule")))
    return c.reply.error(errors::kSyntax);
  note_save(c);
  engine_context(c).engine.persistence.was_bgsave = true;
  c.reply.status("Background saving started");
}

void bgrewriteaof(Context& c) {
  Persistence& persistence = engine_context(c).engine.persistence;
  ++persistence.rewrites;
  persistence.was_rewrite = true;
  c.reply.status("Background append only file rewriting started");
}

void lastsave(Context& c) {
  c.reply.integer(to_unix_ms(engine_context(c).engine.persistence.last_save) / 1000);
}

// Redis 7.0, flushAllDataAndResetRDB: where files are saved, there is one without keys at once,
// which rdb_saves does not count.
void flushall(Context& c) {
  const auto later = read_flush_mode(c);
  if (!later) return;
  *later ? c.keyspace.discard_all() : c.keyspace.clear();
  if (!engine_context(c).engine.config.get("save").empty()) note_file(c);
  c.replicated = Replicated::always;
  c.tell_changes();
  c.reply.ok();
}

struct ShutdownWords {
  bool save = false, nosave = false, now = false, force = false, abort = false;
  bool contradict() const {
    return (save && nosave) || (abort && (save || nosave || now || force));
  }
};

/// nullopt for a word that is none of SHUTDOWN's.
std::optional<ShutdownWords> read_words(Args words) {
  ShutdownWords found;
  for (const std::string_view word : words) {
    if (is_word(word, "save"))
      found.save = true;
    else if (is_word(word, "nosave"))
      found.nosave = true;
    else if (is_word(word, "now"))
      found.now = true;
    else if (is_word(word, "force"))
      found.force = true;
    else if (is_word(word, "abort"))
      found.abort = true;
    else
      return std::nullopt;
  }
  return found;
}

// An emulator within another program must not end it: SHUTDOWN fails, unless the program has said
// how to end.
void shutdown(Context& c) {
  const auto words = read_words(c.args.subspan(1));
  if (!words || words->contradict()) return c.reply.error(errors::kSyntax);
  if (words->abort) return c.reply.error(errors::kNoShutdown);
  auto& ec = engine_context(c);
  if (ec.engine.script && !words->nosave) return c.reply.error(busy_error(*ec.engine.script));
  if (!ec.engine.on_shutdown) return c.reply.error(errors::kShutdownFailed);
  ec.session.closing = ec.session.output_is_void = true;
  ec.engine.on_shutdown();
}

constexpr std::uint32_t kPersistenceFlags = kAdmin | kNoScript | kNoAsyncLoading;

constexpr Command kPersistenceCommands[] = {
    {"save", 1, kPersistenceFlags | kNoMulti, 0, {}, "server", "1.0.0", save},
    {"bgsave", -1, kPersistenceFlags, 0, {}, "server", "1.0.0", bgsave},
    {"bgrewriteaof", 1, kPersistenceFlags, 0, {}, "server", "1.0.0", bgrewriteaof},
    {"lastsave",
     1,
     kLoading | kStale | kFast,
     kAclAdmin | kAclDangerous,
     {},
     "server",
     "1.0.0",
     lastsave,
     {},
     "nondeterministic_output"},
    {"flushall",
     -1,
     kWrite,
     kAclKeyspace | kAclDangerous,
     {},
     "server",
     "1.0.0",
     flushall,
     {},
     "request_policy:all_shards response_policy:all_succeeded"},
    {"shutdown",
     -1,
     kAdmin | kNoScript | kLoading | kStale | kNoMulti | kAllowBusy,
     0,
     {},
     "server",
     "1.0.0",
     shutdown},
};

}  // namespace

std::span<const Command> commands::persistence() { return kPersistenceCommands; }

}  // namespace picklock
