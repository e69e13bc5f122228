#include "emulator/engine/script_call.hpp"

#include "emulator/commands/errors.hpp"
#include "emulator/engine/dispatch.hpp"

namespace picklock {

void ScriptCall::call(Args words, int /*resp_version*/, ReplyWriter& reply) {
  const Command* command = resolve(words, *caller_.profile);
  // PICKLOCK is there for tests, not for scripts, which must not behave otherwise than on Redis.
  if (!command || command->group == "picklock") return reply.error(errors::kUnknownFromScript);
  if (!command->takes(words.size())) return reply.error(errors::kArityFromScript);
  if (command->has(kNoScript) || !command->handler) return reply.error(errors::kNotFromScript);
  if (mode_ == ScriptMode::read_only && command->has(kWrite))
    return reply.error(errors::kWriteFromReadOnly);
  EngineContext context{caller_.engine, caller_.session, words, reply, *command, caller_.now_ms};
  context.may_block = false;
  caller_.engine.run(context);
}

// The server's log has no place yet where a test could read it.
void ScriptCall::log(lua::LogLevel, std::string_view) {}

bool ScriptCall::acl_allows(Args) { return true; }

bool ScriptCall::command_exists(Args words) { return resolve(words, *caller_.profile) != nullptr; }

}  // namespace picklock
