// The lock with one value a name, and the fenced lock.

#include "lockclient/protocols/replies.hpp"

namespace picklock::lock {
namespace {

/// What extending scripts take for "any" when nothing has been heard yet.
std::string version_text(std::int64_t version) { return version == 0 ? "" : text_of(version); }

/// What an acquisition and its end name: the owner, a time, and the number in the row as scripts
/// compare it, which is as a text.
void add_arguments(Words& words, const Demand& demand, std::int64_t time_ms) {
  words.add(demand.owner);
  words.add(Digits{time_ms}.text());
  words.add(demand.number);
}

class LockProtocol : public Protocol {
 public:
  explicit LockProtocol(std::vector<std::string> names)
      : names_(std::move(names)),
        row_(beside(names_.front(), "over:")),
        acquire_(embedded_script(names_.size() == 1 ? "lock_acquire" : "multi_acquire")),
        release_(embedded_script(names_.size() == 1 ? "lock_release" : "multi_release")) {
    for (const std::string& name : names_) channels_.push_back(beside(name, "over"));
  }

  Call acquire(const Demand& demand) const override {
    Call call = with_keys(acquire_, demand);
    add_arguments(call.words, demand, demand.ttl_ms);
    return call;
  }
  Answer read_acquire(const Reply& reply, const Demand& demand) const override {
    if (reply.type() != Reply::Type::integer || reply.integer() <= 0) return read_state(reply);
    Answer answer;
    answer.kind = Answer::Kind::yes;
    answer.left = time_left(demand.ttl_ms);
    answer.version = reply.integer();
    return answer;
  }

  Call extend(const Demand& demand, std::int64_t ttl_ms, std::int64_t version) const override {
    Call call{extend_, names_.size(), {}};
    for (const std::string& name : names_) call.words.add(name);
    call.words.add(demand.owner);
    call.words.add(Digits{ttl_ms}.text());
    call.words.add(version_text(version));
    return call;
  }
  Answer read_extend(const Reply& reply, const Demand&) const override { return read_state(reply); }

  Call release(const Demand& demand) const override {
    Call call = with_keys(release_, demand);
    add_arguments(call.words, demand, demand.memory_ms);
    if (demand.quiet) call.words.add("quiet");
    return call;
  }
  Answer read_release(const Reply& reply, const Demand&) const override { return read_flag(reply); }

  std::string channel() const override { return channels_.front(); }
  std::vector<std::string> channels() const override { return channels_; }

 protected:
  /// The mark, the names, and the memories of holds that were ended by force, which are the
  /// channels too.
  Call with_keys(const ScriptRef& script, const Demand& demand) const {
    Call call{script, 1 + names_.size() + channels_.size(), {}};
    call.words.add(row_, demand.row);
    for (const std::string& name : names_) call.words.add(name);
    for (const std::string& channel : channels_) call.words.add(channel);
    return call;
  }
  const std::string& name() const { return names_.front(); }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> channels_;
  std::string row_;  ///< What the marks' keys begin with.
  ScriptRef acquire_;
  ScriptRef extend_ = embedded_script("lock_extend");
  ScriptRef release_;
};

class FencedProtocol final : public LockProtocol {
 public:
  explicit FencedProtocol(std::string name) : LockProtocol({name}), fence_(beside(name, "fence")) {}

  Call acquire(const Demand& demand) const override {
    Call call = with_keys(acquire_, demand);
    ++call.keys;
    call.words.add(fence_);
    add_arguments(call.words, demand, demand.ttl_ms);
    call.words.add(Digits{demand.known.epoch}.text());
    call.words.add(Digits{demand.known.sequence}.text());
    return call;
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
  std::string fence_;
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
