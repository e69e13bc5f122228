// What changes for a while how clients are answered: CLIENT REPLY and CLIENT PAUSE.
#include "tests/differential/generator.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {

// Who monitors already would have no reply to MONITOR.
Action Generator::monitoring() {
  Action action;
  action.commands = {{"RESET"}, {"MONITOR"}};
  if (chance(50)) action.commands.insert(action.commands.begin() + 1, Words{"HELLO", "3"});
  return action;
}

// CLIENT REPLY, on a connection of its own: who has no replies knows not when one is missing.
Action Generator::few_replies() {
  const auto reply = [](std::string_view mode) {
    return encode_request({"CLIENT", "REPLY", std::string{mode}});
  };
  const auto some = [this] {
    std::string bytes;
    for (auto count = random_.below(4); count > 0; --count)
      bytes += encode_request(prompt_command());
    return bytes;
  };
  Action action;
  action.raw = some();
  if (chance(50)) action.raw += reply("SKIP") + encode_request(prompt_command()) + some();
  if (chance(15)) action.raw += reply("ZZ") + reply("skip") + reply("SKIP") + some();
  // Between MULTI and EXEC the replies end in the midst of EXEC's.
  const bool queued = chance(15);
  if (queued) action.raw += encode_request({"MULTI"}) + some();
  if (chance(60)) action.raw += reply("OFF") + some() + (chance(30) ? reply("SKIP") : "") + some();
  if (queued) action.raw += encode_request({chance(80) ? "EXEC" : "DISCARD"});
  if (chance(80)) action.raw += reply("ON") + some();
  return action;
}

// A pause that ends by itself.
Action Generator::short_pause() {
  Action action;
  action.commands = {from_template("CLIENT PAUSE 3|0 [WRITE|ALL]"), prompt_command(),
                     prompt_command()};
  // Redis looks ten times a second whether it is over.
  action.wait = std::chrono::milliseconds{120};
  return action;
}

// What others ask while writing waits, until who paused them lets them go on.
Sequence Generator::paused() {
  const int pauser = client_;
  const auto of = [](int client, Words words) {
    Action action;
    action.client = client;
    action.commands = {std::move(words)};
    action.may_block = true;
    return action;
  };
  Sequence actions{of(pauser, from_template("CLIENT PAUSE 1000000|1000000|-1|x WRITE"))};
  for (auto count = 1 + random_.below(8); count > 0; --count) {
    const int other = (pauser + 1 + static_cast<int>(random_.below(kClients - 1))) % kClients;
    Action action =
        chance(15) ? transaction() : of(other, chance(15) ? script_command() : command());
    action.client = other;
    action.may_block = true;
    actions.push_back(std::move(action));
  }
  actions.push_back(of(pauser, {"CLIENT", "UNPAUSE"}));
  return actions;
}

}  // namespace picklock::test
