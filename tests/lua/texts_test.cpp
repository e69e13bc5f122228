// Texts that Lua has as strings already are found again, and never others.
#include <string>
#include <vector>

#include "emulator/base/random.hpp"
#include "tests/lua/script_runner.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using lua::ScriptRunner;

namespace {

std::string as_reply(const std::string& text) {
  return "$" + std::to_string(text.size()) + " " + text;
}

}  // namespace

TEST_CASE("texts: a reply is what the command has replied, whatever was replied before") {
  const std::vector<std::string> texts{"",
                                       "a",
                                       "b",
                                       "ab",
                                       std::string("a\0b", 3),
                                       std::string("a\0c", 3),
                                       "owner:100",
                                       "owner:101",
                                       std::string(64, 'x'),
                                       std::string(65, 'x'),
                                       std::string(64, 'y'),
                                       std::string(300, 'z'),
                                       std::string(299, 'z') + "y"};
  Random random{7};
  const auto any = [&] { return texts[random.below(texts.size())]; };
  ScriptRunner run;
  for (int i = 0; i < 5'000; ++i) {
    const std::vector<std::string> words{any(), any(), any()};
    run.argv.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(random.below(4)));
    const std::string stored = any();
    const std::string other = any();
    run.host.data = {{"k1", stored}, {"k2", other}};
    const bool in_place = random.below(4) > 0;  // Other scripts get tables of their own.
    CHECK(run(in_place ? "return redis.call('get', KEYS[1])"
                       : "local t = KEYS return redis.call('get', t[1])") == as_reply(stored));
    const bool is_argument = !run.argv.empty() && run.argv[0] == stored;
    CHECK(run("return redis.call('get', KEYS[1]) == ARGV[1]") == (is_argument ? ":1" : "$-1"));
    CHECK(run("local one, two = redis.call('get', KEYS[1]), redis.call('get', 'k2') "
              "return {two, one, redis.call('get', KEYS[1])}") ==
          "*3 " + as_reply(other) + " " + as_reply(stored) + " " + as_reply(stored));
  }
}

TEST_CASE("texts: arguments are what they are, and more of them than are kept") {
  Random random{11};
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) {
    std::string text(random.below(70), 'a');  // Alike: many differ in one letter, or in size.
    if (!text.empty()) text[random.below(text.size())] = static_cast<char>(random.below(3));
    texts.push_back(text);
  }
  ScriptRunner run;
  for (int i = 0; i < 5'000; ++i) {
    run.argv.clear();
    std::string all;
    for (std::uint64_t left = random.below(4) + 1; left > 0; --left) {
      const std::string& text = texts[random.below(texts.size())];
      run.argv.push_back(text);
      all += " " + as_reply(text);
    }
    const std::string stored = texts[random.below(texts.size())];
    run.host.data["k1"] = stored;
    REQUIRE(run("local t = {redis.call('get', KEYS[1])} for i = 1, #ARGV do t[i + 1] = ARGV[i] end "
                "return t") ==
            "*" + std::to_string(run.argv.size() + 1) + " " + as_reply(stored) + all);
  }
}

TEST_CASE("texts: a reply in a coroutine, and what a container has") {
  ScriptRunner run;
  run.argv = {"a1", "hi"};
  run.host.data["k1"] = "a1";
  const std::string in_coroutine =
      "local get = coroutine.wrap(function() coroutine.yield(redis.call('get', KEYS[1])) "
      "return redis.call('get', KEYS[1]) end) return {get(), get(), ARGV[2]}";
  CHECK(run(in_coroutine) == "*3 $2 a1 $2 a1 $2 hi");
  run.host.data["k1"] = "none";
  CHECK(run(in_coroutine) == "*3 $4 none $4 none $2 hi");
  CHECK(run("local kinds = redis.call('kinds') return {kinds[1][1], ARGV[1]}") == "*2 $1 k $2 a1");
}

TEST_CASE("texts: what is kept of a reply shows in no memory that a script sees") {
  const auto look = [](ScriptRunner& run) {
    return run(
        "local made = string.rep('x', 64) local shown = collectgarbage('count') made = nil "
        "redis.call('get', KEYS[1]) redis.call('del', 'no', 'no') collectgarbage() return "
        "{tostring(shown), "
        "tostring(collectgarbage('count'))}");
  };
  ScriptRunner run;
  run.host.data["k1"] = std::string(64, 'x');
  look(run);  // The first script of all makes more garbage.
  const std::string first = look(run);
  CHECK(run("return redis.call('get', KEYS[1])") == as_reply(run.host.data["k1"]));
  CHECK(look(run) == first);
  run.host.data["k1"] = "short";
  CHECK(look(run) == first);  // What it was replied is garbage in the end.
}
