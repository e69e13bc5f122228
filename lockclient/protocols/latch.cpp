// Waiting for a latch: an acquisition that holds nothing.
#include <stdexcept>

#include "lockclient/protocols/replies.hpp"

namespace picklock::lock {
namespace {

class LatchProtocol final : public Protocol {
 public:
  explicit LatchProtocol(std::string name) : name_(std::move(name)) {}

  CallRef acquire(const Demand&) const override { return Call::of(left_, 1, {name_}); }
  Answer read_acquire(const Reply& reply, const Demand&) const override {
    if (const auto error = read_error(reply)) return *error;
    const auto state = integer_at(reply, 0);
    Answer answer;
    if (state == 1) {
      answer.kind = Answer::Kind::yes;
    } else if (state == 0) {
      answer.kind = Answer::Kind::no;
      if (const auto left = integer_at(reply, 1)) answer.left = time_left(*left);
    } else if (state == -1) {
      answer.kind = Answer::Kind::conflict;
      answer.text = "there is no latch of this name: make it with try_set_count()";
    } else {
      return unexpected(reply);
    }
    return answer;
  }

  CallRef extend(const Demand&, std::int64_t, std::int64_t) const override { return nothing(); }
  Answer read_extend(const Reply& reply, const Demand&) const override { return unexpected(reply); }
  CallRef release(const Demand&) const override { return nothing(); }
  Answer read_release(const Reply& reply, const Demand&) const override {
    return unexpected(reply);
  }

  std::string channel() const override { return beside(name_, "open"); }
  bool is_held() const override { return false; }
  bool extends() const override { return false; }

 private:
  [[noreturn]] static CallRef nothing() { throw std::logic_error{"a latch is held by nobody"}; }

  std::string name_;
  ScriptRef left_ = embedded_script("latch_left");
};

}  // namespace

ProtocolRef make_latch_protocol(std::string name) {
  return share<const LatchProtocol>(std::move(name));
}

}  // namespace picklock::lock
