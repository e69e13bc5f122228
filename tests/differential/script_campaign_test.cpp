// The campaign of written scripts: does it notice, does it shrink, does it outlive a dead oracle?
#include "tests/differential/script_campaign.hpp"

#include <sstream>

#include "tests/differential/script_writer.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {
namespace {

Action eval(std::string script) {
  Action action;
  action.commands = {{"EVAL", std::move(script), "0"}, {"DEBUG", "DIGEST"}};
  return action;
}

ScriptCampaignResult run(const ScriptCampaignOptions& options) {
  Normalisers normalisers;
  std::ostringstream out;
  return run_script_campaign(options, normalisers, out);
}

}  // namespace

TEST_CASE("the same seed writes the same scripts") {
  const auto written = [](std::uint64_t seed) {
    ScriptWriter writer{seed};
    Sequence sequence;
    for (int i = 0; i < 500; ++i)
      sequence.push_back(i % 2 == 0 ? writer.action() : writer.round_trip());
    return print_sequence(sequence);
  };
  CHECK(written(5) == written(5));
  CHECK(written(5) != written(6));
}

TEST_CASE("a wrong error text in one script of hundreds is found, and shrunk to one call") {
  ScriptCampaignOptions options;
  options.scripts = 5'000;
  options.corruption = "error-text";
  const auto result = run(options);
  REQUIRE(result.finding);
  const Sequence& sequence = result.finding->sequence;
  INFO(print_sequence(sequence));
  CHECK(sequence.size() <= 2);
  CHECK(result.finding->difference.theirs.find("WRONGTYPE Operation") != std::string::npos);
}

TEST_CASE("a script that leaves another keyspace is found by the digest alone") {
  ScriptCampaignOptions options;
  options.scripts = 3;
  options.corruption = "persist-keeps";
  options.write = [](std::uint64_t) {
    Sequence sequence{eval("redis.call('SET', 'k', 'v', 'EX', 5000) return 1"), Action{},
                      eval("return 1")};
    sequence[1].commands = {{"PERSIST", "k"}};
    return sequence;
  };
  const auto result = run(options);
  REQUIRE(result.finding);
}

TEST_CASE("scripts that kill redis-server are kept and left out, and the campaign goes on") {
  ScriptCampaignOptions options;
  options.scripts = 4;
  options.write = [](std::uint64_t) {
    return Sequence{eval("return 1"), eval("error({'a'})"), eval("redis.call('SET', 'k', 'v')"),
                    eval("return error({ok = 'a'})"), eval("return redis.call('GET', 'k')")};
  };
  const auto result = run(options);
  CHECK_FALSE(result.finding);
  REQUIRE(result.killers.size() == 4);  // Two in each of two episodes of three.
  CHECK(result.killers[0].commands[0][1] == "error({'a'})");
  CHECK(result.killers[1].commands[0][1] == "return error({ok = 'a'})");
  CHECK(result.scripts == 6);
}

TEST_CASE("scripts without an end on both servers are kept and left out") {
  ScriptCampaignOptions options;
  options.scripts = 2;
  options.write = [](std::uint64_t) {
    return Sequence{eval("return 1"), eval("local function f() return f() end f()"),
                    eval("redis.call('SET', 'k', 'v')")};
  };
  const auto result = run(options);
  CHECK_FALSE(result.finding);
  REQUIRE(result.endless.size() == 1);
  CHECK(result.scripts == 2);
}

}  // namespace picklock::test
