// Linearizability: the three stages against all orders that there are, and in scenarios whose lock
// is right or broken on purpose.
#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "emulator/base/random.hpp"
#include "fuzz/world/linearity.hpp"
#include "tests/race/support.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;
using namespace std::chrono_literals;
using picklock::Random;
using CallAnswer = LockCall::Answer;
using CallKind = LockCall::Kind;
using Outcome = HistoryVerdict::Outcome;
using Stage = HistoryVerdict::Stage;

namespace {

constexpr std::uint64_t kNever = LockCall::kNever;

/// Whether the calls from `done` on can take effect in some order: by trying all, without a
/// shortcut.
class Brute {
 public:
  Brute(const std::vector<LockCall>& calls, const LockModel& model)
      : calls_(calls), model_(model) {}

  bool is_linearizable() { return try_rest(0, {}); }

 private:
  struct Hold {
    std::uint64_t owner = 0;
    std::int64_t permits = 0;
    std::uint64_t lapses = kNever;
  };

  bool try_rest(std::uint32_t done, const std::vector<Hold>& holds) {
    std::uint64_t least = kNever;
    bool over = true;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if ((done >> i & 1U) != 0 || calls_[i].answer == CallAnswer::unknown) continue;
      over = false;
      least = std::min(least, calls_[i].ended);
    }
    if (over) return true;
    for (std::size_t i = 0; i < holds.size(); ++i) {
      if (holds[i].lapses >= least) continue;
      std::vector<Hold> fewer = holds;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (try_rest(done, fewer)) return true;
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if ((done >> i & 1U) != 0 || calls_[i].begun > least) continue;
      std::vector<Hold> after = holds;
      if (take(calls_[i], after) && try_rest(done | 1U << i, after)) return true;
    }
    return false;
  }

  bool take(const LockCall& call, std::vector<Hold>& holds) const {
    auto own = std::find_if(holds.begin(), holds.end(),
                            [&](const Hold& hold) { return hold.owner == call.owner; });
    if (call.kind == CallKind::release) {
      const bool may = own != holds.end() && own->permits >= call.permits;
      if (call.answer == CallAnswer::refused) return !may;
      if (!may) return false;
      own->permits -= call.permits;
      if (own->permits == 0) holds.erase(own);
      return true;
    }
    std::int64_t taken = model_.reentrant ? 1 : call.permits;
    for (const Hold& hold : holds) taken += model_.reentrant ? 1 : hold.permits;
    const bool may = taken <= model_.capacity || (model_.reentrant && own != holds.end());
    if (call.answer == CallAnswer::refused) return !may;
    if (!may) return false;
    if (own == holds.end()) own = holds.insert(own, Hold{.owner = call.owner});
    own->permits += call.permits;
    own->lapses = call.lapses;
    return true;
  }

  const std::vector<LockCall>& calls_;
  LockModel model_;
};

/// Calls of a few owners on a lock that does now and then what it should not.
std::vector<LockCall> draw_history(Random& random, const LockModel& model, std::size_t count) {
  std::vector<LockCall> calls;
  std::array<std::size_t, 3> open{kNever, kNever, kNever};  // Of each owner: its call that goes on.
  std::array<std::int64_t, 3> held{};
  std::uint64_t now = 0;
  while (calls.size() < count ||
         std::any_of(open.begin(), open.end(), [](std::size_t call) { return call != kNever; })) {
    const std::size_t owner = random.below(3);
    ++now;
    if (open[owner] == kNever) {
      if (calls.size() == count) continue;
      LockCall call{.kind = random.below(2) == 0 ? CallKind::acquire : CallKind::release,
                    .owner = owner,
                    .begun = now};
      if (model.capacity > 1) call.permits = 1 + static_cast<std::int64_t>(random.below(2));
      open[owner] = calls.size();
      calls.push_back(call);
      continue;
    }
    LockCall& call = calls[open[owner]];
    if (call.executed == kNever && random.below(8) != 0) {
      call.executed = now;
      std::int64_t taken = 0;
      for (const std::int64_t permits : held)
        taken += model.reentrant ? static_cast<std::int64_t>(permits > 0) : permits;
      const bool may = call.kind == CallKind::release ? held[owner] >= call.permits
                                                      : taken + call.permits <= model.capacity ||
                                                            (model.reentrant && held[owner] > 0);
      const bool says = random.below(16) == 0 ? !may : may;
      if (says) held[owner] += call.kind == CallKind::acquire ? call.permits : -call.permits;
      call.answer = says ? CallAnswer::granted : CallAnswer::refused;
      continue;
    }
    if (call.executed == kNever) call.answer = CallAnswer(random.below(3));
    if (random.below(12) == 0) call.answer = CallAnswer::unknown;
    if (call.answer == CallAnswer::unknown) {
      call.ended = kNever;
    } else {
      call.ended = now;
      if (call.executed == kNever) call.executed = ++now - 1;
    }
    if (call.kind == CallKind::acquire && call.answer == CallAnswer::granted) {
      const std::uint64_t how = random.below(8);
      if (how < 2) call.lapses = now += 1 + random.below(4);
      if (how == 2) call.lapses = std::exchange(call.ended, ++now);  // Over before it is heard of.
    }
    open[owner] = kNever;
  }
  return calls;
}

