// Permits: what the fair lock, the read-write lock and the semaphore are made of.
#include "lockclient/protocols/replies.hpp"

namespace picklock::lock {
namespace {

class PermitsProtocol final : public Protocol {
 public:
  PermitsProtocol(std::string name, std::int64_t want, std::int64_t limit)
      : name_(std::move(name)),
        queue_(beside(name_, "queue")),
        over_(beside(name_, "over")),
        want_(want),
        limit_(limit) {}

  CallRef acquire(const Demand& demand) const override {
    return Call::of(acquire_, 3,
                    {name_, queue_, over_, demand.owner, text_of(want_), text_of(limit_),
                     text_of(demand.ttl_ms), text_of(demand.queue_ms)});
  }
  Answer read_acquire(const Reply& reply, const Demand&) const override {
    if (integer_at(reply, 0) != -2) return read_state(reply);
    Answer answer;
    answer.kind = Answer::Kind::conflict;
    answer.text = "permits of this name are held under a limit of " +
                  text_of(integer_at(reply, 1).value_or(0)) +
                  ": let all clients name the same limit";
    return answer;
  }

  CallRef extend(const Demand& demand, std::int64_t ttl_ms, std::int64_t version) const override {
    return Call::of(extend_, 1,
                    {name_, demand.owner, text_of(ttl_ms), version == 0 ? "" : text_of(version)});
  }
  Answer read_extend(const Reply& reply, const Demand&) const override { return read_state(reply); }

  CallRef release(const Demand& demand) const override {
    return Call::of(reduce_, 3,
                    {name_, queue_, over_, demand.owner, "0", text_of(demand.memory_ms)});
  }
  Answer read_release(const Reply& reply, const Demand&) const override { return read_flag(reply); }

  std::string channel() const override { return over_; }
  /// A message lists the owner ids that may go on, with spaces between them.
  bool concerns(std::string_view message, std::string_view owner) const override {
    const std::size_t at = message.find(owner);
    if (at == message.npos) return false;
    const std::size_t end = at + owner.size();
    return (at == 0 || message[at - 1] == ' ') && (end == message.size() || message[end] == ' ');
  }
  bool queues() const override { return true; }

 private:
  std::string name_;
  std::string queue_;
  std::string over_;
  std::int64_t want_;
  std::int64_t limit_;
  ScriptRef acquire_ = embedded_script("permits_acquire");
  ScriptRef extend_ = embedded_script("permits_extend");
  ScriptRef reduce_ = embedded_script("permits_reduce");
};

}  // namespace

ProtocolRef make_permits_protocol(std::string name, std::int64_t want, std::int64_t limit) {
  return share<const PermitsProtocol>(std::move(name), want, limit);
}

}  // namespace picklock::lock
