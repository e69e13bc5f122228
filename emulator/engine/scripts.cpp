#include "emulator/engine/scripts.hpp"

#include "emulator/engine/shebang.hpp"

namespace picklock {

void Scripts::imitate(const Profile& profile) {
  pending_state_ = lasting_state();
  profile_ = &profile;
  compiled_.clear();
  interpreter_.reset();
}

lua::Interpreter& Scripts::interpreter() {
  if (!interpreter_) {
    lua::Interpreter::Options options;
    options.instruction_budget = budget_;
    options.profile = profile_;
    interpreter_ = std::make_unique<lua::Interpreter>(options);
    interpreter_->set_lasting_state(pending_state_);
  }
  return *interpreter_;
}

lua::Interpreter::Handle Scripts::compile(std::string_view sha1, std::string_view body,
                                          std::string& error) {
  if (const auto* handle = compiled_.find(sha1)) return *handle;
  if (compiled_.size() >= kMaxCompiled) {
    compiled_.for_each([this](const auto& entry) { interpreter_->forget(entry.value); });
    compiled_.clear();
  }
  const auto handle = interpreter().compile(sha1, body, error);
  if (handle != 0) compiled_.insert(sha1).first->value = handle;
  return handle;
}

bool Scripts::load(std::string_view sha1, std::string_view body, std::string& error) {
  if (knows(sha1)) return true;
  if (!read_shebang(body, error) || compile(sha1, body, error) == 0) return false;
  auto larger = std::make_shared<ScriptCache>(*cache_);
  larger->insert(sha1).first->value.assign(body);
  cache_ = std::move(larger);
  return true;
}

void Scripts::run(std::string_view sha1, Args keys, Args argv, lua::CallHost& host,
                  ReplyWriter& out) {
  const auto* compiled = compiled_.find(sha1);
  std::string error;
  const auto handle = compiled ? *compiled : compile(sha1, *cache_->find(sha1), error);
  if (handle == 0) return out.error(error);
  interpreter().run(handle, keys, argv, host, out);
}

lua::LastingState Scripts::lasting_state() const {
  return interpreter_ ? interpreter_->lasting_state() : pending_state_;
}

void Scripts::set_lasting_state(const lua::LastingState& state) {
  pending_state_ = state;
  if (interpreter_) interpreter_->set_lasting_state(state);
}

void Scripts::restore(std::shared_ptr<const ScriptCache> cache, const lua::LastingState& state) {
  cache_ = std::move(cache);
  set_lasting_state(state);
}

}  // namespace picklock
