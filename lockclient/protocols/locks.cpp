// The lock with one value a name, and the fenced lock.
#include <initializer_list>

#include "lockclient/protocols/replies.hpp"

namespace picklock::lock {
namespace {

/// What extending scripts take for "any" when nothing has been heard yet.
std::string version_text(std::int64_t version) { return version == 0 ? "" : text_of(version); }

/// The number of an acquisition in its row, as scripts compare it: as a text.
std::string number_text(const Demand& demand) {
  constexpr std::size_t kDigits = 15;
  std::string digits(kDigits, '0');
  std::int64_t rest = demand.number;
  for (std::size_t i = kDigits; i-- > 0 && rest > 0; rest /= 10)
    digits[i] = static_cast<char>('0' + rest % 10);
  return digits;
}

class LockProtocol : public Protocol {
 public:
  explicit LockProtocol(std::vector<std::string> names)
      : names_(std::move(names)),
        row_(beside(names_.front(), "over:")),
        acquire_(embedded_script(names_.size() == 1 ? "lock_acquire" : "multi_acquire")),
        release_(embedded_script(names_.size() == 1 ? "lock_release" : "multi_release")) {
    for (const std::string& name : names_) {
      channels_.push_back(beside(name, "over"));
      bytes_ += name.size() + channels_.back().size();
    }
  }

  Call acquire(const Demand& demand) const override {
    return with_mark(acquire_, demand, {demand.owner, text_of(demand.ttl_ms), number_text(demand)});
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
    call.words.add(text_of(ttl_ms));
    call.words.add(version_text(version));
    return call;
  }
  Answer read_extend(const Reply& reply, const Demand&) const override { return read_state(reply); }

  Call release(const Demand& demand) const override {
    Call call =
        with_mark(release_, demand, {demand.owner, text_of(demand.memory_ms), number_text(demand)});
    if (demand.quiet) call.words.add("quiet");
    return call;
  }
  Answer read_release(const Reply& reply, const Demand&) const override { return read_flag(reply); }

  std::string channel() const override { return channels_.front(); }
  std::vector<std::string> channels() const override { return channels_; }

 protected:
  /// Keys: the mark, the names, the memories of holds that were ended by force, which are the
  /// channels too; and `more`.
  Call with_mark(const ScriptRef& script, const Demand& demand,
                 std::initializer_list<std::string_view> arguments,
                 std::initializer_list<std::string_view> more_keys = {}) const {
    Call call{script, 1 + names_.size() + channels_.size() + more_keys.size(), {}};
    call.words.reserve(call.keys + 5, demand.owner.size() + demand.row.size() + bytes_);
    call.words.add(row_, demand.row);
    for (const std::string& name : names_) call.words.add(name);
    for (const std::string& channel : channels_) call.words.add(channel);
    for (const std::string_view key : more_keys) call.words.add(key);
    for (const std::string_view argument : arguments) call.words.add(argument);
    return call;
  }
  const std::string& name() const { return names_.front(); }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> channels_;
  std::string row_;          ///< What the marks' keys begin with.
  std::size_t bytes_ = 100;  ///< What the words of a request take, about, but for owners.
  ScriptRef acquire_;
  ScriptRef extend_ = embedded_script("lock_extend");
  ScriptRef release_;
};

class FencedProtocol final : public LockProtocol {
 public:
  explicit FencedProtocol(std::string name) : LockProtocol({name}), fence_(beside(name, "fence")) {}

  Call acquire(const Demand& demand) const override {
    return with_mark(acquire_, demand,
                     {demand.owner, text_of(demand.ttl_ms), number_text(demand),
                      text_of(demand.known.epoch), text_of(demand.known.sequence)},
                     {fence_});
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
