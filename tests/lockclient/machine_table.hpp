// Tables for the state machines: what comes in, what goes out, row by row.
//
// Used by the machine tests; everything is in a namespace of its own, which they use whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lockclient/machine/core.hpp"
#include "tests/lockclient/machine_step.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test::machine {

using namespace std::chrono_literals;
using lock::Event;
using lock::HoldMachine;
using lock::Notice;
using test::resume;
using test::Wanted;
using Phase = lock::HoldMachine::Phase;

inline Reply held(int left_ms) { return replies::array(1, left_ms, 5'000'000); }
inline Reply busy(int left_ms) { return replies::array(0, left_ms, "other"); }
inline const Reply kOver = replies::array(-1);

/// One row: at `ms` something happens, `sends` requests go out and `notices` are given, in order;
/// afterwards the machine is in `phase` and wants to be called at `wake` (-1: not at all).
struct Row {
  int ms;
  Event::Kind what;
  int request;  ///< Of answer and closed: which, from 1.
  std::optional<Reply> reply;
  std::string
      sends;  ///< The first letters of the scripts or commands: a, e, r (release), W (WAIT).
  std::vector<Notice::Kind> notices;
  Phase phase;
  int wake;
};

struct Table {
  lock::ProtocolRef protocol;
  lock::Terms terms;
  std::vector<Row> rows;
};

inline char letter(const lock::Call& call) {
  if (call.script == nullptr) return call.words()[0][0];
  if (call.script->source.find("takes") != std::string::npos) return 'a';
  return call.script->source.find("prolongs") != std::string::npos ? 'e' : 'r';
}

inline void play(const Table& table) {
  HoldMachine machine{table.protocol, lock::Terms{table.terms}, 1};
  const Instant start = kDefaultStart;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    INFO("row " << i);
    // Going on with a copy shows that a machine is a value.
    HoldMachine copy = machine;
    const Wanted actions = resume(copy, {.kind = row.what,
                                         .now = start + std::chrono::milliseconds{row.ms},
                                         .request = static_cast<std::uint32_t>(row.request),
                                         .reply = row.reply ? &*row.reply : nullptr,
                                         .ttl = 2000ms});
    std::string sends;
    for (const lock::Requests::Flight& send : actions.sends) sends += letter(*send.call);
    CHECK(sends == row.sends);
    std::vector<Notice::Kind> notices;
    for (const Notice& notice : actions.notices) notices.push_back(notice.kind);
    CHECK(notices == row.notices);
    CHECK(copy.phase() == row.phase);
    const auto wake = copy.wake();
    CHECK((wake ? (*wake - start) / 1ms : -1) == row.wake);
    machine = copy;
  }
}

inline const LockOptions kOptions{.ttl = 1000ms,
                                  .backoff = {.kind = Backoff::Kind::constant, .first = 10ms},
                                  .answer_within = 100ms,
                                  .give_up_after = 400ms,
                                  .drift = 0,
                                  .drift_floor = 2ms};
inline lock::Terms terms(std::optional<Duration> wait, LockOptions options = kOptions) {
  return {.client_id = "me:1", .options = std::move(options), .wait = wait};
}
inline lock::ProtocolRef one_name() { return lock::make_lock_protocol({"name"}); }

inline constexpr auto kStart = Event::Kind::start;
inline constexpr auto kAnswer = Event::Kind::answer;
inline constexpr auto kClosed = Event::Kind::closed;
inline constexpr auto kTime = Event::Kind::time;
inline constexpr auto kExtend = Event::Kind::extend;
inline constexpr auto kRelease = Event::Kind::release;
inline constexpr auto kCancel = Event::Kind::cancel;
inline constexpr auto kListening = Event::Kind::listening;
inline constexpr auto kMessage = Event::Kind::message;
inline constexpr auto kAcquired = Notice::Kind::acquired;
inline constexpr auto kRefused = Notice::Kind::not_acquired;
inline constexpr auto kReleased = Notice::Kind::released;
inline constexpr auto kRetried = Notice::Kind::retried;
inline constexpr auto kLost = Notice::Kind::lost;

}  // namespace picklock::test::machine
