#include "emulator/engine/script_call.hpp"

#include "emulator/base/text.hpp"
#include "emulator/commands/script_errors.hpp"
#include "emulator/engine/acl_sessions.hpp"
#include "emulator/engine/dispatch.hpp"
#include "emulator/engine/script_journal.hpp"

namespace picklock {

namespace {
std::string refusal(const AclVerdict& verdict) {
  const char* what = verdict.denied == Denied::command ? "run this command or subcommand"
                     : verdict.denied == Denied::key
                         ? "access at least one of the keys mentioned in the command arguments"
                         : "publish to the channel mentioned in the command";
  return std::string{"ERR The user executing the script can't "} + what;
}

// What DEBUG SET-DISABLE-DENY-SCRIPTS lets into scripts; on Redis, which has it for its own tests,
// it is whatever they dare.
bool looks(const Command& command, Args words) {
  return command.name == "client|list" ||
         (command.name == "debug" && (is_word(words[1], "protocol") || is_word(words[1], "sleep")));
}

// Redis: scriptCall. A script's call that is refused counts as rejected.
void reject(Engine& engine, const Command* command, ReplyWriter& reply, std::string_view error) {
  reply.error(error);
  if (command && command->number != 0) ++engine.stats.of(*command).rejected;
  engine.pass_over_errors();
}
}  // namespace

void ScriptCall::call(Args words, int resp_version, ReplyWriter& reply) {
  if (watched_) [[unlikely]]
    return call_noted(words, resp_version, reply);
  execute(words, reply);
}

void ScriptCall::execute(Args words, ReplyWriter& reply) {
  Engine& engine = caller_.engine;
  reply.report_errors_to(&engine);
  const Command* command = resolve(words, *caller_.profile);
  const auto refuse = [&](std::string_view error) { reject(engine, command, reply, error); };
  // Scripts must not behave otherwise than on Redis.
  if (!command || command->has(kNotRedis)) return refuse(errors::kUnknownFromScript);
  if (!command->takes(words.size())) return refuse(errors::kArityFromScript);
  const bool looks_only = engine.debug.scripts_look && looks(*command, words);
  const bool denied = command->has(kNoScript) && !looks_only;
  if (denied || !command->handler) return refuse(errors::kNotFromScript);
  const bool guarded = engine.is_guarded();
  if (guarded && is_denied_as_stale(engine, *command)) [[unlikely]]
    return refuse(errors::kStaleFromScript);
  if (!caller_.session.unrestricted) {
    const AclVerdict verdict =
        check_and_log(caller_.engine, caller_.session, *command, words, "lua");
    if (verdict.denied != Denied::no) return refuse(refusal(verdict));
  }
  if (mode_ == ScriptMode::read_only && (command->flags & (kWrite | kMayReplicate)) != 0)
    return refuse(errors::kWriteFromReadOnly);
  if (guarded) [[unlikely]]
    if (const auto error = refusal_in_script(engine, caller_.session, guard_, *command, words))
      return refuse(*error);
  if (command->has(kWrite)) guard_.has_written = true;
  EngineContext context{caller_.engine, caller_.session, words, reply, *command, caller_.now_ms};
  context.may_block = false;
  engine.run(context);
  // What a script reads counts as all the keys that it was given.
  if (caller_.session.tracking && command->has(kReadonly))
    remember_keys(engine, caller_.session, *caller_.command, caller_.args);
}

// Without a driver nobody could send SCRIPT KILL: the script ends at once.
bool ScriptCall::must_stop() {
  slow_ = true;
  SlowScriptDriver* driver = caller_.engine.slow_script_driver;
  if (driver == nullptr) return true;
  caller_.engine.is_abandoned = !driver->serve_others();
  return caller_.engine.is_abandoned || killed_;
}

std::string_view busy_error(const ScriptCall& script) {
  return script.is_function() ? errors::kBusyFunction : errors::kBusyScript;
}

void kill_script(Engine& engine, bool is_function, ReplyWriter& reply) {
  ScriptCall* script = engine.script;
  if (!script) return reply.error(errors::kNotBusy);
  if (script->has_written()) return reply.error(errors::kUnkillable);
  if (script->is_function() != is_function) return reply.error(busy_error(*script));
  script->kill();
  reply.ok();
}

// Redis logs a C string.
void ScriptCall::log(lua::LogLevel level, std::string_view text) {
  caller_.engine.journal->log(static_cast<LogLevel>(level), until_nul(text),
                              caller_.engine.clock.now());
}

bool ScriptCall::acl_allows(Args words) {
  const Command* command = resolve(words, *caller_.profile);
  const User* user = caller_.engine.acl.find(caller_.session.identity->user);
  return !command || !user || user->check(*command, words).denied == Denied::no;
}

bool ScriptCall::command_exists(Args words) { return resolve(words, *caller_.profile) != nullptr; }

}  // namespace picklock
