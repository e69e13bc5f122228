#include "emulator/engine/script_cache.hpp"

namespace picklock {

const std::string* ScriptCache::find(std::string_view sha1) const {
  const Script* script = scripts_.find(sha1);
  return script ? &script->body : nullptr;
}

bool ScriptCache::is_loaded(std::string_view sha1) const {
  const Script* script = scripts_.find(sha1);
  return script && script->turn == 0;
}

bool ScriptCache::may_skip_use(std::string_view sha1, const Profile& profile) const {
  if (evaluated_.empty()) return true;  // The usual way: clients load their scripts once.
  const bool is_far =
      evaluated_.size() < kMaxEvaluated / 2 && evaluated_bytes_ < kMaxEvaluatedBytes / 2;
  if (profile.self == kRedis70 && is_far) return true;
  const Script* script = scripts_.find(sha1);
  return !script || script->turn == 0 || script->turn == turns_;
}

void ScriptCache::load(std::string_view sha1, std::string_view body) {
  Script& script = scripts_.insert(sha1).first->value;
  if (script.turn != 0) {
    evaluated_.erase(script.turn);
    evaluated_bytes_ -= script.body.size();
  }
  script.turn = 0;
  script.body.assign(body);
}

void ScriptCache::evaluate(std::string_view sha1, std::string_view body, const Profile& profile) {
  Script& script = scripts_.insert(sha1).first->value;
  script.body.assign(body);
  script.turn = ++turns_;
  evaluated_.emplace_hint(evaluated_.end(), script.turn, sha1);
  evaluated_bytes_ += body.size();
  const std::size_t limit = profile.self == kRedis70 ? kMaxEvaluated : kMaxEvaluatedNewer;
  while (evaluated_.size() > limit ||
         (evaluated_bytes_ > kMaxEvaluatedBytes && evaluated_.size() > 1))
    forget_oldest();
}

void ScriptCache::use(std::string_view sha1) {
  Script* script = scripts_.find(sha1);
  if (!script || script->turn == 0) return;
  auto node = evaluated_.extract(script->turn);
  node.key() = script->turn = ++turns_;
  evaluated_.insert(evaluated_.end(), std::move(node));
}

void ScriptCache::forget_oldest() {
  const auto oldest = evaluated_.begin();
  evaluated_bytes_ -= scripts_.find(oldest->second)->body.size();
  scripts_.erase(oldest->second);
  evaluated_.erase(oldest);
}

}  // namespace picklock
