// The lock with one value a name, and the fenced lock.
#include <initializer_list>

#include "lockclient/protocols/replies.hpp"

namespace picklock::lock {
namespace {

/// What extending scripts take for "any" when nothing has been heard yet.
std::string version_text(std::int64_t version) { return version == 0 ? "" : text_of(version); }

class LockProtocol : public Protocol {
 public:
  explicit LockProtocol(std::vector<std::string> names) : names_(std::move(names)) {
    for (const std::string& name : names_) {
      keys_.push_back(name);
      keys_.push_back(beside(name, "over"));
    }
  }

  Call acquire(const Demand& demand) const override {
    return with_keys(acquire_, {demand.owner, text_of(demand.ttl_ms)});
  }
  Answer read_acquire(const Reply& reply, const Demand&) const override {
    return read_state(reply);
  }

  Call extend(const Demand& demand, std::int64_t ttl_ms, std::int64_t version) const override {
    return with_keys(extend_, {demand.owner, text_of(ttl_ms), version_text(version)});
  }
  Answer read_extend(const Reply& reply, const Demand&) const override { return read_state(reply); }

  Call release(const Demand& demand) const override {
    Call call = with_keys(release_, {demand.owner, text_of(demand.memory_ms)});
    if (demand.quiet) call.words.emplace_back("quiet");
    return call;
  }
  Answer read_release(const Reply& reply, const Demand&) const override { return read_flag(reply); }

  std::string channel() const override { return keys_[1]; }
  std::vector<std::string> channels() const override {
    std::vector<std::string> all;
    for (std::size_t i = 1; i < keys_.size(); i += 2) all.push_back(keys_[i]);
    return all;
  }

 protected:
  Call with_keys(const ScriptRef& script, std::initializer_list<std::string_view> arguments) const {
    Call call{script, keys_.size(), {}};
    call.words.reserve(keys_.size() + arguments.size());
    call.words.insert(call.words.end(), keys_.begin(), keys_.end());
    for (const std::string_view argument : arguments) call.words.emplace_back(argument);
    return call;
  }
  const std::string& name() const { return names_.front(); }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> keys_;
  ScriptRef acquire_ = embedded_script("lock_acquire");
  ScriptRef extend_ = embedded_script("lock_extend");
  ScriptRef release_ = embedded_script("lock_release");
};

class FencedProtocol final : public LockProtocol {
 public:
  explicit FencedProtocol(std::string name) : LockProtocol({std::move(name)}) {}

  Call acquire(const Demand& demand) const override {
    return {acquire_,
            3,
            {name(), channel(), beside(name(), "fence"), std::string{demand.owner}, text_of(demand.ttl_ms),
             text_of(demand.known.epoch), text_of(demand.known.sequence)}};
  }
  Answer read_acquire(const Reply& reply, const Demand&) const override {
    Answer answer = read_state(reply);
    if (answer.kind != Answer::Kind::yes) return answer;
    const auto epoch = integer_at(reply, 3);
    const auto sequence = integer_at(reply, 4);
    if (!epoch || !sequence) return unexpected(reply);
    answer.token = {*epoch, *sequence};
    return answer;
  }

 private:
  ScriptRef acquire_ = embedded_script("fenced_acquire");
};

}  // namespace

ProtocolRef make_lock_protocol(std::vector<std::string> names) {
  return std::make_shared<const LockProtocol>(std::move(names));
}
ProtocolRef make_fenced_protocol(std::string name) {
  return std::make_shared<const FencedProtocol>(std::move(name));
}

}  // namespace picklock::lock
