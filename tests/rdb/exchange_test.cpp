// Values move between a real server and the emulator, as DUMP payloads, in both directions.
#include "tests/rdb/generated_values.hpp"
#include "tests/rdb/pipeline.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

std::vector<Words> for_each_key(const std::vector<std::string>& keys, const Words& words) {
  std::vector<Words> requests;
  for (const std::string& key : keys) {
    Words request = words;
    request.push_back(key);
    requests.push_back(std::move(request));
  }
  return requests;
}

/// Both servers hold the same, to the byte.
void compare(Channel& one, Channel& other, const std::vector<std::string>& keys) {
  for (const Words& question : {Words{"DUMP"}, Words{"OBJECT", "ENCODING"}}) {
    const auto answers = pipeline(one, for_each_key(keys, question));
    const auto others = pipeline(other, for_each_key(keys, question));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      CHECK(answers[i].type() == Reply::Type::bulk);
      if (canonical_payload(answers[i].text()) != canonical_payload(others[i].text()))
        CHECK(keys[i] + quote(answers[i].text()) == keys[i] + quote(others[i].text()));
    }
  }
}

/// Builds values on `from`, moves them to `to`, and compares what both then hold.
void exchange(Channel& from, Channel& to, std::uint64_t seed, int how_many) {
  pipeline(from, {{"FLUSHALL"}});
  pipeline(to, {{"FLUSHALL"}});
  GeneratedValues values{seed};
  std::vector<std::string> keys;
  std::vector<Words> building;
  for (int i = 0; i < how_many; ++i) {
    keys.push_back("key:" + std::to_string(i));
    for (Words& words : values.commands(keys.back())) building.push_back(std::move(words));
  }
  pipeline(from, building);
  const auto dumps = pipeline(from, for_each_key(keys, {"DUMP"}));
  // What is read again may be kept more compactly; so it is for whom it came from.
  std::vector<Words> restoring;
  for (std::size_t i = 0; i < keys.size(); ++i)
    restoring.push_back({"RESTORE", keys[i], "0", std::string{dumps[i].text()}, "REPLACE"});
  const auto taken_back = pipeline(from, restoring);
  const auto restored = pipeline(to, restoring);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    INFO(keys[i] << " of seed " << seed << ", " << quote(dumps[i].text()));
    CHECK(restored[i] == replies::status("OK"));
    CHECK(taken_back[i] == restored[i]);
  }
  compare(from, to, keys);
}

void exchange_both_ways(int rounds, int values) {
  RealRedis real;
  EmulatorTarget emulator;
  const auto theirs = real.connect();
  const auto ours = emulator.connect();
  for (int round = 1; round <= rounds; ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    exchange(*theirs, *ours, seed, values);
    exchange(*ours, *theirs, seed + 1000, values);
  }
}

/// Built by the same commands, values are the same to the byte.
void build_on_both(int rounds, int how_many) {
  RealRedis real;
  EmulatorTarget emulator;
  const auto theirs = real.connect();
  const auto ours = emulator.connect();
  for (int round = 1; round <= rounds; ++round) {
    pipeline(*theirs, {{"FLUSHALL"}});
    pipeline(*ours, {{"FLUSHALL"}});
    GeneratedValues values{static_cast<std::uint64_t>(round) + 2000, /*timed=*/false};
    std::vector<std::string> keys;
    for (int i = 0; i < how_many; ++i) {
      keys.push_back("key:" + std::to_string(i));
      const auto commands = values.commands(keys.back());
      CHECK(pipeline(*theirs, commands) == pipeline(*ours, commands));
    }
    compare(*theirs, *ours, keys);
  }
}

/// An entry of a listpack ends with its length, in more bytes from these lengths on.
TEST_CASE("elements of any length are dumped as by a real server, and read") {
  RealRedis real;
  EmulatorTarget emulator;
  const auto theirs = real.connect();
  const auto ours = emulator.connect();
  std::vector<std::string> keys;
  std::vector<Words> building;
  for (const std::size_t about : {62, 126, 4094, 8189, 16381, 2'097'149})
    for (std::size_t size = about - 8; size < about + 4; ++size) {
      keys.push_back("list:" + std::to_string(size));
      building.push_back({"RPUSH", keys.back(), "before", std::string(size, 'x'), "behind"});
      keys.push_back("stream:" + std::to_string(size));
      building.push_back({"XADD", keys.back(), "1-1", "field", std::string(size, 'x')});
    }
  CHECK(pipeline(*theirs, building) == pipeline(*ours, building));
  compare(*theirs, *ours, keys);
  std::vector<Words> restoring;
  const auto dumps = pipeline(*theirs, for_each_key(keys, {"DUMP"}));
  for (std::size_t i = 0; i < keys.size(); ++i)
    restoring.push_back({"RESTORE", keys[i], "0", std::string{dumps[i].text()}, "REPLACE"});
  for (const Reply& reply : pipeline(*ours, restoring)) CHECK(reply == replies::status("OK"));
  compare(*theirs, *ours, keys);
}

TEST_CASE("values move between a real server and the emulator") { exchange_both_ways(2, 300); }
TEST_CASE("ten thousand values move between a real server and the emulator", "[.all]") {
  exchange_both_ways(10, 500);
}
TEST_CASE("values that were built alike are dumped alike") { build_on_both(1, 500); }
TEST_CASE("thousands of values that were built alike are dumped alike", "[.all]") {
  build_on_both(10, 500);
}

}  // namespace
}  // namespace picklock::test