std::string describe(const std::vector<LockCall>& calls) {
  std::string text;
  const auto moment = [](std::uint64_t at) { return at == kNever ? "-" : std::to_string(at); };
  for (const LockCall& one : calls)
    text += "\n" + std::to_string(one.owner) +
            (one.kind == CallKind::acquire ? " acquires " : " releases ") +
            std::to_string(one.permits) + ": " +
            std::array{"unknown", "granted", "refused"}[static_cast<std::size_t>(one.answer)] +
            ", begun " + moment(one.begun) + ", ended " + moment(one.ended) + ", executed " +
            moment(one.executed) + ", lapses " + moment(one.lapses);
  return text;
}

/// A mutex by hand: `owner` and, by letters, what it asks.
LockCall call(std::uint64_t owner, CallKind kind, CallAnswer answer, std::uint64_t begun,
              std::uint64_t ended, std::uint64_t executed = kNever) {
  return {.kind = kind,
          .answer = answer,
          .owner = owner,
          .begun = begun,
          .ended = ended,
          .executed = executed};
}

/// Two workers take a lock of one key in turns. `acquire` and `release` say what they tell.
template <class Acquire, class Release>
Verdict search_lock(const ExploreOptions& options, Acquire acquire, Release release) {
  return explore(options, [=](World& world) {
    Node& redis = world.redis("redis");
    const History history = world.history("the lock");
    for (const char* name : {"alice", "bob"}) {
      world.spawn(name, [=, &redis](Worker& worker) -> Task<> {
        const LockCallHandle asked = history.acquire(worker);
        const picklock::Reply got =
            co_await worker.call(redis, "SET", "lock", worker.name(), "NX", "PX", "1000");
        const bool has = acquire(worker, !got.is_null());
        has ? asked.granted(worker.now() + 900ms) : asked.refused();
        if (!has) co_return;
        co_await worker.pause(0ms, 1500ms);
        const LockCallHandle freed = history.release(worker);
        const picklock::Reply gone = co_await worker.call(
            redis, "EVAL",
            "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end "
            "return 0",
            "1", "lock", worker.name());
        release(gone == 1) ? freed.granted() : freed.refused();
      });
    }
  });
}

}  // namespace

