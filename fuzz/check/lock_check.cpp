#include "fuzz/check/lock_check.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "fuzz/check/lua_value.hpp"
#include "fuzz/world/script_budget.hpp"

namespace picklock::race {
namespace {

constexpr std::array<std::string_view, kMostClients> kNames{"alice", "bob",   "carol", "dave",
                                                            "erin",  "frank", "grace", "heidi"};

std::int64_t whole_seconds(std::int64_t ms) { return (ms + 999) / 1000; }

bool is_text(const Reply& reply) {
  return reply.type() == Reply::Type::bulk || reply.type() == Reply::Type::status;
}

bool is_truthy(const Reply& reply) {
  if (reply.is_null() || reply.is_error()) return false;
  if (reply.type() == Reply::Type::integer) return reply.integer() != 0;
  return !is_text(reply) || !reply.text().empty();
}

bool matches(const Rule& rule, const Reply& reply, const SlotValues& values, std::int64_t wall_ms) {
  switch (rule.type) {
    case Rule::Type::integer:
      return reply == rule.integer;
    case Rule::Type::text:
      return is_text(reply) && reply.text() == rule.text.fill(values);
    case Rule::Type::null:
      return reply.is_null();
    case Rule::Type::truthy:
      return is_truthy(reply);
    case Rule::Type::past:
      return is_text(reply) && parse_int64(reply.text()).value_or(wall_ms) < wall_ms;
  }
  return false;
}

std::string quoted(std::string_view text) { return "\"" + one_line(text) + "\""; }

}  // namespace

bool uses(const Requests& operation, Slot slot) {
  return std::any_of(operation.begin(), operation.end(), [slot](const CheckStep& step) {
    return std::any_of(step.words.begin(), step.words.end(),
                       [slot](const Word& word) { return word.uses(slot); });
  });
}

Duration lease_of(const LockCheck& check) {
  return std::chrono::milliseconds{
      uses(check.acquire, Slot::ttl_s) ? whole_seconds(check.ttl_ms) * 1000 : check.ttl_ms};
}

std::string_view client_name(int index) { return kNames[static_cast<std::size_t>(index)]; }

SlotValues slot_values(const LockCheck& check, int client, int round) {
  SlotValues values;
  const std::string name{client_name(client)};
  at(values, Slot::key) = check.key;
  at(values, Slot::token) = name + ":" + to_text(round);
  at(values, Slot::client) = name;
  at(values, Slot::ttl_ms) = to_text(check.ttl_ms);
  at(values, Slot::ttl_s) = to_text(whole_seconds(check.ttl_ms));
  return values;
}

bool matches(const std::vector<Rule>& rules, const Reply& reply, const SlotValues& values,
             std::int64_t wall_ms) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Rule& rule) { return matches(rule, reply, values, wall_ms); });
}

std::string phrase_exact(const Reply& reply) {
  switch (reply.type()) {
    case Reply::Type::null:
      return "nil";
    case Reply::Type::integer:
      return to_text(reply.integer()) + " (an integer)";
    case Reply::Type::error:
      if (has_run_too_long(reply)) return phrase_run_too_long();
      // Without the place in the script that Redis adds.
      return quoted(reply.text().substr(0, reply.text().find(" script: "))) + " (an error)";
    case Reply::Type::status:
      return quoted(reply.text()) + " (a status)";
    case Reply::Type::bulk:
      return quoted(reply.text()) + " (a string)";
    default:
      return "an array of " + to_text(static_cast<std::int64_t>(reply.size()));
  }
}

std::string phrase_rules(const std::vector<Rule>& rules, const SlotValues& values) {
  std::string text;
  for (const Rule& rule : rules) {
    if (!text.empty()) text += " or ";
    switch (rule.type) {
      case Rule::Type::integer:
        text += to_text(rule.integer) + " (an integer)";
        break;
      case Rule::Type::text:
        text += quoted(rule.text.fill(values)) + " (a string or status)";
        break;
      case Rule::Type::null:
        text += "nil";
        break;
      case Rule::Type::truthy:
        text += "true (neither nil, 0 nor \"\")";
        break;
      case Rule::Type::past:
        text += "an instant that is past";
        break;
    }
  }
  return text;
}

}  // namespace picklock::race
