#include "emulator/engine/config.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace picklock {
namespace {

/// What CONFIG SET would keep for `value`, or the error it would report.
std::string set(std::string_view name, std::string value) {
  const auto error = Config::normalize(*find_setting(name), value);
  return error ? *error : value;
}

TEST_CASE("settings are sorted by name, so that each is found") {
  std::string_view last;
  for (const Setting& setting : settings()) {
    CHECK(last < setting.name);
    CHECK(find_setting(setting.name) == &setting);
    last = setting.name;
  }
  CHECK(find_setting("no-such-setting") == nullptr);
}

TEST_CASE("every alias stands for a setting, and shares its value") {
  for (const Setting& setting : settings()) {
    if (setting.kind != Setting::Kind::alias) continue;
    REQUIRE(find_setting(setting.value));
    Config config;
    config.put(setting.name, "changed");
    CHECK(config.get(setting.value) == "changed");
    CHECK(config.get(setting.name) == "changed");
  }
}

TEST_CASE("values are brought to the form that CONFIG GET shows") {
  CHECK(set("maxmemory", "1kb") == "1024");
  CHECK(set("maxmemory", "1K") == "1000");
  CHECK(set("maxmemory", "2Gb") == "2147483648");
  CHECK(set("appendonly", "YES") == "yes");
  CHECK(set("maxmemory-policy", "AllKeys-LRU") == "allkeys-lru");
  CHECK(set("timeout", "3") == "3");
  CHECK(set("save", "10 4294967297 \t20 2147483648") == "10 1 20 -2147483648");  // Redis: int.
  CHECK(set("hz", "1000") == "500");
  CHECK(set("hz", "0") == "1");
}

TEST_CASE("values that do not fit are refused in Redis's words") {
  CHECK(set("timeout", "abc") == "argument couldn't be parsed into an integer");
  CHECK(set("timeout", "-1") == "argument must be between 0 and 2147483647 inclusive");
  CHECK(set("maxmemory", "1x") == "argument must be a memory value");
  CHECK(set("maxmemory", "") == "0");  // Redis takes an empty size for nothing.
  CHECK(set("appendonly", "maybe") == "argument must be 'yes' or 'no'");
  CHECK(set("databases", "3") == "can't set immutable config");
  CHECK(set("dir", "/tmp") == "can't set protected config");
  CHECK(set("appendfsync", "x") ==
        "argument(s) must be one of the following: everysec, always, no");
}

TEST_CASE("the bulk limit is at hand") {
  Config config;
  CHECK(config.max_bulk_bytes() == 536870912);
  config.put("proto-max-bulk-len", "1048576");
  CHECK(config.max_bulk_bytes() == 1048576);
}

}  // namespace
}  // namespace picklock
