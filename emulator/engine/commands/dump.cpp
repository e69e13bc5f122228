// DUMP and RESTORE: values as bytes that a real server reads and writes, too.
#include <optional>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/expire_time.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/rdb_options.hpp"
#include "emulator/keyspace/rdb/payload.hpp"

namespace picklock {
namespace {

void dump(Context& c) {
  const KeyEntry* entry = c.find(c.args[1]);
  if (!entry) return c.reply.null();
  c.reply.bulk(rdb::write_payload(*entry, rdb_options(engine_context(c).engine)));
}

struct RestoreOptions {
  bool replace = false;
  bool absolute = false;
  std::optional<std::int64_t> idle_seconds;
  std::optional<std::int64_t> frequency;
};

/// The integer in `word` if it lies within [0, max]; otherwise answers an error.
std::optional<std::int64_t> read_count(Context& c, std::string_view word, std::int64_t max,
                                       std::string_view out_of_range) {
  const auto count = parse_int64(word);
  if (!count) {
    c.reply.error(errors::kNotInteger);
  } else if (*count < 0 || *count > max) {
    c.reply.error(out_of_range);
  } else {
    return count;
  }
  return std::nullopt;
}

/// The options of RESTORE; nullopt if an error was answered.
std::optional<RestoreOptions> read_options(Context& c) {
  RestoreOptions options;
  for (std::size_t i = 4; i < c.args.size(); ++i) {
    const std::string_view word = c.args[i];
    const bool has_value = i + 1 < c.args.size();
    if (is_word(word, "replace")) {
      options.replace = true;
    } else if (is_word(word, "absttl")) {
      options.absolute = true;
    } else if (is_word(word, "idletime") && has_value && !options.frequency) {
      options.idle_seconds = read_count(c, c.args[++i], INT64_MAX, errors::kIdletimeNegative);
      if (!options.idle_seconds) return std::nullopt;
    } else if (is_word(word, "freq") && has_value && !options.idle_seconds) {
      options.frequency = read_count(c, c.args[++i], 255, errors::kFreqRange);
      if (!options.frequency) return std::nullopt;
    } else {
      c.reply.error(errors::kSyntax);
      return std::nullopt;
    }
  }
  return options;
}

/// The deadline that RESTORE's ttl means. One beyond all time wraps around in Redis 7.0, and so
/// lies in the past.
std::int64_t deadline_of(const Context& c, std::int64_t ttl, bool absolute) {
  if (ttl == 0) return kNoDeadline;
  if (absolute) return ttl;
  std::int64_t deadline = 0;
  return __builtin_add_overflow(ttl, c.clock_ms(), &deadline) ? 0 : deadline;
}

void restore(Context& c) {
  const auto options = read_options(c);
  if (!options) return;
  const std::string_view key = c.args[1];
  if (!options->replace && c.db().find(key, c.now_ms)) return c.reply.error(errors::kBusyKey);
  const auto ttl = read_count(c, c.args[2], INT64_MAX, errors::kTtlNegative);
  if (!ttl) return;
  const Engine& engine = engine_context(c).engine;
  if (!rdb::has_sound_footer(c.args[3], !engine.debug.skip_checksum))
    return c.reply.error(errors::kPayloadFooter);
  auto loaded = rdb::read_payload(c.args[3], rdb_options(engine));
  if (!loaded) return c.reply.error(errors::kBadDataFormat);

  const bool deleted = options->replace && c.db().erase(key);
  const std::int64_t deadline = deadline_of(c, *ttl, options->absolute);
  if (deadline != kNoDeadline && already_expired(c, deadline)) {
    if (deleted) {
      c.replicate_deletion(key, "server-del");
      c.event(EventClass::generic, "del", key);
    }
    return c.reply.ok();
  }
  c.db().put_until(key, std::move(loaded->value), deadline);
  c.db().set_form(key, loaded->form);
  if (options->idle_seconds) c.db().set_idle(key, *options->idle_seconds);
  if (options->frequency) c.db().set_frequency(key, *options->frequency);
  c.event(EventClass::generic, "restore", key);
  if (c.effects && *ttl != 0 && !options->absolute) {
    std::vector<std::string_view> words(c.args.begin(), c.args.end());
    const std::string instant = to_text(deadline);
    words[2] = instant;
    words.push_back("ABSTTL");
    c.replicate_as(words);
  }
  c.reply.ok();
}

constexpr std::uint32_t kRestoreFlags = kWrite | kDenyOom;
constexpr std::uint32_t kRestoreAcl = kAclKeyspace | kAclDangerous;
constexpr Command kDumpCommands[] = {
    {"dump",
     2,
     kReadonly,
     kAclKeyspace,
     keys::kRead,
     "generic",
     "2.6.0",
     dump,
     {},
     "nondeterministic_output"},
    {"restore", -4, kRestoreFlags, kRestoreAcl, keys::kOverwrite, "generic", "2.6.0", restore},
    {"restore-asking", -4, kRestoreFlags | kAsking, kRestoreAcl, keys::kOverwrite, "server",
     "3.0.0", restore},
};

}  // namespace

std::span<const Command> commands::dump() { return kDumpCommands; }

}  // namespace picklock