TEST_CASE("a history is judged as all orders of it are, whichever stage decides") {
  Random random{20261122};
  std::size_t outcomes[2] = {};
  std::size_t stages[3] = {};
  const std::array<LockModel, 4> models{
      {{}, {.reentrant = true}, {.capacity = 2}, {.capacity = 3}}};
  for (int round = 0; round < 40'000; ++round) {
    const LockModel& model = models[random.below(models.size())];
    const std::vector<LockCall> calls = draw_history(random, model, 2 + random.below(6));
    const bool right = Brute{calls, model}.is_linearizable();
    const HistoryVerdict verdict = check_history(calls, model);
    INFO("round " << round << ", capacity " << model.capacity
                  << (model.reentrant ? ", reentrant" : "") << describe(calls));
    REQUIRE((verdict.outcome == Outcome::linearizable) == right);
    REQUIRE((try_all_orders(calls, model, 1'000'000).outcome == Outcome::linearizable) == right);
    if (const auto by_rules = judge_as_lock(calls, model))
      REQUIRE((by_rules->outcome == Outcome::linearizable) == right);
    if (is_right_as_executed(calls, model)) REQUIRE(right);
    ++outcomes[static_cast<std::size_t>(verdict.outcome)];
    ++stages[static_cast<std::size_t>(verdict.stage)];
  }
  for (const std::size_t count : outcomes) CHECK(count > 5'000);
  for (const std::size_t count : stages) CHECK(count > 1'000);
}

TEST_CASE("a broken history names the calls that do not go together") {
  const std::vector<LockCall> twice{call(1, CallKind::acquire, CallAnswer::granted, 1, 2, 2),
                                    call(2, CallKind::acquire, CallAnswer::granted, 3, 4, 4),
                                    call(1, CallKind::release, CallAnswer::granted, 5, 6, 6)};
  const HistoryVerdict overlap = check_history(twice, {});
  CHECK(overlap.outcome == Outcome::broken);
  CHECK(overlap.stage == Stage::lock);
  CHECK(overlap.call == 1);
  CHECK(overlap.other == 0);
  const std::vector<LockCall> refused{call(1, CallKind::acquire, CallAnswer::granted, 1, 2, 2),
                                      call(1, CallKind::release, CallAnswer::granted, 3, 4, 4),
                                      call(2, CallKind::acquire, CallAnswer::refused, 5, 6, 6)};
  const HistoryVerdict refusal = check_history(refused, {});
  CHECK(refusal.outcome == Outcome::broken);
  CHECK(refusal.call == 2);
  // Free for long enough, if the release took effect before it was answered.
  const std::vector<LockCall> late{call(1, CallKind::acquire, CallAnswer::granted, 1, 2, 2),
                                   call(1, CallKind::release, CallAnswer::granted, 3, 8, 7),
                                   call(2, CallKind::acquire, CallAnswer::granted, 4, 6, 5)};
  CHECK(check_history(late, {}).outcome == Outcome::linearizable);
  CHECK(check_history(late, {}).stage == Stage::lock);
}

TEST_CASE("the search of all orders gives up within its bound") {
  std::vector<LockCall> calls;
  for (std::uint64_t i = 0; i < 24; ++i)
    calls.push_back(call(i, CallKind::acquire, i < 12 ? CallAnswer::granted : CallAnswer::refused,
                         1 + i, 100 + i));
  const HistoryVerdict verdict = try_all_orders(calls, {.capacity = 11}, 1'000);
  CHECK(verdict.outcome == Outcome::undecided);
}

TEST_CASE("sixteen clients with a thousand calls each are judged at once, right or not") {
  std::vector<LockCall> calls;
  std::uint64_t now = 0;
  for (std::uint64_t i = 0; i < 8'000; ++i) {
    const std::uint64_t owner = i % 16;
    calls.push_back(call(owner, CallKind::acquire, CallAnswer::granted, now + 1, now + 3, now + 2));
    calls.push_back(call(owner, CallKind::release, CallAnswer::granted, now + 4, now + 6, now + 5));
    now += 6;
  }
  CHECK(check_history(calls, {}).stage == Stage::witness);
  calls[9'001].begun += 6;  // Its owner has it for longer, and so has the next.
  calls[9'001].executed += 6;
  calls[9'001].ended += 6;
  const HistoryVerdict verdict = check_history(calls, {}, 1);
  CHECK(verdict.outcome == Outcome::broken);
  CHECK(verdict.stage == Stage::lock);
  CHECK(verdict.call == 9'002);
  CHECK(verdict.other == 9'000);
}

TEST_CASE("the answers of a lock that is right fit to an order, under every schedule") {
  ExploreOptions options = quiet(1'000'000);
  options.strategy = Strategy::exhaustive;
  const Verdict verdict = search_lock(
      options, [](Worker&, bool got) { return got; }, [](bool gone) { return gone; });
  INFO(verdict);
  CHECK(verdict.verdict == Class::holds);
  CHECK(verdict.complete);
}

TEST_CASE("a lock whose answers are wrong is found out by them alone") {
  const auto right = [](Worker&, bool got) { return got; };
  const auto takes_anyway = [](Worker&, bool) { return true; };
  const auto never_bob = [](Worker& worker, bool got) { return got && worker.name() != "bob"; };
  const Verdict twice = search_lock(quiet(), takes_anyway, [](bool gone) { return gone; });
  CHECK(twice.oracle == Oracle::linearizability);
  CHECK(twice.message.find("the lock while") != std::string::npos);
  const Verdict spurious = search_lock(quiet(), never_bob, [](bool gone) { return gone; });
  CHECK(spurious.oracle == Oracle::linearizability);
  CHECK(spurious.message.find("the lock, which nobody can have had") != std::string::npos);
  // Says that it was freed, when its time was over and another has it.
  const Verdict flattering = search_lock(quiet(2'000), right, [](bool) { return true; });
  CHECK(flattering.oracle == Oracle::linearizability);
  // Says that it was lost, when it was freed.
  const Verdict timid = search_lock(quiet(), right, [](bool) { return false; });
  CHECK(timid.oracle == Oracle::linearizability);
}

TEST_CASE("a hold that is over when its worker hears of it may be refused at its release") {
  const Verdict verdict = explore({.schedules = 2'000}, [](World& world) {
    Node& redis = world.redis("redis");
    const History history = world.history("the lock");
    for (const char* name : {"alice", "bob"})
      world.spawn(name, [=, &redis](Worker& worker) -> Task<> {
        const auto before = worker.now();
        const LockCallHandle asked = history.acquire(worker);
        const picklock::Reply got =
            co_await worker.call(redis, "SET", "lock", worker.name(), "NX", "PX", "500");
        if (got.is_null()) co_return asked.refused();
        asked.granted(before + 500ms);
        const LockCallHandle freed = history.release(worker);
        const picklock::Reply gone = co_await worker.call(
            redis, "EVAL",
            "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end "
            "return 0",
            "1", "lock", worker.name());
        gone == 1 ? freed.granted() : freed.refused();
      });
  });
  INFO(verdict);
  CHECK(verdict.verdict == Class::holds);
}

TEST_CASE("a hold that is over when its worker hears of it was there until then") {
  for (const bool broken : {false, true}) {
    const Verdict verdict = explore(quiet(2'000), [broken](World& world) {
      Node& redis = world.redis("redis");
      const History history = world.history("the lock");
      for (const auto ttl : {500ms, 5000ms}) {
        world.spawn(std::to_string(ttl.count()), [=, &redis](Worker& worker) -> Task<> {
          const bool first = ttl == 500ms;
          if (!first) co_await worker.call(redis, "BLPOP", "taken", "0");
          if (!first) co_await worker.pause(0ms, 590ms);
          const auto before = worker.now();
          const LockCallHandle asked = history.acquire(worker);
          const picklock::Reply got = co_await worker.call(redis, "SET", "lock", "", "PX",
                                                           ttl.count(), broken ? "GET" : "NX");
          if (first) co_await worker.call(redis, "RPUSH", "taken", "");
          if (first) co_await worker.sleep(600ms);  // As if its reply had taken so long.
          got.is_null() && !broken ? asked.refused() : asked.granted(before + ttl);
        });
      }
    });
    INFO(verdict);
    CHECK(verdict.verdict == (broken ? Class::violation : Class::holds));
  }
}

TEST_CASE("a history forks with workers that are values") {
  ExploreOptions options = quiet(1'000'000);
  options.strategy = Strategy::exhaustive;
  struct Machine {
    Node* redis;
    History history;
    bool honest = true;
    int at = 0;
    Next operator()(Worker& worker) {
      if (at++ > 0) {
        honest ? asked.granted() : asked.refused();
        return Next::end();
      }
      asked = history.acquire(worker);
      return worker.call(*redis, "INCR", "n");
    }
    LockCallHandle asked{};
  };
  for (const bool honest : {true, false}) {
    const Verdict verdict = explore(options, [honest](World& world) {
      Node& redis = world.redis("redis");
      const History history = world.history("permits", {.capacity = 3});
      for (const char* name : {"alice", "bob", "carol"})
        world.spawn_value(name, Machine{&redis, history, honest || name[0] != 'c'});
    });
    CHECK(verdict.verdict == (honest ? Class::holds : Class::violation));
    if (honest) CHECK(verdict.complete);
  }
}

TEST_CASE("a history with too many orders is no proof, and is not shrunk for hours") {
  const auto furnish = [](World& world) {
    const History history = world.history("pool", {.capacity = 16});
    for (int i = 0; i < 16; ++i) {
      world.spawn("worker " + std::to_string(i), [history, i](Worker& worker) -> Task<> {
        const LockCallHandle taken = history.acquire(worker);
        const LockCallHandle given = history.release(worker);
        const LockCallHandle again = i == 0 ? history.release(worker) : given;
        co_await worker.sleep(std::chrono::milliseconds{1});
        taken.granted();
        given.granted();
        if (i == 0) again.granted();  // Which no order explains.
      });
    }
  };
  const Verdict verdict = explore({.schedules = 1, .faults = Faults::none()}, furnish);
  CHECK(verdict.verdict == Class::unusable);
  CHECK(verdict.oracle == Oracle::linearizability);
  CHECK(verdict.message.find("33 calls of pool have too many orders") != std::string::npos);
  CHECK_FALSE(verdict.replay.empty());
}
