#include "tests/bench/copied_turns.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "lua/scripts.hpp"

namespace picklock::bench {
namespace {

using namespace race;
using std::chrono::milliseconds;

constexpr std::string_view kKey = "lock";
constexpr std::string_view kTtl = "100";
constexpr milliseconds kValidity{99};  ///< Keys live through their last millisecond.

/// Beside the machines: made once a schedule, the same for all.
struct Shared {
  CopiedTurns settings;
  std::array<std::string, 2> scripts{};  ///< The digests of acquire and release.
  Node* redis = nullptr;
  Exclusive* section = nullptr;
};

struct Token {
  std::array<char, 2> letters;
  Token(std::size_t client, int round)
      : letters{static_cast<char>('a' + client), static_cast<char>('0' + round)} {}
  std::string_view text() const { return {letters.data(), letters.size()}; }
};

Claim claim(const Shared& shared, const Token& token, Instant until) {
  return {.node = shared.redis, .key = kKey, .token = token.text(), .until = until};
}

Task<> take_turns(Worker& worker, const Shared& shared, std::size_t client) {
  for (int round = 0; round < shared.settings.rounds; ++round) {
    worker.digest(static_cast<std::uint64_t>(round));
    const Token token{client, round};
    const Instant until = worker.now() + kValidity;
    const Reply taken = co_await worker.call(*shared.redis, "EVALSHA", shared.scripts[0], 1, kKey,
                                             token.text(), kTtl);
    if (!(taken == 1)) continue;
    if (worker.now() < until) {
      Turn turn = shared.section->enter(worker, claim(shared, token, until));
      co_await worker.pause(Duration{}, until - worker.now());
      turn.leave();
    }
    co_await worker.call(*shared.redis, "EVALSHA", shared.scripts[1], 1, kKey, token.text());
  }
  worker.digest(0);
}

/// The same as a value.
class Machine {
 public:
  Machine(const Shared& shared, std::size_t client) : shared_(&shared), client_(client) {}

  Next operator()(Worker& worker) {
    switch (step_) {
      case Step::released:
        call_->reply();
        ++round_;
        break;
      case Step::asked:
        if (call_->reply() == 1) return enter(worker);
        ++round_;
        break;
      case Step::inside:
        turn_.leave();
        return release(worker);
      case Step::fresh:
        break;
    }
    return ask(worker);
  }

 private:
  enum class Step : std::uint8_t { fresh, asked, inside, released };

  Next ask(Worker& worker) {
    if (round_ == shared_->settings.rounds) {
      worker.digest(0);
      return Next::end();
    }
    worker.digest(static_cast<std::uint64_t>(round_));
    until_ = worker.now() + kValidity;
    step_ = Step::asked;
    call_ =
        worker.call(*shared_->redis, "EVALSHA", shared_->scripts[0], 1, kKey, token().text(), kTtl);
    return *call_;
  }
  Next enter(Worker& worker) {
    if (worker.now() >= until_) return release(worker);
    turn_ = shared_->section->enter(worker, claim(*shared_, token(), until_)).keep();
    step_ = Step::inside;
    return worker.pause(Duration{}, until_ - worker.now());
  }
  Next release(Worker& worker) {
    step_ = Step::released;
    call_ = worker.call(*shared_->redis, "EVALSHA", shared_->scripts[1], 1, kKey, token().text());
    return *call_;
  }
  Token token() const { return {client_, round_}; }

  const Shared* shared_;
  std::size_t client_;
  Step step_ = Step::fresh;
  int round_ = 0;
  Instant until_{};
  std::optional<Call> call_;
  KeptTurn turn_;
};

}  // namespace

Scenario make_copied_turns(const CopiedTurns& settings) {
  const auto shared = std::make_shared<Shared>(Shared{.settings = settings});
  return [shared](World& world) {
    shared->redis = &world.redis("redis", [&](Emulator& emulator) {
      Client client = emulator.connect();
      constexpr std::array<std::string_view, 2> kScripts{"set_nx_px_acquire", "set_nx_px_release"};
      for (std::size_t i = 0; i < kScripts.size(); ++i)
        shared->scripts[i] = client.call("SCRIPT", "LOAD", scripts::find(kScripts[i])).text();
    });
    shared->section = &world.exclusive("section");
    world.lock_key(*shared->redis, kKey);
    for (std::size_t i = 0; i < static_cast<std::size_t>(shared->settings.clients); ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      if (shared->settings.values) {
        world.spawn_value(name, Machine{*shared, i});
      } else {
        world.spawn(name, [used = shared.get(), i](Worker& w) { return take_turns(w, *used, i); });
      }
    }
  };
}

}  // namespace picklock::bench
