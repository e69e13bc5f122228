#include "emulator/engine/script_cache.hpp"

#include <fstream>

#include <picklock/emulator.hpp>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace picklock::replies;

const Profile& newer() { return *find_profile("redis-8.4"); }

TEST_CASE("of scripts that came by EVAL the one used longest ago is forgotten") {
  ScriptCache cache;
  for (std::size_t i = 0; i < ScriptCache::kMaxEvaluatedNewer; ++i)
    cache.evaluate("eval" + std::to_string(i), "body", newer());
  cache.load("loaded", "body");
  cache.use("eval0");
  cache.evaluate("one more", "body", newer());
  CHECK(cache.find("eval0"));
  CHECK_FALSE(cache.find("eval1"));
  CHECK(cache.find("eval2"));
  CHECK(cache.find("loaded"));
  CHECK(cache.size() == ScriptCache::kMaxEvaluatedNewer + 1);
}

TEST_CASE("under the profile of Redis 7.0 the bound is far away, but there is one") {
  ScriptCache cache;
  for (std::size_t i = 0; i < ScriptCache::kMaxEvaluated; ++i)
    cache.evaluate("eval" + std::to_string(i), "body", kDefaultProfile);
  CHECK(cache.find("eval0"));
  cache.evaluate("one more", "body", kDefaultProfile);
  CHECK_FALSE(cache.find("eval0"));
  CHECK(cache.size() == ScriptCache::kMaxEvaluated);
}

TEST_CASE("a script in use stays also under the profile of Redis 7.0") {
  ScriptCache cache;
  const auto use = [&](const char* sha1) {
    if (!cache.may_skip_use(sha1, kDefaultProfile)) cache.use(sha1);
  };
  cache.evaluate("used", "body", kDefaultProfile);
  cache.evaluate("idle", "body", kDefaultProfile);
  for (std::size_t i = 0; i < ScriptCache::kMaxEvaluated; ++i) {
    use("used");
    cache.evaluate("eval" + std::to_string(i), "body", kDefaultProfile);
  }
  CHECK(cache.find("used"));
  CHECK_FALSE(cache.find("idle"));
}

TEST_CASE("a script that was loaded after EVAL stays") {
  ScriptCache cache;
  cache.evaluate("kept", "body", newer());
  cache.load("kept", "body");
  for (std::size_t i = 0; i < 2 * ScriptCache::kMaxEvaluatedNewer; ++i)
    cache.evaluate("eval" + std::to_string(i), "body", newer());
  CHECK(cache.find("kept"));
}

TEST_CASE("large scripts are forgotten before their texts take more than the bound") {
  ScriptCache cache;
  const std::string body(std::size_t{100} << 20, ' ');
  for (const char* sha1 : {"a", "b", "c"}) cache.evaluate(sha1, body, kDefaultProfile);
  CHECK_FALSE(cache.find("a"));
  CHECK(cache.find("b"));
  CHECK(cache.find("c"));
}

TEST_CASE("SCRIPT EXISTS knows all of many EVAL'd scripts under 7.0, the last 500 under newer ones") {
  const auto known = [](const char* profile) {
    Options options;
    options.profile = profile;
    Emulator redis{options};
    auto client = redis.connect();
    const auto sha1 = client.call("SCRIPT", "LOAD", "return 'loaded'");
    client.call("EVAL", "return 'first'", 0);
    for (int i = 0; i < 600; ++i) client.call("EVAL", "return " + std::to_string(i), 0);
    return client.call("SCRIPT", "EXISTS", sha1.text(), "f75e66f2c4d9b4b4b0d7a3b8f2b7c1d6a3b8f2b7",
                       client.call("SCRIPT", "LOAD", "return 599").text())
               .to_string() +
           (client.call("INFO", "memory").text().find("number_of_cached_scripts:501") !=
                    std::string::npos
                ? "501"
                : "all");
  };
  CHECK(known("redis-7.0").ends_with("all"));
  CHECK(known("redis-8.4").ends_with("501"));
}

TEST_CASE("a snapshot keeps the scripts that it had") {
  Emulator redis;
  auto client = redis.connect();
  const auto sha1 = client.call("SCRIPT", "LOAD", "return 1");
  const Snapshot before = redis.snapshot();
  client.call("SCRIPT", "FLUSH");
  client.call("EVAL", "return 2", 0);
  redis.restore(before);
  CHECK(client.call("EVALSHA", sha1.text(), 0) == 1);
  CHECK(client.call("EVALSHA", "7f923f79fe76194c868d7e1d0820de36700eb649", 0).is_error());
}

