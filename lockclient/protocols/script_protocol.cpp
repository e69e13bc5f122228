// Protocols that users bring along: their scripts, their keys and arguments, their replies.
#include "lockclient/protocols/script_protocol.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <picklock/lock/script_lock.hpp>

#include "lockclient/machine/protocol.hpp"

namespace picklock::lock {
namespace {

class UserProtocol final : public Protocol {
 public:
  UserProtocol(std::string name, ScriptProtocol protocol)
      : name_(std::move(name)),
        protocol_(std::move(protocol)),
        acquire_(text_of(protocol_.acquire)),
        extend_(text_of(protocol_.extend)),
        release_(text_of(protocol_.release)) {}

  Call acquire(const Demand& demand) const override {
    return worded(protocol_.acquire, acquire_, demand, demand.ttl_ms);
  }
  Answer read_acquire(const Reply& reply) const override { return read(protocol_.acquire, reply); }
  Call extend(const Demand& demand, std::int64_t ttl_ms, std::int64_t) const override {
    return worded(protocol_.extend, extend_, demand, ttl_ms);
  }
  Answer read_extend(const Reply& reply) const override { return read(protocol_.extend, reply); }
  Call release(const Demand& demand) const override {
    return worded(protocol_.release, release_, demand, demand.ttl_ms);
  }
  Answer read_release(const Reply& reply) const override { return read(protocol_.release, reply); }

  std::string channel() const override { return protocol_.channel; }
  bool may_repeat_acquire() const override { return protocol_.repeats_acquire; }
  bool repeats_release_answer() const override { return protocol_.repeats_release; }
  bool extends() const override { return !protocol_.extend.is_empty(); }

 private:
  static ScriptRef text_of(const ScriptStep& step) {
    return step.script.empty() ? nullptr : std::make_shared<const ScriptText>(step.script);
  }

  Call worded(const ScriptStep& step, const ScriptRef& script, const Demand& demand,
              std::int64_t ttl_ms) const {
    Call call{script, script == nullptr ? 0 : step.keys.size(), {}};
    if (script != nullptr) {
      for (const std::string& key : step.keys) call.words.push_back(fill(key, demand, ttl_ms));
    }
    for (const std::string& argument : step.arguments)
      call.words.push_back(fill(argument, demand, ttl_ms));
    return call;
  }

  std::string fill(const std::string& pattern, const Demand& demand, std::int64_t ttl_ms) const {
    const std::array<std::pair<std::string_view, std::string>, 5> values{{
        {"{name}", name_},
        {"{owner}", demand.owner},
        {"{client}", demand.owner.substr(0, demand.owner.find(':'))},
        {"{ttl_ms}", std::to_string(ttl_ms)},
        {"{ttl_s}", std::to_string((ttl_ms + 999) / 1000)},
    }};
    std::string text;
    for (std::size_t at = 0; at < pattern.size();) {
      const auto value = std::find_if(values.begin(), values.end(), [&](const auto& one) {
        return std::string_view{pattern}.substr(at).starts_with(one.first);
      });
      if (value == values.end()) {
        text += pattern[at++];
      } else {
        text += value->second;
        at += value->first.size();
      }
    }
    return text;
  }

  static Answer read(const ScriptStep& step, const Reply& reply) {
    const auto listed = [&reply](const std::vector<Reply>& replies) {
      return std::find(replies.begin(), replies.end(), reply) != replies.end();
    };
    Answer answer;
    if (listed(step.success)) {
      answer.kind = Answer::Kind::yes;
    } else if (listed(step.still_held)) {
      answer.kind = Answer::Kind::yes;
      answer.still_held = true;
    } else if (listed(step.failure)) {
      answer.kind = Answer::Kind::no;
    } else if (const auto error = read_error(reply)) {
      return *error;
    } else {
      return unexpected(reply);
    }
    return answer;
  }

  std::string name_;
  ScriptProtocol protocol_;
  ScriptRef acquire_;
  ScriptRef extend_;
  ScriptRef release_;
};

}  // namespace

ProtocolRef make_script_protocol(std::string name, ScriptProtocol protocol) {
  return std::make_shared<const UserProtocol>(std::move(name), std::move(protocol));
}

}  // namespace picklock::lock
