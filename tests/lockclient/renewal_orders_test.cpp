// A hold with a watchdog, step by step: every order in which its requests are carried out, its
// answers arrive or are lost, time passes, and its user cancels, extends, releases, or loses it.
#include <algorithm>
#include <iostream>
#include <span>

#include <picklock/lock.hpp>

#include "tests/lockclient/stepped.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using lock::Notice;

namespace {

/// What the user does, once, at any point.
enum class Deed {
  cancel,   ///< While it is acquired, or waited for; a release if it is held by then.
  release,  ///< As soon as it is held, or later.
  prolong,  ///< Extends and releases at once: the extension is still on its way.
  crash,    ///< Nothing is sent or heard any more; what is on its way may still be carried out.
  loss,     ///< Somebody deletes the lock.
};

struct Settings {
  bool fair = false;
  bool taken = false;  ///< Somebody else holds it at first, and lets go at any point.
  Deed deed = Deed::release;
  int ticks = 2;   ///< How often time goes on to the next thing due.
  int losses = 1;  ///< How many answers may be lost.
};

class Course {
 public:
  Course(const Settings& settings, test::Enumerator& enumerator)
      : settings_(settings), enumerator_(enumerator) {
    protocol_ = settings.fair ? lock::make_permits_protocol("name", 1, 1)
                              : lock::make_lock_protocol({"name"});
    const LockOptions options{.ttl = 300ms,
                              .renew = true,
                              .listen = false,
                              .backoff = {.kind = Backoff::Kind::constant, .first = 50ms},
                              .answer_within = 20ms,
                              .waiter_lease = 600ms};
    if (settings.taken) {
      other_.acquire(protocol_, {.ttl = 10s}, 0ms, redis_.now());
      other_.execute();
      other_.deliver(redis_.now());
    }
    alice_.acquire(protocol_, options, std::nullopt, redis_.now());
  }

  /// What is wrong, empty if nothing is.
  std::string play() {
    bool freed = !settings_.taken;
    while (wrong_.empty()) {
      enum Step { execute_first, execute_last, deliver, lose, tick, free_it, act };
      std::vector<Step> steps;
      if (!alice_.requests.empty()) steps.push_back(execute_first);
      // Requests of two connections overtake each other.
      if (alice_.requests.size() > 1) steps.push_back(execute_last);
      if (!alice_.answers.empty() && !crashed_) steps.push_back(deliver);
      if (!alice_.answers.empty() && losses_ < settings_.losses) steps.push_back(lose);
      if (ticks_ < settings_.ticks && !crashed_ && alice_.core.wake()) steps.push_back(tick);
      if (!freed) steps.push_back(free_it);
      if (!acted_ && may_act()) steps.push_back(act);
      const bool only_time = steps.empty() || (steps.size() == 1 && steps[0] == tick);
      if (steps.empty() || (only_time && acted_)) break;
      switch (steps[steps.size() == 1 ? 0 : enumerator_.choose(steps.size())]) {
        case execute_last:
          std::rotate(alice_.requests.begin(), alice_.requests.end() - 1, alice_.requests.end());
          [[fallthrough]];
        case execute_first:
          execute();
          break;
        case deliver:
          alice_.deliver(redis_.now());
          break;
        case lose:
          ++losses_;
          alice_.answers.pop_front();
          break;
        case tick:
          ++ticks_;
          pass_time();
          break;
        case free_it:
          freed = true;
          other_.core.release(other_.slot, redis_.now());
          other_.collect();
          other_.execute();
          break;
        case act:
          act_now();
      }
      check_step();
    }
    return finish(freed);
  }

 private:
  const lock::HoldMachine* hold() const { return alice_.core.hold(alice_.slot); }
  bool is_held() const { return hold() != nullptr && hold()->is_held(); }
  bool may_act() const {
    return settings_.deed == Deed::cancel || settings_.deed == Deed::crash || is_held();
  }

  void execute() {
    const bool extends = is_extension(alice_.requests.front());
    const bool releases =
        runs(alice_.requests.front(), settings_.fair ? "permits_reduce" : "lock_release");
    alice_.execute();
    if (releases && alice_.answers.back().second.type() == Reply::Type::integer) ended_ = true;
    // A request to acquire that was sent twice and came late has taken it once more.
    if (deleted_ && is_ours()) deleted_ = false;
    // W1: what was on its way brings nothing back.
    if (ended_ && extends && is_ours()) note("W1: a late renewal has brought the hold back");
  }

  void act_now() {
    acted_ = true;
    switch (settings_.deed) {
      case Deed::cancel:
        if (!is_held()) {
          alice_.core.cancel(alice_.slot, redis_.now());
          break;
        }
        [[fallthrough]];
      case Deed::release:
        alice_.core.release(alice_.slot, redis_.now());
        break;
      case Deed::prolong:
        alice_.core.extend(alice_.slot, 400ms, redis_.now());
        alice_.core.release(alice_.slot, redis_.now());
        break;
      case Deed::crash:
        crashed_ = true;
        break;
      case Deed::loss:
        deleted_ = is_ours();
        redis_.connect().call("DEL", "name");
        return;
    }
    end();
  }

  /// The user has ended it: what is on its way now is the last of it.
  void end() {
    alice_.collect();
    extensions_ = pending_extensions();
    over_ = true;
  }
  std::size_t pending_extensions() const {
    return static_cast<std::size_t>(
        std::count_if(alice_.requests.begin(), alice_.requests.end(),
                      [this](const auto& send) { return is_extension(send); }));
  }

