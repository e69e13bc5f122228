// FUNCTION and FCALL.
#include <array>
#include <limits>

#include "emulator/base/glob.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/script_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/function_dump.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/rdb_options.hpp"
#include "emulator/engine/script_call.hpp"
#include "emulator/engine/shebang.hpp"

namespace picklock {
namespace {

Functions& functions(Context& c) { return engine_context(c).engine.functions; }

void call_function(Context& c, bool read_only) {
  auto& ec = engine_context(c);
  const lua::RegisteredFunction* function = functions(c).find(c.args[1]);
  if (!function) return c.reply.error(errors::kFunctionNotFound);
  const auto count = parse_int64(c.args[2]);
  if (!count) return c.reply.error(errors::kBadNumberOfKeys);
  if (*count > static_cast<std::int64_t>(c.args.size()) - 3)
    return c.reply.error(errors::kTooManyKeys);
  if (*count < 0) return c.reply.error(errors::kNegativeKeys);
  const Shebang flags = shebang_of(*function);
  if (const auto refused = refusal_of_script(ec.engine, flags, read_only))
    return c.reply.error(*refused);
  const Args words = c.args.subspan(3);
  const auto keys = static_cast<std::size_t>(*count);
  // A copy: the function may be replaced while others get their turns.
  const lua::RegisteredFunction running = *function;
  const ScriptGuard guard{.has_flags = true,
                          .allows_oom = flags.allow_oom,
                          .allows_cross_slots = flags.allow_cross_slots};
  const auto mode = flags.no_writes ? ScriptMode::read_only : ScriptMode::normal;
  ScriptCall call{ec, mode, running.name, true, guard};
  std::uint64_t random = ec.engine.scripts.random_state();
  functions(c).run(running, words.first(keys), words.subspan(keys), call, c.reply, random);
  ec.engine.scripts.set_random_state(random);
}

void fcall(Context& c) { call_function(c, false); }
void fcall_ro(Context& c) { call_function(c, true); }

void function_load(Context& c) {
  bool replace = false;
  for (const std::string_view option : c.args.subspan(2, c.args.size() - 3)) {
    if (!is_word(option, "replace"))
      return c.reply.error("ERR Unknown option given: " + errors::printed(option));
    replace = true;
  }
  std::string error;
  const auto name = functions(c).load(c.args.back(), replace, error);
  name ? c.reply.bulk(*name) : c.reply.raw_error(error);
  if (name) c.replicated = Replicated::always;
}

void function_delete(Context& c) {
  if (!functions(c).remove(c.args[2])) return c.reply.error(errors::kLibraryNotFound);
  c.replicated = Replicated::always;
  c.reply.ok();
}

void write_function(ReplyWriter& reply, const lua::RegisteredFunction& function) {
  reply.map(3);
  reply.bulk("name");
  reply.bulk(function.name);
  reply.bulk("description");
  function.description ? reply.bulk(*function.description) : reply.null();
  reply.bulk("flags");
  std::vector<std::string_view> flags;
  for (std::size_t i = 0; i < std::size(lua::kScriptFlagNames); ++i)
    if ((function.flags & 1U << i) != 0) flags.push_back(lua::kScriptFlagNames[i]);
  reply.set(flags.size());
  for (const std::string_view flag : flags) reply.status(flag);
}

void write_library(ReplyWriter& reply, std::string_view name, const Library& library,
                   bool with_code) {
  reply.map(with_code ? 4 : 3);
  reply.bulk("library_name");
  reply.bulk(name);
  reply.bulk("engine");
  reply.bulk("LUA");
  reply.bulk("functions");
  reply.array(library.functions.size());
  for (const auto& function : library.functions) write_function(reply, function);
  if (!with_code) return;
  reply.bulk("library_code");
  reply.bulk(library.code);
}

void function_list(Context& c) {
  bool with_code = false;
  std::optional<std::string_view> pattern;
  for (std::size_t i = 2; i < c.args.size(); ++i) {
    if (!with_code && is_word(c.args[i], "withcode")) {
      with_code = true;
    } else if (!pattern && is_word(c.args[i], "libraryname")) {
      if (++i == c.args.size()) return c.reply.error(errors::kNoLibraryName);
      pattern = c.args[i];
    } else {
      return c.reply.error("ERR Unknown argument " + errors::printed(c.args[i]));
    }
  }
  std::vector<const Libraries::Entry*> matching;
  functions(c).libraries().for_each([&](const auto& entry) {
    if (!pattern || glob_match(*pattern, entry.key, true)) matching.push_back(&entry);
  });
  c.reply.array(matching.size());
  for (const auto* entry : matching) write_library(c.reply, entry->key, entry->value, with_code);
}

void function_stats(Context& c) {
  auto& ec = engine_context(c);
  // Redis tells of functions only.
  if (ec.engine.script && !ec.engine.script->is_function())
    return c.reply.error(busy_error(*ec.engine.script));
  c.reply.map(2);
  c.reply.bulk("running_script");
  if (const ScriptCall* running = ec.engine.script) {
    c.reply.map(3);
    c.reply.bulk("name");
    c.reply.bulk(running->name());
    c.reply.bulk("command");
    c.reply.array(running->words().size());
    for (const std::string_view word : running->words()) c.reply.bulk(word);
    c.reply.bulk("duration_ms");
    c.reply.integer(c.clock_ms() - running->started_ms());
  } else {
    c.reply.null();
  }
  c.reply.bulk("engines");
  c.reply.map(1);
  c.reply.bulk("LUA");
  c.reply.map(2);
  c.reply.bulk("libraries_count");
  c.reply.integer(static_cast<std::int64_t>(functions(c).libraries().size()));
  c.reply.bulk("functions_count");
  c.reply.integer(static_cast<std::int64_t>(functions(c).function_count()));
}

void function_flush(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "FUNCTION"));
  if (c.args.size() == 3 && !is_word(c.args[2], "sync") && !is_word(c.args[2], "async"))
    return c.reply.error(errors::kFunctionFlushUsage);
  functions(c).flush();
  c.replicated = Replicated::always;
  c.reply.ok();
}

