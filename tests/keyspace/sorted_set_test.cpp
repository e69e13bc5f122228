#include "emulator/keyspace/sorted_set.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

TEST_CASE("a large sorted set is searched in few steps, in whatever order its members came") {
  constexpr std::size_t kMembers = 100'000;
  constexpr std::size_t kSteps = 80;  // In a list there would be thousands.
  const auto place = [](std::size_t i, int order) {
    if (order == 2) return static_cast<double>(i * 77'773 % kMembers);
    return static_cast<double>(order == 0 ? i : kMembers - i);
  };
  for (const int order : {0, 1, 2}) {
    CAPTURE(order);
    SortedSet zset;
    for (std::size_t i = 0; i < kMembers; ++i) zset.set(std::to_string(i), place(i, order));
    for (std::size_t i = 0; i < kMembers; i += 3) zset.erase(std::to_string(i));
    std::size_t most = 0;
    for (double score = 0; score < kMembers; score += 97) {
      std::size_t steps = 0;
      zset.count_while([&](const SortedSet::Item& item) { return ++steps, item.score < score; });
      most = std::max(most, steps);
    }
    CHECK(most < kSteps);
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

/// Scores of every kind that is kept in a way of its own.
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kScores[] = {0.0,
                              -0.0,
                              1,
                              -1,
                              127,
                              128,
                              -128,
                              -129,
                              32767,
                              40000,
                              -70000,
                              0.5,
                              -2.25,
                              1e300,
                              -1e300,
                              1e-320,
                              kInfinity,
                              -kInfinity,
                              9007199254740993.0,
                              36028797018963964,
                              36028797018963968,
                              -36028797018963968,
                              1099511627775,
                              -1099511627776};

/// The items in order, found by looking at all.
struct Model {
  std::vector<std::pair<double, std::string>> items;

  auto find(const std::string& member) {
    return std::ranges::find(items, member, &std::pair<double, std::string>::second);
  }
  void set(const std::string& member, double score) {
    if (const auto old = find(member); old != items.end()) {
      if (old->first == score) return;
      items.erase(old);
    }
    items.emplace_back(score, member);
    std::ranges::sort(items);
  }
};

/// A member that is often one that was drawn before: empty, with NULs, or long.
std::string member(Random& random, std::size_t most, std::size_t longest) {
  switch (random.below(16)) {
    case 0:
      return {};
    case 1:
      return std::string(random.below(3), '\0') + "x";
    case 2:
      return std::string(longest - random.below(2), 'y');
    default:
      return "member" + std::to_string(random.below(most));
  }
}

void agree(const SortedSet& zset, const Model& model) {
  REQUIRE(zset.size() == model.items.size());
  std::size_t rank = 0;
  zset.for_each([&](const SortedSet::Item& item) {
    const auto& [score, name] = model.items[rank];
    REQUIRE(item.member == name);
    REQUIRE(item.score == score);
    REQUIRE(std::signbit(item.score) == std::signbit(zset.at(rank).score));
    REQUIRE(zset.at(rank).member == name);
    REQUIRE(zset.rank(name) == rank);
    REQUIRE(zset.score(name) == score);
    ++rank;
  });
  REQUIRE(rank == model.items.size());
}

struct History {
  std::size_t most;     // Members.
  std::size_t longest;  // Bytes of a member.
  EncodingLimits limits;
};

void play(std::uint64_t seed, const History& history) {
  SortedSet zset;
  Model model;
  Random random{seed};
  bool compact = true;
  for (int step = 0; step < 2'000; ++step) {
    const std::string name = member(random, history.most, history.longest);
    const auto old = model.find(name);
    switch (random.below(32)) {
      case 0:
      case 1:
      case 2:
        REQUIRE(zset.erase(name) == (old != model.items.end()));
        if (old != model.items.end()) model.items.erase(old);
        break;
      case 3: {
        const std::size_t rank = random.below(model.items.size() + 1);
        const std::size_t count =
            random.below(std::min<std::size_t>(model.items.size() - rank, 5) + 1);
        const auto first = model.items.begin() + static_cast<std::ptrdiff_t>(rank);
        model.items.erase(first, first + static_cast<std::ptrdiff_t>(count));
        zset.erase(rank, count);
        break;
      }
      default: {
        const double score = kScores[random.below(std::size(kScores))];
        if (old == model.items.end())
          compact &=
              static_cast<std::int64_t>(model.items.size()) <
                  history.limits.zset_max_listpack_entries &&
              static_cast<std::int64_t>(name.size()) <= history.limits.zset_max_listpack_value;
        zset.set(name, score, history.limits);
        model.set(name, score);
      }
    }
    REQUIRE(zset.compact() == compact);
    REQUIRE(zset.score(name).has_value() == (model.find(name) != model.items.end()));
    const double bound = kScores[random.below(std::size(kScores))];
    const auto below = [&](const auto& item) { return item.score < bound; };
    const auto expected =
        std::ranges::count_if(model.items, [&](const auto& item) { return item.first < bound; });
    REQUIRE(zset.count_while(below) == static_cast<std::size_t>(expected));
    if (step % 16 == 0) agree(zset, model);
  }
  agree(zset, model);
}

TEST_CASE("a sorted set agrees with a sorted list over random histories and limits") {
  constexpr std::int64_t kHuge = 1'000'000;
  const History histories[] = {
      {10, 8, {}},
      {165, 64, {}},
      {100, 65, {}},
      {165, 512, {.zset_max_listpack_entries = kHuge, .zset_max_listpack_value = kHuge}},
      {200, 8, {.zset_max_listpack_entries = kHuge, .zset_max_listpack_value = kHuge}},
      {20, 8, {.zset_max_listpack_entries = 0}},
      {20, 8, {.zset_max_listpack_value = 0}},
      {20, 8, {.zset_max_listpack_entries = 5}},
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (const History& history : histories) {
      INFO("seed " << seed << ", members " << history.most << ", bytes " << history.longest);
      play(seed, history);
    }
}

TEST_CASE("a score is given back to its last bit, but -0 only by a large set") {
  SortedSet few;
  SortedSet many;
  many.leave_compact();
  for (const double score : kScores) {
    few.set("member", 0.25);
    few.set("member", score);
    CHECK(std::bit_cast<std::uint64_t>(*few.score("member")) ==
          std::bit_cast<std::uint64_t>(score == 0 ? 0.0 : score));
    many.set("member", 0.25);
    many.set("member", score);
    CHECK(std::bit_cast<std::uint64_t>(many.at(0).score) == std::bit_cast<std::uint64_t>(score));
  }
}

TEST_CASE("a part of a sorted set is what at() gives for each rank, in both of its forms") {
  for (const bool large : {false, true}) {
    SortedSet zset;
    for (int i = 0; i < 60; ++i) zset.set(std::to_string(i * 37 % 60), i / 2);
    if (large) zset.leave_compact();
    for (std::size_t first = 0; first <= 60; ++first)
      for (std::size_t count = 0; first + count <= 60; ++count) {
        const auto items = zset.items(first, count);
        REQUIRE(items.size() == count);
        for (std::size_t i = 0; i < count; ++i)
          REQUIRE(items[i].member == zset.at(first + i).member);
      }
  }
}

TEST_CASE("sorted sets that are copied, assigned and moved agree with models") {
  std::array<SortedSet, 3> sets;
  std::array<Model, 3> models;
  Random random{13};
  for (int step = 0; step < 8'000; ++step) {
    const std::size_t to = random.below(3);
    const std::size_t from = random.below(3);
    const std::string name = member(random, 140, 66);
    switch (random.below(10)) {
      case 0:
        sets[to] = sets[from];
        models[to] = models[from];
        break;
      case 1:
        std::swap(sets[to], sets[from]);
        std::swap(models[to], models[from]);
        break;
      case 2:
        if (random.below(10) == 0) sets[to] = SortedSet{}, models[to] = Model{};
        break;
      case 3:
        sets[to] = SortedSet{sets[from]};
        models[to] = models[from];
        break;
      default: {
        const auto score = static_cast<double>(random.below(100));
        sets[to].set(name, score);
        models[to].set(name, score);
      }
    }
    if (step % 8 != 0) continue;
    agree(sets[to], models[to]);
    agree(sets[from], models[from]);
  }
}

}  // namespace
}  // namespace picklock