  /// To the next thing that is due, as far as the requests on their way allow.
  void pass_time() {
    const Instant due = alice_.core.wake().value();
    redis_.advance(std::max(due - redis_.now(), Duration{}));
    alice_.core.time(redis_.now());
    alice_.collect();
  }

  bool is_extension(const lock::Core::Send& send) const {
    return runs(send, settings_.fair ? "permits_extend" : "lock_extend");
  }
  static bool runs(const lock::Core::Send& send, std::string_view name) {
    const lock::ScriptRef script = lock::embedded_script(name);
    const std::span<const std::string_view> words = send.words();
    return words.size() > 1 && (words[1] == script->sha || words[1] == script->source);
  }
  /// Whether the server keeps the lock for alice.
  bool is_ours() const {
    const Inspector look = redis_.inspect();
    if (!settings_.fair) {
      const auto owner = look.string("name");
      return owner && owner->starts_with("alice");
    }
    const Reply hold = redis_.connect().call("HGET", "name", "alice");
    if (hold.is_null()) return false;
    return std::stoll(hold.text().substr(hold.text().find(' ') + 1)) >= to_unix_ms(redis_.now());
  }

  void check_step() {
    const std::size_t extensions = pending_extensions();
    if (over_ && extensions > extensions_) note("W1: a renewal was sent after the end");
    extensions_ = extensions;
    // S2 and N1: who believes to hold, holds, or hears of the loss by the deadline.
    const bool believes = is_held() && redis_.now() < hold()->valid_until() && !crashed_;
    if (believes && !is_ours() && !deleted_) note("S2: it believes to hold what it does not");
    for (; heard_ < alice_.heard.size(); ++heard_) {
      const Notice& notice = alice_.heard[heard_];
      if (notice.kind != Notice::Kind::lost) continue;
      ++lost_;
      if (over_) note("N2: a loss was signalled after the end");
      if (notice.loss == Loss::not_owner && is_ours()) note("N2: a false loss was signalled");
    }
    if (lost_ > 1) note("N1: a loss was signalled twice");
  }

  std::string finish(bool freed) {
    if (!freed) {
      other_.core.release(other_.slot, redis_.now());
      other_.collect();
      other_.execute();
    }
    for (int i = 0; i < 200 && wrong_.empty(); ++i) {
      while (!alice_.requests.empty()) {
        execute();
        check_step();
      }
      while (!alice_.answers.empty() && !crashed_) {
        alice_.deliver(redis_.now());
        check_step();
      }
      if (!alice_.requests.empty()) continue;
      if (crashed_ || !alice_.core.wake() || (is_held() && over_)) break;
      if (is_held() && !deleted_) {
        // So it ends by a release.
        alice_.core.release(alice_.slot, redis_.now());
        end();
        continue;
      }
      pass_time();
      check_step();
    }
    if (deleted_ && lost_ != 1) note("N1: a loss was not signalled");
    if (hold() != nullptr && hold()->phase() == lock::HoldMachine::Phase::lost) {
      alice_.core.release(alice_.slot, redis_.now());
      end();
      while (!alice_.requests.empty()) execute();
      while (!alice_.answers.empty() && !crashed_) alice_.deliver(redis_.now());
    }
    redis_.advance(20s);
    for (const std::string& key : redis_.inspect().keys()) note("K1: " + key);
    if (!crashed_ && alice_.core.slots() > 0) note("K2: something is still under way");
    return wrong_;
  }
  void note(const std::string& text) {
    if (wrong_.empty()) wrong_ = text;
  }

  Settings settings_;
  test::Enumerator& enumerator_;
  lock::ProtocolRef protocol_;
  mutable Emulator redis_;
  test::SteppedClient alice_{redis_, "alice"};
  test::SteppedClient other_{redis_, "other"};
  int ticks_ = 0;
  int losses_ = 0;
  bool acted_ = false;
  bool over_ = false;   ///< The user has ended it.
  bool ended_ = false;  ///< The server has heard so.
  bool crashed_ = false;
  bool deleted_ = false;
  int lost_ = 0;
  std::size_t extensions_ = 0;  ///< That were on their way when last looked.
  std::size_t heard_ = 0;       ///< Notices that were read.
  std::string wrong_;
};

std::size_t play_all(const Settings& settings) {
  test::Enumerator enumerator;
  std::size_t runs = 0;
  do {
    Course course{settings, enumerator};
    const std::string wrong = course.play();
    ++runs;
    if (wrong.empty()) continue;
    INFO("choices " << enumerator.to_string());
    CHECK(wrong == "");
    break;
  } while (enumerator.next());
  return runs;
}

}  // namespace

TEST_CASE("no order of renewing, cancelling, extending, releasing and losing breaks a property") {
  std::size_t runs = 0;
  for (const bool fair : {false, true}) {
    for (const bool taken : {false, true}) {
      for (const Deed deed :
           {Deed::cancel, Deed::release, Deed::prolong, Deed::crash, Deed::loss}) {
        INFO("fair " << fair << ", taken " << taken << ", deed " << static_cast<int>(deed));
        runs += play_all({.fair = fair, .taken = taken, .deed = deed});
      }
    }
  }
  std::cout << "renewal: " << runs << " orders of a renewed hold's steps\n";
  CHECK(runs > 50'000);
}
