// What redis.call does: dispatch of a command from within a script.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/guards.hpp"
#include "lua/interpreter.hpp"

namespace picklock {

enum class ScriptMode : std::uint8_t { normal, read_only };

/// Gives other clients a turn while a script runs on and on.
class SlowScriptDriver {
 public:
  virtual ~SlowScriptDriver() = default;
  /// Serves what has come in meanwhile; false if the script has to end, since the driver does.
  virtual bool serve_others() = 0;
};

/// The door of one running script into the engine; lives for one EVAL or FCALL.
class ScriptCall final : public lua::CallHost {
 public:
  /// `name` is what FUNCTION STATS shows.
  ScriptCall(EngineContext& caller, ScriptMode mode, std::string_view name, bool is_function,
             const ScriptGuard& guard)
      : caller_(caller),
        mode_(mode),
        name_(name),
        is_function_(is_function),
        guard_(guard),
        database_(caller.session.database) {
    caller.engine.script = this;
    caller.replicated = Replicated::never;  // But its effects are.
    watched_ = watches();
    if (watched_) note_start();
  }
  /// A SELECT inside a script lasts no longer than the script.
  ~ScriptCall() override {
    caller_.session.database = database_;
    caller_.engine.script = nullptr;
  }

  void call(Args words, int resp_version, ReplyWriter& reply) override;
  void log(lua::LogLevel level, std::string_view text) override;
  bool must_stop() override;
  bool acl_allows(Args words) override;
  bool command_exists(Args words) override;
  bool watches() const override;
  void tells_replicas(bool told) override { tells_replicas_ = told; }
  void at_line(int line) override;
  void calling_from(int line) override { line_ = line; }
  void raised(std::string_view text, int line) override;

  bool is_function() const { return is_function_; }
  std::string_view name() const { return name_; }
  Args words() const { return caller_.args; }
  std::int64_t started_ms() const { return caller_.now_ms; }
  /// Whether it has used up its budget, so that other clients get BUSY.
  bool is_slow() const { return slow_; }
  bool has_written() const { return guard_.has_written; }
  /// Whether replicas are to hear of the present call.
  bool tells_replicas() const { return tells_replicas_; }
  void kill() { killed_ = true; }

 private:
  void execute(Args words, ReplyWriter& reply);
  void note_start();
  void call_noted(Args words, int resp_version, ReplyWriter& reply);
  void warn_of_undeclared(Args words, Args keys);

  EngineContext& caller_;
  ScriptMode mode_;
  std::string_view name_;
  bool is_function_;
  ScriptGuard guard_;
  bool slow_ = false;
  bool tells_replicas_ = true;
  bool killed_ = false;
  bool watched_ = false;
  int line_ = 0;  // Of the present call, while it is watched.
  int database_;
};

/// SCRIPT KILL and FUNCTION KILL.
void kill_script(Engine& engine, bool is_function, ReplyWriter& reply);
/// What other clients are told while `script` is slow.
std::string_view busy_error(const ScriptCall& script);

}  // namespace picklock
