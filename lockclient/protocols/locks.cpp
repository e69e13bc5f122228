// The lock with one value a name, and the fenced lock.

#include "lockclient/protocols/replies.hpp"

namespace picklock::lock {
namespace {

/// What extending scripts take for "any" when nothing has been heard yet.
std::string version_text(std::int64_t version) { return version == 0 ? "" : text_of(version); }

/// The text of a time. It is kept for the next request of the thread, which mostly names the same.
std::string_view time_text(std::int64_t time_ms) {
  struct Kept {
    std::int64_t time_ms = 0;
    Digits text{0};
  };
  static thread_local Kept kept;
  if (kept.time_ms != time_ms) kept = {time_ms, Digits{time_ms}};
  return kept.text.text();
}

/// What an acquisition and its end name: the owner, a time, and the number in the row as scripts
/// compare it, which is as a text.
void add_arguments(Call& call, const Demand& demand, std::int64_t time_ms) {
  call.request.add(demand.owner);
  call.request.add(time_text(time_ms));
  call.request.add(demand.number);
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

  CallRef acquire(const Demand& demand) const override {
    auto call = with_keys(acquire_, demand);
    add_arguments(*call, demand, demand.ttl_ms);
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

  CallRef extend(const Demand& demand, std::int64_t ttl_ms, std::int64_t version) const override {
    auto call = make_recycled<Call>(extend_, names_.size());
    for (const std::string& name : names_) call->request.add(name);
    call->request.add(demand.owner);
    call->request.add(Digits{ttl_ms}.text());
    call->request.add(version_text(version));
    return call;
  }
  Answer read_extend(const Reply& reply, const Demand&) const override { return read_state(reply); }

  CallRef release(const Demand& demand) const override {
    auto call = with_keys(release_, demand);
    add_arguments(*call, demand, demand.memory_ms);
    if (demand.quiet) call->request.add("quiet");
    return call;
  }
  Answer read_release(const Reply& reply, const Demand&) const override { return read_flag(reply); }

  std::string channel() const override { return channels_.front(); }
  std::vector<std::string> channels() const override { return channels_; }

 protected:
  /// The mark, the names, and the memories of holds that were ended by force, which are the
  /// channels too; and one more, if it is named.
  std::shared_ptr<Call> with_keys(const ScriptRef& script, const Demand& demand,
                                  std::string_view more = {}) const {
    const std::size_t keys = 1 + names_.size() + channels_.size() + (more.empty() ? 0 : 1);
    auto call = make_recycled<Call>(script, keys);
    call->request.add(row_, demand.row);
    for (const std::string& name : names_) call->request.add(name);
    for (const std::string& channel : channels_) call->request.add(channel);
    if (!more.empty()) call->request.add(more);
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

  CallRef acquire(const Demand& demand) const override {
    auto call = with_keys(acquire_, demand, fence_);
    add_arguments(*call, demand, demand.ttl_ms);
    call->request.add(Digits{demand.known.epoch}.text());
    call->request.add(Digits{demand.known.sequence}.text());
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
