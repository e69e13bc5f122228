#include "emulator/engine/scripts.hpp"

#include <algorithm>
#include <xxhash.h>

#include "emulator/base/sha1.hpp"
#include "emulator/engine/shebang.hpp"

namespace picklock {

void Scripts::imitate(const Profile& profile) {
  pending_state_ = lasting_state();
  profile_ = &profile;
  compiled_.clear();
  forget_ready();
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
    forget_ready();
  }
  const auto handle = interpreter().compile(sha1, body, error);
  if (handle != 0) compiled_.insert(sha1).first->value = handle;
  return handle;
}

std::array<char, 40> Scripts::name_of(std::string_view body) {
  constexpr std::size_t kMostBytes = 16'384;
  if (body.size() > kMostBytes) return sha1_hex(body);
  if (!named_) named_ = std::make_unique<std::array<Named, 16>>();
  Named& named = (*named_)[XXH3_64bits(body.data(), body.size()) % named_->size()];
  if (!named.is_set || named.body != body) {
    named.is_set = false;
    named.body = body;
    named.sha1 = sha1_hex(body);
    named.is_set = true;
  }
  return named.sha1;
}

// Only ever made as a ScriptCache that is not const, so the cast is sound.
ScriptCache& Scripts::own_cache() {
  forget_ready();
  if (cache_.use_count() > 1) cache_ = std::make_shared<ScriptCache>(*cache_);
  return const_cast<ScriptCache&>(*cache_);
}

const std::string* Scripts::find_anew(std::string_view sha1) const {
  const std::string* body = cache_->find(sha1);
  Ready& ready = ready_of(sha1);
  if (body == nullptr || sha1.size() != ready.sha1.size()) return body;
  std::copy(sha1.begin(), sha1.end(), ready.sha1.begin());
  ready.body = body;
  ready.handle = 0;
  return body;
}

bool Scripts::load(std::string_view sha1, std::string_view body, Origin origin,
                   std::string& error) {
  const bool known = knows(sha1);
  if (known && (origin == Origin::eval || cache_->is_loaded(sha1))) return true;
  if (!known && (!read_shebang(body, error) || compile(sha1, body, error) == 0)) return false;
  if (origin == Origin::load)
    own_cache().load(sha1, body);
  else
    own_cache().evaluate(sha1, body, *profile_);
  return true;
}

void Scripts::flush() {
  forget_ready();
  cache_ = std::make_shared<ScriptCache>();
  lua::LastingState state = lasting_state();
  state.cjson = {};
  set_lasting_state(state);
}

std::vector<int> Scripts::code_lines(std::string_view sha1) {
  const std::string* body = find(sha1);
  std::string error;
  const auto handle = body ? compile(sha1, *body, error) : 0;
  return handle == 0 ? std::vector<int>{} : interpreter().code_lines(handle);
}

void Scripts::run(std::string_view sha1, Args keys, Args argv, lua::CallHost& host,
                  ReplyWriter& out) {
  lua::Interpreter::Handle handle = ready_of(sha1).is(sha1) ? ready_of(sha1).handle : 0;
  if (handle == 0) {
    std::string error;
    handle = compile(sha1, *find(sha1), error);
    if (handle == 0) return out.error(error);
    if (ready_of(sha1).is(sha1)) ready_of(sha1).handle = handle;
  }
  if (!cache_->may_skip_use(sha1, *profile_)) own_cache().use(sha1);
  interpreter_->run(handle, keys, argv, host, out);
}

lua::LastingState Scripts::lasting_state() const {
  return interpreter_ ? interpreter_->lasting_state() : pending_state_;
}

void Scripts::set_lasting_state(const lua::LastingState& state) {
  pending_state_ = state;
  if (interpreter_) interpreter_->set_lasting_state(state);
}

std::uint64_t Scripts::random_state() const {
  return interpreter_ ? interpreter_->random_state() : pending_state_.random;
}

void Scripts::set_random_state(std::uint64_t random) {
  pending_state_.random = random;
  if (interpreter_) interpreter_->set_random_state(random);
}

void Scripts::restore(const std::shared_ptr<const ScriptCache>& cache,
                      const lua::LastingState& state) {
  if (cache_ != cache) {
    forget_ready();
    cache_ = cache;
  }
  set_lasting_state(state);
}

}  // namespace picklock
