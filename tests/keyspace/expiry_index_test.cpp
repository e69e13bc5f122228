#include "emulator/keyspace/expiry_index.hpp"

#include <set>
#include <utility>
#include <vector>

#include "emulator/base/random.hpp"
#include "emulator/keyspace/database.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

TEST_CASE("an expiry index gives its items in order, across all its blocks") {
  Random random{3};
  ExpiryIndex index;
  std::multiset<ExpiryIndex::Item> model;
  for (int step = 0; step < 60'000; ++step) {
    if (model.empty() || random.below(step < 40'000 ? 4 : 2) > 0) {
      const ExpiryIndex::Item item{static_cast<std::int64_t>(random.below(9000)), random.below(9)};
      index.add(item);
      model.insert(item);
    } else {
      index.drop_first();
      model.erase(model.begin());
    }
    REQUIRE(index.size() == model.size());
    if (!model.empty()) REQUIRE(index.first() == *model.begin());
  }
  CHECK(model.size() > 10'000);
  for (; !model.empty(); model.erase(model.begin()), index.drop_first())
    REQUIRE(index.first() == *model.begin());
  CHECK(index.empty());
}

TEST_CASE("a sweep of an expiry index drops what is stale, and repetitions") {
  ExpiryIndex index;
  for (std::uint64_t i = 0; i < 100; ++i) index.add({static_cast<std::int64_t>(i % 10), i % 20});
  index.sweep([](const ExpiryIndex::Item& item) { return item.sequence >= 10; });
  CHECK(index.size() == 10);
  CHECK(index.first() == ExpiryIndex::Item{0, 0});
}

TEST_CASE("a renewed expiry index has what was named and what was added meanwhile") {
  ExpiryIndex index;
  for (std::uint64_t i = 0; i < 50; ++i) index.add({5, i});
  index.renew([](std::uint64_t from, auto&& take) {
    CHECK(from == 1);
    take({7, 1});
    return std::uint64_t{30};
  });
  CHECK(index.is_renewing());
  CHECK(index.size() == 50);
  index.add({6, 60});
  index.renew([](std::uint64_t from, auto&&) {
    CHECK(from == 30);
    return std::uint64_t{0};
  });
  CHECK_FALSE(index.is_renewing());
  REQUIRE(index.size() == 2);
  CHECK(index.first() == ExpiryIndex::Item{6, 60});
  index.drop_first();
  CHECK(index.first() == ExpiryIndex::Item{7, 1});
}

TEST_CASE("the deadlines of many keys stay few and right, however often they change") {
  constexpr int kKeys = 6000;
  Random random{9};
  Database database;
  std::vector<std::int64_t> deadlines(kKeys, 0);
  const auto key = [](int i) { return "key:" + std::to_string(i); };
  for (int i = 0; i < kKeys; ++i) database.put(key(i), StringValue{});
  std::size_t most = 0;
  for (int step = 0; step < 100'000; ++step) {
    const int i = static_cast<int>(random.below(kKeys));
    // Often one that it has had before, with none or another one in between.
    deadlines[static_cast<std::size_t>(i)] = 1000 + static_cast<std::int64_t>(random.below(2)) + i;
    if (random.below(2) == 0) database.set_deadline(key(i), kNoDeadline);
    database.set_deadline(key(i), deadlines[static_cast<std::size_t>(i)]);
    most = std::max(most, database.expiry_items());
  }
  CHECK(most < 3 * kKeys);
  std::size_t wrong = 0;
  for (int i = 0; i < kKeys; ++i)
    if (deadlines[static_cast<std::size_t>(i)] == 0) database.erase(key(i));
  std::int64_t before = 0;
  while (const auto first = database.first_deadline()) {
    wrong += *first < before;
    before = *first;
    const std::size_t size = database.size();
    REQUIRE(database.expire_one(*first + 1));
    wrong += database.size() != size - 1;
  }
  CHECK(wrong == 0);
  CHECK(database.size() == 0);
}

}  // namespace
}  // namespace picklock
