#include "emulator/engine/script_call.hpp"

#include "emulator/commands/errors.hpp"
#include "emulator/engine/dispatch.hpp"

namespace picklock {

namespace {
// Redis: scriptCall. A script's call that is refused counts as rejected.
void reject(Engine& engine, const Command* command, ReplyWriter& reply, std::string_view error) {
  reply.error(error);
  if (command && command->number != 0) ++engine.stats.of(*command).rejected;
}
}  // namespace

void ScriptCall::call(Args words, int /*resp_version*/, ReplyWriter& reply) {
  Engine& engine = caller_.engine;
  reply.report_errors_to(&engine);
  const Command* command = resolve(words, *caller_.profile);
  const auto refuse = [&](std::string_view error) { reject(engine, command, reply, error); };
  // PICKLOCK is there for tests, not for scripts, which must not behave otherwise than on Redis.
  if (!command || command->group == "picklock") return refuse(errors::kUnknownFromScript);
  if (!command->takes(words.size())) return refuse(errors::kArityFromScript);
  if (command->has(kNoScript) || !command->handler) return refuse(errors::kNotFromScript);
  if (mode_ == ScriptMode::read_only && command->has(kWrite))
    return refuse(errors::kWriteFromReadOnly);
  EngineContext context{caller_.engine, caller_.session, words, reply, *command, caller_.now_ms};
  context.may_block = false;
  engine.run(context);
  // What a script reads counts as all the keys that it was given.
  if (caller_.session.tracking && command->has(kReadonly))
    remember_keys(engine, caller_.session, *caller_.command, caller_.args);
}

// The server's log has no place yet where a test could read it.
void ScriptCall::log(lua::LogLevel, std::string_view) {}

bool ScriptCall::acl_allows(Args) { return true; }

bool ScriptCall::command_exists(Args words) { return resolve(words, *caller_.profile) != nullptr; }

}  // namespace picklock
