#include "fuzz/check/trial.hpp"

#include <algorithm>
#include <array>

#include "emulator/base/numbers.hpp"
#include "fuzz/check/attempt.hpp"
#include "fuzz/check/lua_value.hpp"
#include "fuzz/world/script_budget.hpp"

namespace picklock::race {
namespace {

using std::chrono::milliseconds;

SlotValues trial_values(const LockCheck& check, const Emulator& emulator) {
  SlotValues values = slot_values(check, 0, 1);
  at(values, Slot::until_ms) = to_text(to_unix_ms(emulator.now() + lease_of(check)));
  return values;
}

/// The server's complaint about a script that does not compile, or nothing.
std::string compile(const LockCheck& check) {
  Emulator emulator;
  Client client = emulator.connect();
  const std::array<std::pair<std::string_view, const Requests*>, 3> operations{
      {{kAcquire, &check.acquire}, {kRelease, &check.release}, {kExtend, &check.extend}}};
  for (const auto& [name, operation] : operations) {
    for (const CheckStep& step : *operation) {
      if (step.script.empty()) continue;
      const Reply reply = client.call("SCRIPT", "LOAD", step.script);
      if (reply.is_error())
        return std::string{name} + " does not compile: " + one_line(reply.text());
    }
  }
  return "";
}

/// What the key's value, or a field of it, is: the token of this hold, or the client's.
std::optional<Slot> holder_of(const Emulator& emulator, const std::string& key,
                              const SlotValues& values) {
  const Inspector server = emulator.inspect();
  for (const Slot slot : {Slot::token, Slot::client, Slot::until_ms}) {
    const std::string& text = at(values, slot);
    if (server.string(key) == text || server.field(key, text)) return slot;
  }
  return std::nullopt;
}

std::string unexpected(std::string_view what, const Attempt& attempt, const SlotValues& values) {
  const std::string answers = std::string{what} + " answers " + phrase_exact(attempt.reply);
  if (has_run_too_long(attempt.reply)) return answers;
  return answers + ", but success is " + phrase_rules(attempt.rules, values);
}

/// A hold that outlives what its client asked for by more than a rounding.
void check_ttl(const LockCheck& check, const Emulator& emulator, Trial& trial) {
  const std::optional<Instant> deadline = emulator.inspect().deadline(trial.footprint.key);
  if (!deadline) return;
  const std::int64_t ms = (*deadline - emulator.now()) / milliseconds{1};
  const std::int64_t asked = lease_of(check) / milliseconds{1};
  if (ms >= asked + 1000)
    trial.findings.push_back("acquire asks for " + to_text(asked) +
                             " ms and the server keeps the lock for " + to_text(ms) +
                             " ms: a crashed holder blocks all for so long");
}

/// Takes the free lock, as often as it is deep.
bool take(const LockCheck& check, Emulator& emulator, SlotValues& values, Trial& trial) {
  Attempt taken = attempt(emulator, check.acquire, values);
  if (!taken.succeeded) {
    trial.unusable = unexpected("acquire of a free lock", taken, values);
    return false;
  }
  const std::vector<std::string> keys = emulator.inspect().keys();
  if (keys.empty()) {
    trial.unusable = "acquire answers " + phrase_exact(taken.reply) +
                     ", which is success, and leaves nothing on the server";
    return false;
  }
  const bool named = std::find(keys.begin(), keys.end(), check.key) != keys.end();
  trial.footprint.key = named ? check.key : keys.front();
  trial.footprint.holder = holder_of(emulator, trial.footprint.key, values);
  check_ttl(check, emulator, trial);
  for (int depth = 1; depth < check.depth; ++depth) {
    taken = attempt(emulator, check.acquire, values);
    if (taken.succeeded) continue;
    trial.unusable = unexpected("depth = " + to_text(check.depth) + ", and acquire by its holder",
                                taken, values);
    return false;
  }
  return true;
}

/// Gives it back as often. Errors make it unusable; a lock that stays is broken.
void give_back(const LockCheck& check, Emulator& emulator, SlotValues& values, Trial& trial) {
  Attempt released;
  for (int depth = check.depth; depth > 0; --depth) {
    released = attempt(emulator, check.release, values);
    if (!released.reply.is_error()) continue;
    trial.unusable = "release by the holder answers " + phrase_exact(released.reply);
    return;
  }
  if (released.has_rule && !released.succeeded) {
    trial.unusable = unexpected("release by the holder", released, values);
  } else if (emulator.inspect().exists(trial.footprint.key)) {
    trial.findings.push_back("release by the holder answers " + phrase_exact(released.reply) +
                             " and leaves the lock");
  }
}

}  // namespace

Trial try_lock(const LockCheck& check) {
  Trial trial;
  trial.unusable = compile(check);
  if (!trial.unusable.empty()) return trial;
  Emulator emulator{Options{.script_budget = kScriptBudget}};
  SlotValues values = trial_values(check, emulator);
  if (!take(check, emulator, values, trial)) return trial;
  if (!check.extend.empty()) {
    const Attempt extended = attempt(emulator, check.extend, values);
    if (!extended.succeeded) {
      trial.unusable = unexpected("extend by the holder", extended, values);
      return trial;
    }
  }
  give_back(check, emulator, values, trial);
  return trial;
}

namespace {

/// The bad ttls. The last one stands for none at all.
constexpr std::array<std::string_view, 11> kTtls{
    "0", "-1", "0.5", "\"\"", "nan", "inf", "1e3", "0x10", "1e17", "9223372036854775807", "none"};

/// What an acquisition with some ttls has left behind.
struct Remains {
  std::string wrong;  ///< In words that name no ttl and no reply.
  std::string reply;  ///< To the first of these ttls.
  std::string ttls;
};

/// Empty if there is nothing to say against it.
Remains judge(const LockCheck& check, const Footprint& footprint, std::string_view ttl) {
  Emulator emulator{Options{.script_budget = kScriptBudget}};
  SlotValues values = trial_values(check, emulator);
  at(values, Slot::ttl_ms) = at(values, Slot::ttl_s) = ttl == "\"\"" ? "" : ttl;
  const Attempt taken = attempt(emulator, check.acquire, values, ttl == kTtls.back());
  const Inspector server = emulator.inspect();
  Remains remains{"", phrase_exact(taken.reply), std::string{ttl}};
  if (!server.exists(footprint.key)) {
    if (taken.succeeded) remains.wrong = "is success, but nothing is there: everybody holds it";
  } else if (server.deadline(footprint.key)) {
    if (!taken.succeeded) remains.wrong = "is no success, but takes the lock up to its ttl";
  } else {
    remains.wrong = taken.succeeded
                        ? "is success, but a crash of the holder leaves the lock held for ever"
                        : "is no success, but leaves the lock held for ever";
  }
  return remains;
}

}  // namespace

std::vector<std::string> try_arguments(const LockCheck& check, const Footprint& footprint) {
  if (!uses(check.acquire, Slot::ttl_ms) && !uses(check.acquire, Slot::ttl_s)) return {};
  std::vector<Remains> kinds;
  for (const std::string_view ttl : kTtls) {
    Remains remains = judge(check, footprint, ttl);
    if (remains.wrong.empty()) continue;
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const Remains& kind) {
      return kind.wrong == remains.wrong;
    });
    if (same == kinds.end())
      kinds.push_back(std::move(remains));
    else
      same->ttls += ", " + std::string{ttl};
  }
  std::vector<std::string> findings;
  for (const Remains& kind : kinds)
    findings.push_back("acquire with the ttl " + kind.ttls + " " + kind.wrong + " (it answers " +
                       kind.reply + ")");
  return findings;
}

}  // namespace picklock::race
