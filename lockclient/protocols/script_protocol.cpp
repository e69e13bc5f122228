// Protocols that users bring along: their scripts, their keys and arguments, their replies.
#include "lockclient/protocols/script_protocol.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <picklock/lock/script_lock.hpp>

#include "lockclient/machine/protocol.hpp"

namespace picklock::lock {
namespace {

/// The requests of one operation, in order, and the scripts of those that have one.
class Sequence {
 public:
  explicit Sequence(ScriptStep first) {
    std::vector<ScriptStep> rest = std::exchange(first.then, {});
    add(std::move(first));
    for (ScriptStep& step : rest) add(std::move(step));
  }
  const ScriptStep& step(std::size_t index) const { return entries_.at(index).step; }
  const ScriptRef& script(std::size_t index) const { return entries_.at(index).script; }
  bool is_empty() const { return step(0).is_empty(); }

 private:
  struct Entry {
    ScriptStep step;
    ScriptRef script;
  };
  void add(ScriptStep step) {
    ScriptRef script = step.script.empty() ? nullptr : share<const ScriptText>(step.script);
    entries_.push_back({std::move(step), std::move(script)});
  }

  std::vector<Entry> entries_;
};

/// Whether `text` is an instant in ms before `now_ms`.
bool is_past(const std::string& text, std::int64_t now_ms) {
  std::int64_t instant = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, instant);
  return read.ec == std::errc{} && read.ptr == end && instant < now_ms;
}

class UserProtocol final : public Protocol {
 public:
  UserProtocol(std::string name, const ScriptProtocol& protocol)
      : name_(std::move(name)),
        protocol_(protocol),
        acquire_(protocol.acquire),
        extend_(protocol.extend),
        release_(protocol.release),
        channel_(fill(protocol.channel, {}, 0)) {}

  CallRef acquire(const Demand& demand) const override {
    return worded(acquire_, demand, demand.ttl_ms);
  }
  Answer read_acquire(const Reply& reply, const Demand& demand) const override {
    return read(acquire_, reply, demand);
  }
  CallRef extend(const Demand& demand, std::int64_t ttl_ms, std::int64_t) const override {
    return worded(extend_, demand, ttl_ms);
  }
  Answer read_extend(const Reply& reply, const Demand& demand) const override {
    return read(extend_, reply, demand);
  }
  CallRef release(const Demand& demand) const override {
    return worded(release_, demand, demand.ttl_ms);
  }
  Answer read_release(const Reply& reply, const Demand& demand) const override {
    return read(release_, reply, demand);
  }

  std::string channel() const override { return channel_; }
  /// A keyspace event is the name of what was done to the key, and not all of it frees a lock.
  bool concerns(std::string_view message, std::string_view) const override {
    if (!channel_.starts_with("__keyspace@")) return true;
    static constexpr std::array<std::string_view, 6> kEnds{"del",         "expired",   "evicted",
                                                           "rename_from", "move_from", "hdel"};
    return std::find(kEnds.begin(), kEnds.end(), message) != kEnds.end();
  }
  bool may_repeat_acquire() const override { return protocol_.repeats_acquire; }
  bool repeats_release_answer() const override { return protocol_.repeats_release; }
  bool extends() const override { return !extend_.is_empty(); }
  bool leaves_doubtful() const override { return protocol_.leaves_doubtful; }
  std::int64_t clock_ms(Instant now) const override {
    return to_unix_ms(protocol_.clock ? protocol_.clock(now) : now);
  }

 private:
  CallRef worded(const Sequence& sequence, const Demand& demand, std::int64_t ttl_ms) const {
    const ScriptStep& step = sequence.step(demand.step);
    const ScriptRef& script = sequence.script(demand.step);
    auto call = script == nullptr ? make_recycled<Call>(Call::Texts{})
                                  : make_recycled<Call>(script, step.keys.size());
    if (script != nullptr) {
      for (const std::string& key : step.keys) call->request.add(fill(key, demand, ttl_ms));
    }
    for (const std::string& argument : step.arguments)
      call->request.add(fill(argument, demand, ttl_ms));
    return call;
  }

  std::string fill(std::string_view pattern, const Demand& demand, std::int64_t ttl_ms) const {
    std::string text;
    for (std::size_t brace = pattern.find('{'); brace != pattern.npos; brace = pattern.find('{')) {
      text += pattern.substr(0, brace);
      pattern.remove_prefix(brace);
      const std::string_view name = pattern.substr(0, pattern.find('}') + 1);
      const bool is_known = append_value(text, name, demand, ttl_ms);
      if (!is_known) text += '{';
      pattern.remove_prefix(is_known ? name.size() : 1);
    }
    return text += pattern;
  }

  /// False for what is no placeholder.
  bool append_value(std::string& text, std::string_view name, const Demand& demand,
                    std::int64_t ttl_ms) const {
    if (name == "{name}") {
      text += name_;
    } else if (name == "{owner}") {
      text += demand.owner;
    } else if (name == "{acquisition}") {
      text += demand.owner.substr(0, demand.owner.find('/'));
    } else if (name == "{client}") {
      text += demand.owner.substr(0, demand.owner.find(':'));
    } else if (name == "{ttl_ms}") {
      text += std::to_string(ttl_ms);
    } else if (name == "{ttl_s}") {
      text += std::to_string((ttl_ms + 999) / 1000);
    } else if (name == "{until_ms}") {
      text += std::to_string(demand.stamp_ms + ttl_ms);
    } else if (name == "{heard}") {
      text += demand.heard;
    } else {
      return false;
    }
    return true;
  }

  bool is_listed(const std::vector<Reply>& replies, const Reply& reply,
                 const Demand& demand) const {
    return std::any_of(replies.begin(), replies.end(), [&](const Reply& one) {
      const bool is_pattern =
          one.type() == Reply::Type::bulk && one.text().find('{') != std::string::npos;
      return is_pattern ? reply == fill(one.text(), demand, demand.ttl_ms) : reply == one;
    });
  }

  Answer read(const Sequence& sequence, const Reply& reply, const Demand& demand) const {
    const ScriptStep& step = sequence.step(demand.step);
    const bool is_text = reply.type() == Reply::Type::bulk || reply.type() == Reply::Type::status;
    Answer answer;
    if (is_listed(step.success, reply, demand)) {
      answer.kind = Answer::Kind::yes;
    } else if (is_listed(step.still_held, reply, demand)) {
      answer.kind = Answer::Kind::yes;
      answer.still_held = true;
    } else if (is_listed(step.goes_on, reply, demand) ||
               (step.past_goes_on && is_text && is_past(reply.text(), demand.now_ms))) {
      answer.kind = Answer::Kind::goes_on;
      if (is_text) answer.text = reply.text();
    } else if (is_listed(step.failure, reply, demand)) {
      answer.kind = Answer::Kind::no;
    } else if (auto error = read_error(reply)) {
      answer = *std::move(error);
    } else if (step.otherwise_fails) {
      answer.kind = Answer::Kind::no;
    } else {
      answer = unexpected(reply);
    }
    return answer;
  }

  std::string name_;
  ScriptProtocol protocol_;
  Sequence acquire_;
  Sequence extend_;
  Sequence release_;
  std::string channel_;
};

}  // namespace

ProtocolRef make_script_protocol(std::string name, const ScriptProtocol& protocol) {
  return share<const UserProtocol>(std::move(name), protocol);
}

}  // namespace picklock::lock
