// What redis.call does: dispatch of a command from within a script.
#pragma once

#include <cstdint>

#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/guards.hpp"
#include "lua/interpreter.hpp"

namespace picklock {

enum class ScriptMode : std::uint8_t { normal, read_only };

/// The door of one running script into the engine; lives for one EVAL.
class ScriptCall final : public lua::CallHost {
 public:
  ScriptCall(EngineContext& caller, ScriptMode mode, const ScriptGuard& guard)
      : caller_(caller), mode_(mode), guard_(guard), database_(caller.session.database) {}
  /// A SELECT inside a script lasts no longer than the script.
  ~ScriptCall() override { caller_.session.database = database_; }

  void call(Args words, int resp_version, ReplyWriter& reply) override;
  void log(lua::LogLevel level, std::string_view text) override;
  bool must_stop() override { return true; }
  bool acl_allows(Args words) override;
  bool command_exists(Args words) override;

 private:
  EngineContext& caller_;
  ScriptMode mode_;
  ScriptGuard guard_;
  int database_;
};

}  // namespace picklock
