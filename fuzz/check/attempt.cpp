#include "fuzz/check/attempt.hpp"

namespace picklock::race {
namespace {

Reply send(Client& client, const CheckStep& step, const SlotValues& values, bool leave_out_ttl) {
  std::vector<std::string> words;
  if (!step.script.empty()) words = {"EVAL", step.script};
  for (const Word& word : step.words) {
    const bool is_ttl = word.uses(Slot::ttl_ms) || word.uses(Slot::ttl_s);
    if (!leave_out_ttl || !is_ttl) words.push_back(word.fill(values));
  }
  try {
    return client.call(std::vector<std::string_view>{words.begin(), words.end()});
  } catch (const WouldBlock&) {
    return replies::error("it blocks");
  }
}

}  // namespace

Attempt attempt(Emulator& emulator, const Requests& operation, SlotValues& values,
                bool leave_out_ttl) {
  Attempt result;
  Client client = emulator.connect();
  const std::int64_t wall_ms = to_unix_ms(emulator.now());
  for (std::size_t i = 0; i < operation.size(); ++i) {
    const CheckStep& step = operation[i];
    if (!client.is_connected()) client = emulator.connect();  // It has said QUIT.
    result.reply = send(client, step, values, leave_out_ttl);
    result.has_rule = !step.success.empty();
    result.rules = step.success;
    const bool matched = matches(step.success, result.reply, values, wall_ms);
    const bool last = i + 1 == operation.size();
    result.succeeded = matched && (last || !step.goes_on.empty());
    const bool goes_on = step.goes_on.empty()
                             ? matched && !last
                             : matches(step.goes_on, result.reply, values, wall_ms);
    if (!result.succeeded && !goes_on) return result;
    const bool texted =
        result.reply.type() == Reply::Type::bulk || result.reply.type() == Reply::Type::status;
    at(values, Slot::heard) = texted ? result.reply.text() : "";  // The next operation may use it.
    if (result.succeeded) return result;
  }
  return result;
}

}  // namespace picklock::race