TEST_CASE("what scripts set in cjson lasts, is part of a snapshot, and ends with SCRIPT FLUSH") {
  Emulator redis;
  auto client = redis.connect();
  const Snapshot before = redis.snapshot();
  const char* third = "return cjson.encode(1/3)";
  client.call("EVAL", "cjson.encode_number_precision(3)", 0);
  CHECK(client.call("EVAL", third, 0) == "0.333");
  const Snapshot changed = redis.snapshot();
  redis.restore(before);
  CHECK(client.call("EVAL", third, 0) == "0.33333333333333");
  redis.restore(changed);
  CHECK(client.call("EVAL", third, 0) == "0.333");
  client.call("SCRIPT", "FLUSH");
  CHECK(client.call("EVAL", third, 0) == "0.33333333333333");
}

TEST_CASE("settings of cjson go back with a snapshot however a script came to them") {
  for (const char* script : {"_G['cj' .. 'son'].encode_number_precision(3)",
                             "loadstring('cj' .. 'son.encode_number_precision(3)')()",
                             "load(function() return nil end) cjson.encode_number_precision(3)"}) {
    Emulator redis;
    auto client = redis.connect();
    const char* third = "return cjson.encode(1/3)";
    CHECK(client.call("EVAL", third, 0) == "0.33333333333333");
    const Snapshot before = redis.snapshot();
    INFO(script);
    CHECK(!client.call("EVAL", script, 0).is_error());
    const Snapshot changed = redis.snapshot();
    redis.restore(before);
    CHECK(client.call("EVAL", third, 0) == "0.33333333333333");
    redis.restore(changed);
    CHECK(client.call("EVAL", third, 0) == "0.333");
  }
}

TEST_CASE("functions have settings of cjson of their own, which FUNCTION FLUSH leaves") {
  Emulator redis;
  auto client = redis.connect();
  const char* library =
      "#!lua name=lib\nredis.register_function('set', function() cjson.encode_number_precision(3) end)"
      "\nredis.register_function('third', function() return cjson.encode(1/3) end)";
  client.call("FUNCTION", "LOAD", library);
  client.call("FCALL", "set", 0);
  CHECK(client.call("EVAL", "return cjson.encode(1/3)", 0) == "0.33333333333333");
  client.call("FUNCTION", "FLUSH");
  client.call("FUNCTION", "LOAD", library);
  CHECK(client.call("FCALL", "third", 0) == "0.333");
}

std::size_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * 4096;
}

TEST_CASE("what a large script needed is given back when it has ended, and what lasts stays") {
  Emulator redis;
  auto client = redis.connect();
  client.call("EVAL", "math.randomseed(7) cjson.encode_number_precision(3)", 0);
  const auto sha1 = client.call("SCRIPT", "LOAD", "return {math.random(1000), cjson.encode(1/3)}");
  const Snapshot before = redis.snapshot();
  const Reply expected = client.call("EVALSHA", sha1.text(), 0);
  redis.restore(before);
  const std::size_t bytes = resident_bytes();
  client.call("EVAL", "local t = {} for i = 1, 2000000 do t[i] = {} end return #t", 0);
#ifdef __SANITIZE_ADDRESS__
  static_cast<void>(bytes);  // The sanitizer keeps what was freed in quarantine.
#else
  CHECK(resident_bytes() < bytes + (std::size_t{40} << 20));
#endif
  CHECK(client.call("EVALSHA", sha1.text(), 0) == expected);
}

// Half of them fill every bound; the other half must not take more.
TEST_CASE("ten million EVALs of distinct scripts do not grow without bound", "[.soak]") {
  Emulator redis;
  auto client = redis.connect();
  constexpr int kScripts = 10'000'000;
  std::size_t half = 0;
  for (int i = 0; i < kScripts; ++i) {
    if (i == kScripts / 2) half = resident_bytes();
    if (client.call("EVAL", "local t = {" + std::to_string(i) + "} return t[1]", 0) != i)
      FAIL("script " << i);
  }
  INFO(half << " bytes after half of them, " << resident_bytes() << " at the end");
  CHECK(resident_bytes() < half + (std::size_t{16} << 20));
}

}  // namespace
}  // namespace picklock
