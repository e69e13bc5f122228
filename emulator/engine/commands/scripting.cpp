// EVAL and its kin, SCRIPT.
#include <array>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/script_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/guards.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/script_call.hpp"
#include "emulator/engine/shebang.hpp"

namespace picklock {
namespace {

using Sha1 = std::array<char, 40>;
std::string_view view(const Sha1& sha1) { return {sha1.data(), sha1.size()}; }

struct KeysAndArgv {
  Args keys, argv;
};

/// Splits the words behind the script by the number of keys in word 2; answers the error if it does
/// not fit.
std::optional<KeysAndArgv> read_keys(Context& c) {
  const auto count = parse_int64(c.args[2]);
  const auto error = [&](std::string_view text) { return c.reply.error(text), std::nullopt; };
  if (!count) return error(errors::kNotInteger);
  if (*count > static_cast<std::int64_t>(c.args.size()) - 3) return error(errors::kTooManyKeys);
  if (*count < 0) return error(errors::kNegativeKeys);
  const Args words = c.args.subspan(3);
  return KeysAndArgv{words.first(static_cast<std::size_t>(*count)),
                     words.subspan(static_cast<std::size_t>(*count))};
}

/// Runs `body`, which the cache knows. Its first line may forbid it to write, or the command may.
void run(EngineContext& c, std::string_view sha1, std::string_view body, const KeysAndArgv& words,
         ScriptMode mode) {
  Shebang shebang;
  if (has_shebang(body)) [[unlikely]] {
    std::string error;
    shebang = read_shebang(body, error).value_or(Shebang{});
  }
  const bool read_only = mode == ScriptMode::read_only;
  if (shebang.present || c.engine.is_guarded())
    if (const auto refused = refusal_of_script(c.engine, shebang, read_only))
      return c.reply.error(*refused);
  if (shebang.no_writes) mode = ScriptMode::read_only;
  const ScriptGuard guard{.has_flags = shebang.present,
                          .allows_oom = shebang.allow_oom,
                          .allows_cross_slots = shebang.allow_cross_slots};
  ScriptCall call{c, mode, sha1, false, guard};
  c.engine.scripts.run(sha1, words.keys, words.argv, call, c.reply);
}

void eval_body(Context& c, ScriptMode mode) {
  auto& ec = engine_context(c);
  const auto words = read_keys(c);
  if (!words) return;
  const Sha1 sha1 = ec.engine.scripts.name_of(c.args[1]);
  std::string error;
  if (!ec.engine.scripts.load(view(sha1), c.args[1], Scripts::Origin::eval, error))
    return c.reply.raw_error(error);
  run(ec, view(sha1), c.args[1], *words, mode);
}

void eval_sha(Context& c, ScriptMode mode) {
  auto& ec = engine_context(c);
  const std::string_view given = c.args[1];
  // A name of the wrong length is refused before the number of keys is looked at.
  if (given.size() != 40) return c.reply.error(errors::kNoScript);
  const auto words = read_keys(c);
  if (!words) return;
  // Names have small letters, and whoever sends one has mostly been told it.
  if (const std::string* body = ec.engine.scripts.find(given))
    return run(ec, given, *body, *words, mode);
  Sha1 sha1;
  for (std::size_t i = 0; i < sha1.size(); ++i) sha1[i] = to_lower(given[i]);
  const std::string* body = ec.engine.scripts.find(view(sha1));
  if (body == nullptr) return c.reply.error(errors::kNoScript);
  run(ec, view(sha1), *body, *words, mode);
}

void eval(Context& c) { eval_body(c, ScriptMode::normal); }
void eval_ro(Context& c) { eval_body(c, ScriptMode::read_only); }
void evalsha(Context& c) { eval_sha(c, ScriptMode::normal); }
void evalsha_ro(Context& c) { eval_sha(c, ScriptMode::read_only); }

void script_load(Context& c) {
  Scripts& scripts = engine_context(c).engine.scripts;
  const Sha1 sha1 = scripts.name_of(c.args[2]);
  std::string error;
  if (scripts.load(view(sha1), c.args[2], Scripts::Origin::load, error))
    c.reply.bulk(view(sha1));
  else
    c.reply.raw_error(error);
}

void script_exists(Context& c) {
  c.reply.array(c.args.size() - 2);
  for (const std::string_view sha1 : c.args.subspan(2))
    c.reply.integer(engine_context(c).engine.scripts.knows(lower(sha1)) ? 1 : 0);
}

void script_flush(Context& c) {
  const bool fits =
      c.args.size() == 2 ||
      (c.args.size() == 3 && (is_word(c.args[2], "async") || is_word(c.args[2], "sync")));
  if (!fits) return c.reply.error(errors::kScriptFlushUsage);
  engine_context(c).engine.scripts.flush();
  c.reply.ok();
}

constexpr KeySpec script_keys(std::string_view flags, std::string_view notes) {
  return {.flags = flags, .first = 2, .find = KeySpec::Find::keynum, .notes = notes};
}
constexpr KeySpec kEvalKeys[] = {
    script_keys("RW access update",
                "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE")};
constexpr KeySpec kEvalshaKeys[] = {script_keys("RW access update", "")};
constexpr KeySpec kEvalRoKeys[] = {script_keys(
    "RO access", "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS")};
constexpr KeySpec kEvalshaRoKeys[] = {script_keys("RO access", "")};

void script_kill(Context& c) { kill_script(engine_context(c).engine, false, c.reply); }

// There is no debugger: only its absence can be asked for.
void script_debug(Context& c) {
  // Redis: clientHasPendingReplies, which EXEC has given it.
  const auto& transaction = engine_context(c).session.transaction;
  if (transaction && transaction->executing) return c.reply.error(errors::kScriptDebugInPipeline);
  if (!is_word(c.args[2], "no")) return c.reply.error(errors::kScriptDebugUsage);
  c.reply.ok();
}

void script_help(Context& c) { write_help(c, help::script()); }

constexpr Command kScriptSubcommands[] = {
    {"script|kill",
     2,
     kNoScript | kAllowBusy,
     kAclScripting,
     {},
     "scripting",
     "2.6.0",
     script_kill,
     {},
     "request_policy:all_shards response_policy:one_succeeded"},
    {"script|debug", 3, kNoScript, kAclScripting, {}, "scripting", "3.2.0", script_debug},
    {"script|help", 2, kLoading | kStale, kAclScripting, {}, "scripting", "5.0.0", script_help},
    {"script|flush",
     -2,
     kNoScript,
     kAclScripting,
     {},
     "scripting",
     "2.6.0",
     script_flush,
     {},
     "request_policy:all_nodes response_policy:all_succeeded"},
    {"script|exists",
     -3,
     kNoScript,
     kAclScripting,
     {},
     "scripting",
     "2.6.0",
     script_exists,
     {},
     "request_policy:all_shards response_policy:agg_logical_and"},
    {"script|load",
     3,
     kNoScript | kStale,
     kAclScripting,
     {},
     "scripting",
     "2.6.0",
     script_load,
     {},
     "request_policy:all_nodes response_policy:all_succeeded"},
};

constexpr Command kScriptingCommands[] = {
    {"eval", -3,
     kMayReplicate | kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys | kMovableKeys,
     kAclScripting, kEvalKeys, "scripting", "2.6.0", eval},
    {"evalsha", -3,
     kMayReplicate | kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys | kMovableKeys,
     kAclScripting, kEvalshaKeys, "scripting", "2.6.0", evalsha},
    {"eval_ro", -3, kReadonly | kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys | kMovableKeys,
     kAclScripting, kEvalRoKeys, "scripting", "7.0.0", eval_ro},
    {"evalsha_ro", -3,
     kReadonly | kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys | kMovableKeys, kAclScripting,
     kEvalshaRoKeys, "scripting", "7.0.0", evalsha_ro},
    {"script", -2, 0, 0, {}, "scripting", "2.6.0", nullptr, kScriptSubcommands},
};

}  // namespace

std::span<const Command> commands::scripting() { return kScriptingCommands; }

}  // namespace picklock
