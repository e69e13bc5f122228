// The state machine over several nodes, where what a test of whole clients shows is left to chance.
#include "tests/lockclient/machine_table.hpp"

using namespace picklock;
using namespace picklock::test::machine;

namespace {

/// A machine for three nodes, fed by hand.
struct Quorum {
  explicit Quorum(bool check_nodes = false) : machine(one_name(), of_three(check_nodes), 1) {}

  static lock::Terms of_three(bool check_nodes) {
    lock::Terms three = terms(std::nullopt);
    LockOptions options = *three.options;
    options.backoff = {.kind = Backoff::Kind::exponential, .first = 10ms, .most = 1s};
    three.options = options;
    three.nodes = 3;
    three.quorum = 2;
    three.check_nodes = check_nodes;
    return three;
  }
  Wanted feed(Event::Kind what, Instant now, std::uint32_t request = 0, Reply reply = kOver) {
    const Wanted actions =
        resume(machine, {.kind = what, .now = now, .request = request, .reply = &reply});
    return actions;
  }
  /// Answers what the last requests asked, and what is sent upon that.
  void answer(Wanted actions, const Reply& reply, Instant now) {
    while (!actions.sends.empty()) {
      Wanted next;
      for (const lock::Requests::Flight& send : actions.sends) {
        const bool asks = letter(*send.call) == 'a';
        Wanted more = feed(kAnswer, now, send.request, asks ? reply : replies::integer(0));
        for (lock::Requests::Flight& one : more.sends) next.sends.push_back(std::move(one));
      }
      actions = std::move(next);
    }
  }

  HoldMachine machine;
};

}  // namespace

TEST_CASE("machine: three nodes that all say yes are three servers, the last one's late") {
  Quorum quorum{true};
  const Instant now = kDefaultStart;
  quorum.feed(kStart, now);
  quorum.feed(kAnswer, now, 1, held(1000));
  CHECK(quorum.feed(kAnswer, now, 2, held(1000)).notices.front().kind == kAcquired);
  const Wanted actions = quorum.feed(kAnswer, now + 1ms, 3, held(1000));
  REQUIRE(actions.notices.size() == 1);
  CHECK(actions.notices[0].kind == Notice::Kind::nodes_heard);
  CHECK_FALSE(actions.notices[0].error);
}

TEST_CASE("machine: a node that refuses one value for another node's is the same server") {
  for (const bool released : {false, true}) {
    INFO((released ? "when it is released" : "while it is held"));
    Quorum quorum{true};
    const Instant now = kDefaultStart;
    quorum.feed(kStart, now);
    quorum.feed(kAnswer, now, 1, held(1000));
    quorum.feed(kAnswer, now, 2, held(1000));
    if (released) quorum.feed(kRelease, now);
    const Wanted actions = quorum.feed(kAnswer, now + 1ms, 3, replies::array(0, 1000, "me:1/0"));
    REQUIRE(actions.notices.size() == 1);
    CHECK(actions.notices[0].kind == Notice::Kind::nodes_heard);
    REQUIRE(actions.notices[0].error != nullptr);
    CHECK(actions.notices[0].error->code == LockError::Code::invalid_argument);
    // Said once.
    CHECK(quorum.feed(kAnswer, now + 2ms, 3, held(1000)).notices.empty());
  }
}

TEST_CASE(
    "machine: another's value, or one name in another's, is no sign of a server named twice") {
  Quorum quorum{true};
  const Instant now = kDefaultStart;
  quorum.feed(kStart, now);
  quorum.feed(kAnswer, now, 1, held(1000));
  quorum.feed(kAnswer, now, 2, held(1000));
  CHECK(quorum.feed(kAnswer, now, 3, replies::array(0, 1000, "me:11/0")).notices.empty());
}

TEST_CASE("machine: who has polled for long polls often again when something is let go") {
  Quorum quorum;
  Instant now = kDefaultStart;
  const Reply refused = replies::error("LOADING Redis is loading");
  quorum.answer(quorum.feed(kStart, now), refused, now);
  for (int i = 0; i < 12; ++i) {
    now = quorum.machine.wake().value();
    quorum.answer(quorum.feed(kTime, now), refused, now);
  }
  CHECK(quorum.machine.wake().value() - now > 100ms);
  quorum.feed(kMessage, now);
  now = quorum.machine.wake().value();
  quorum.answer(quorum.feed(kTime, now), refused, now);
  CHECK(quorum.machine.wake().value() - now <= 30ms);
}

TEST_CASE(
    "machine: a lock without a quorum is given back quietly, one that may have been it is not") {
  for (const bool doubtful : {false, true}) {
    INFO((doubtful ? "one answer was lost" : "one vote"));
    Quorum quorum;
    const Instant now = kDefaultStart;
    quorum.feed(kStart, now);
    quorum.feed(kAnswer, now, 1, held(1000));
    if (doubtful) quorum.feed(kClosed, now, 2);
    if (!doubtful) quorum.feed(kAnswer, now, 2, busy(700));
    const Wanted actions = quorum.feed(kAnswer, now, 3, busy(700));
    REQUIRE(actions.sends.size() == 3);
    for (const lock::Requests::Flight& send : actions.sends) {
      CHECK(letter(*send.call) == 'r');
      CHECK((send.call->words().back() == "quiet") == !doubtful);
    }
  }
}