void function_dump(Context& c) {
  c.reply.bulk(dump_libraries(functions(c).libraries(), rdb_options(engine_context(c).engine)));
}

void function_restore(Context& c) {
  if (c.args.size() > 4) return c.reply.error(errors::wrong_subcommand(c.args[1], "FUNCTION"));
  auto policy = Functions::Policy::append;
  if (c.args.size() == 4) {
    if (is_word(c.args[3], "replace"))
      policy = Functions::Policy::replace;
    else if (is_word(c.args[3], "flush"))
      policy = Functions::Policy::flush;
    else if (!is_word(c.args[3], "append"))
      return c.reply.error(errors::kRestorePolicy);
  }
  std::string error;
  const bool check_crc = !engine_context(c).engine.debug.skip_checksum;
  const auto codes = read_library_dump(c.args[2], check_crc, error);
  if (!functions(c).load_all(codes, policy, error)) return c.reply.raw_error(error);
  c.replicated = Replicated::always;
  c.reply.ok();
}

void function_kill(Context& c) { kill_script(engine_context(c).engine, true, c.reply); }
void function_help(Context& c) { write_help(c, help::function()); }

constexpr std::string_view kAllShards = "request_policy:all_shards response_policy:all_succeeded";
constexpr std::uint32_t kFunctionChange = kWrite | kNoScript;

constexpr Command kFunctionSubcommands[] = {
    {"function|load",
     -3,
     kFunctionChange | kDenyOom,
     kAclScripting,
     {},
     "scripting",
     "7.0.0",
     function_load,
     {},
     kAllShards},
    {"function|delete",
     3,
     kFunctionChange,
     kAclScripting,
     {},
     "scripting",
     "7.0.0",
     function_delete,
     {},
     kAllShards},
    {"function|list",
     -2,
     kNoScript,
     kAclScripting,
     {},
     "scripting",
     "7.0.0",
     function_list,
     {},
     "nondeterministic_output_order"},
    {"function|stats",
     2,
     kNoScript | kAllowBusy,
     kAclScripting,
     {},
     "scripting",
     "7.0.0",
     function_stats,
     {},
     "nondeterministic_output request_policy:all_shards response_policy:special"},
    {"function|dump", 2, kNoScript, kAclScripting, {}, "scripting", "7.0.0", function_dump},
    {"function|restore",
     -3,
     kFunctionChange | kDenyOom,
     kAclScripting,
     {},
     "scripting",
     "7.0.0",
     function_restore,
     {},
     kAllShards},
    {"function|flush",
     -2,
     kFunctionChange,
     kAclScripting,
     {},
     "scripting",
     "7.0.0",
     function_flush,
     {},
     kAllShards},
    {"function|kill",
     2,
     kNoScript | kAllowBusy,
     kAclScripting,
     {},
     "scripting",
     "7.0.0",
     function_kill,
     {},
     "request_policy:all_shards response_policy:one_succeeded"},
    {"function|help", 2, kLoading | kStale, kAclScripting, {}, "scripting", "7.0.0", function_help},
};

constexpr KeySpec kFcallKeys[] = {
    {.flags = "RW access update",
     .first = 2,
     .find = KeySpec::Find::keynum,
     .notes = "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE"}};
constexpr KeySpec kFcallRoKeys[] = {
    {.flags = "RO access",
     .first = 2,
     .find = KeySpec::Find::keynum,
     .notes = "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS"}};
constexpr std::uint32_t kCall = kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys | kMovableKeys;

constexpr Command kFunctionsCommands[] = {
    {"fcall", -3, kCall | kMayReplicate, kAclScripting, kFcallKeys, "scripting", "7.0.0", fcall},
    {"fcall_ro", -3, kCall | kReadonly, kAclScripting, kFcallRoKeys, "scripting", "7.0.0",
     fcall_ro},
    {"function", -2, 0, 0, {}, "scripting", "7.0.0", nullptr, kFunctionSubcommands},
};

}  // namespace

std::span<const Command> commands::functions() { return kFunctionsCommands; }

}  // namespace picklock
