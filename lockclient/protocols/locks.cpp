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

/// What the requests of a lock have in common. They refer to it, and keep it by their script.
struct LockWords {
  LockWords(std::vector<std::string> the_names, std::string_view acquire_name)
      : names(std::move(the_names)),
        row(beside(names.front(), "over:")),
        acquire(embedded_script(acquire_name)),
        extend(embedded_script("lock_extend")),
        release(embedded_script(names.size() == 1 ? "lock_release" : "multi_release")) {
    for (const std::string& name : names) channels.push_back(beside(name, "over"));
    keys.insert(keys.end(), names.begin(), names.end());
    keys.insert(keys.end(), channels.begin(), channels.end());
  }
  LockWords(const LockWords&) = delete;
  LockWords& operator=(const LockWords&) = delete;

  const std::vector<std::string> names;
  /// Of the memories of holds that were ended by force, which are the channels too.
  std::vector<std::string> channels;
  const std::string row;               ///< What the marks' keys begin with.
  std::vector<std::string_view> keys;  ///< Views of the names, then of the channels.
  const ScriptRef acquire;
  const ScriptRef extend;
  const ScriptRef release;
};

class LockProtocol : public Protocol {
 public:
  explicit LockProtocol(std::vector<std::string> names)
      : LockProtocol(names, names.size() == 1 ? "lock_acquire" : "multi_acquire") {}

  CallRef acquire(const Demand& demand) const override { return acquiring(demand); }
  Answer read_acquire(const Reply& reply, const Demand& demand) const override {
    if (reply.type() != Reply::Type::integer || reply.integer() <= 0) return read_state(reply);
    Answer answer;
    answer.kind = Answer::Kind::yes;
    answer.left = time_left(demand.ttl_ms);
    answer.version = reply.integer();
    return answer;
  }

  CallRef extend(const Demand& demand, std::int64_t ttl_ms, std::int64_t version) const override {
    auto call = make_recycled<Call>(extend_, words_->names.size());
    for (const std::string& name : words_->names) call->request.refer(name);
    call->request.add(demand.owner);
    call->request.add(Digits{ttl_ms}.text());
    call->request.add(version_text(version));
    return call;
  }
  Answer read_extend(const Reply& reply, const Demand&) const override { return read_state(reply); }

  CallRef release(const Demand& demand) const override {
    auto call = with_keys(release_, demand, 0);
    add_arguments(*call, demand, demand.memory_ms);
    if (demand.quiet) call->request.add("quiet");
    return call;
  }
  Answer read_release(const Reply& reply, const Demand&) const override { return read_flag(reply); }

  std::string channel() const override { return words_->channels.front(); }
  std::vector<std::string> channels() const override { return words_->channels; }

 protected:
  LockProtocol(const std::vector<std::string>& names, std::string_view acquire)
      : words_(share<const LockWords>(names, acquire)) {}

  /// The mark and all keys, and one more, if it is named.
  Shared<Call> acquiring(const Demand& demand, std::string_view more = {}) const {
    auto call = with_keys(acquire_, demand, more.empty() ? 0 : 1);
    if (!more.empty()) call->request.add(more);
    add_arguments(*call, demand, demand.ttl_ms);
    return call;
  }

 private:
  Shared<Call> with_keys(const ScriptRef& script, const Demand& demand, std::size_t more) const {
    auto call = make_recycled<Call>(script, 1 + words_->keys.size() + more);
    call->request.add(words_->row, demand.row);
    for (const std::string_view key : words_->keys) call->request.refer(key);
    return call;
  }

  Shared<const LockWords> words_;
  ScriptRef acquire_{words_, words_->acquire.get()};
  ScriptRef extend_{words_, words_->extend.get()};
  ScriptRef release_{words_, words_->release.get()};
};

class FencedProtocol final : public LockProtocol {
 public:
  explicit FencedProtocol(std::string name)
      : LockProtocol({name}, "fenced_acquire"), fence_(beside(name, "fence")) {}

  CallRef acquire(const Demand& demand) const override {
    auto call = acquiring(demand, fence_);
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
};

}  // namespace

ProtocolRef make_lock_protocol(std::vector<std::string> names) {
  return share<const LockProtocol>(std::move(names));
}
ProtocolRef make_fenced_protocol(std::string name) {
  return share<const FencedProtocol>(std::move(name));
}

}  // namespace picklock::lock
