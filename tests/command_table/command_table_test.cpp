// Every row of the emulator's command table against COMMAND INFO of a real redis-server.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/command_table/asking.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/real_redis.hpp"

namespace picklock::test {
namespace {

// Where COMMAND INFO's ten elements are.
enum Element : std::size_t {
  kName,
  kArity,
  kFlags,
  kFirst,
  kLast,
  kStep,
  kAcl,
  kTips,
  kKeySpecs,
  kSubcommands
};

Reply sorted(Reply reply) {
  std::ranges::sort(reply.elements(), {}, [](const Reply& element) { return element.to_string(); });
  return reply;
}

// COMMAND INFO's reply with what is a set in order: flags, ACL categories, tips, the flags of key
// specifications, and subcommands. Subcommands that only the real server has are left out.
Reply in_order(Reply info) {
  auto& elements = info.elements();
  for (const auto set : {kFlags, kAcl, kTips}) elements[set] = sorted(elements[set]);
  for (Reply& spec : elements[kKeySpecs].elements())
    for (std::size_t i = 0; i + 1 < spec.size(); i += 2)
      if (spec[i] == "flags") spec.elements()[i + 1] = sorted(spec[i + 1]);
  for (Reply& subcommand : elements[kSubcommands].elements()) subcommand = in_order(subcommand);
  elements[kSubcommands] = sorted(elements[kSubcommands]);
  return info;
}

void keep_subcommands(Reply& theirs, const Reply& ours) {
  std::erase_if(theirs.elements()[kSubcommands].elements(), [&](const Reply& subcommand) {
    return std::ranges::none_of(ours[kSubcommands].elements(),
                                [&](const Reply& own) { return own[kName] == subcommand[kName]; });
  });
}

}  // namespace

TEST_CASE("every row of the command table says what COMMAND INFO of Redis says") {
  RealRedis real;
  EmulatorTarget emulator;
  const Reply names = ask(emulator, {"COMMAND", "LIST"});
  REQUIRE(names.size() > 0);
  for (const Reply& name : names.elements()) {
    const std::string& text = name.text();
    if (text.find('|') != std::string::npos) continue;  // Comes with its container.
    INFO("command " << text);
    Reply theirs = ask(real, {"COMMAND", "INFO", text})[0];
    const Reply ours = ask(emulator, {"COMMAND", "INFO", text})[0];
    REQUIRE(theirs.size() == 10);
    REQUIRE(ours.size() == 10);
    keep_subcommands(theirs, ours);
    CHECK(in_order(ours) == in_order(theirs));
  }
}

TEST_CASE("the emulator lists no command that Redis does not have") {
  RealRedis real;
  EmulatorTarget emulator;
  const Reply theirs = ask(real, {"COMMAND", "LIST"});
  const Reply ours = ask(emulator, {"COMMAND", "LIST"});
  for (const Reply& name : ours.elements()) {
    INFO("command " << name.text());
    CHECK(std::ranges::find(theirs.elements(), name) != theirs.elements().end());
  }
}

}  // namespace picklock::test
