#include "emulator/keyspace/sorted_set.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

TEST_CASE("members are ordered by score, those of one score by their bytes") {
  SortedSet zset;
  zset.set("b", 1);
  zset.set("a", 1);
  zset.set("\xff", 1);
  zset.set("z", -5);
  zset.set("B", 1);
  std::string order;
  for (std::size_t i = 0; i < zset.size(); ++i) order += zset.at(i).member;
  CHECK(order == "zBab\xff");
}

TEST_CASE("a member that gets another score moves") {
  SortedSet zset;
  zset.set("a", 1);
  zset.set("b", 2);
  zset.set("a", 3);
  CHECK(zset.size() == 2);
  CHECK(zset.rank("a") == 1);
  CHECK(zset.at(0).member == "b");
  CHECK_FALSE(zset.rank("c").has_value());
}

TEST_CASE("a sorted set agrees with std::set over 50,000 random operations") {
  SortedSet zset;
  std::map<std::string, double> scores;
  std::set<std::pair<double, std::string>> order;
  Random random{7};
  for (int step = 0; step < 50'000; ++step) {
    const std::string member = std::to_string(random.below(2000));
    const auto old = scores.find(member);
    if (old != scores.end()) order.erase({old->second, member});
    if (random.below(3) == 0) {
      CHECK(zset.erase(member) == (old != scores.end()));
      scores.erase(member);
    } else {
      const auto score = static_cast<double>(random.below(100));
      zset.set(member, score);
      scores[member] = score;
      order.insert({score, member});
    }
    REQUIRE(zset.size() == order.size());
  }
  std::size_t rank = 0;
  for (const auto& [score, member] : order) {
    REQUIRE(zset.at(rank).member == member);
    REQUIRE(zset.at(rank).score == score);
    REQUIRE(zset.rank(member) == rank);
    ++rank;
  }
}

TEST_CASE("a copy of a sorted set does not see later changes") {
  SortedSet zset;
  zset.set("a", 1);
  const SortedSet copy = zset;
  zset.set("b", 0);
  zset.erase("a");
  CHECK(copy.size() == 1);
  CHECK(copy.at(0).member == "a");
  CHECK(zset.at(0).member == "b");
}

TEST_CASE("a sorted set leaves the compact encoding where Redis does, and does not return") {
  SortedSet zset;
  for (int i = 0; i < 128; ++i) zset.set(std::to_string(i), i);
  CHECK(zset.compact());
  zset.set("one more", 1);
  CHECK_FALSE(zset.compact());
  zset.erase("one more");
  CHECK_FALSE(zset.compact());

  SortedSet long_member;
  long_member.set(std::string(64, 'x'), 1);
  CHECK(long_member.compact());
  long_member.set(std::string(65, 'x'), 1);
  CHECK_FALSE(long_member.compact());
}

}  // namespace
}  // namespace picklock
