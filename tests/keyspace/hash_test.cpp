#include "emulator/keyspace/hash.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

/// The fields in order of insertion, found by looking at all.
using Model = std::vector<std::pair<std::string, std::string>>;

Model::iterator find(Model& model, const std::string& field) {
  return std::ranges::find(model, field, &Model::value_type::first);
}

Model contents(const HashValue& hash) {
  Model all;
  hash.for_each(
      [&](std::string_view field, std::string_view value) { all.emplace_back(field, value); });
  return all;
}

/// A word that is often one that was drawn before: empty, with NULs, or around the longest that a
/// row takes.
std::string word(Random& random) {
  switch (random.below(16)) {
    case 0:
      return {};
    case 1:
      return std::string(random.below(3), '\0') + "x";
    case 2:
      return std::string(PackedFields::kLongest - 1 + random.below(2), 'y');
    default:
      return "field" + std::to_string(random.below(150));
  }
}

void agree(const HashValue& hash, Model& model) {
  REQUIRE(hash.size() == model.size());
  REQUIRE(hash.empty() == model.empty());
  REQUIRE(contents(hash) == model);
  for (const auto& [field, value] : model) REQUIRE(hash.find(field) == value);
}

/// A random history with fields as many and values as long as told; whether the hash left the row
/// where it must, and not before.
void play(std::uint64_t seed, std::size_t most_fields, std::size_t longest_value) {
  HashValue hash;
  Model model;
  Random random{seed};
  bool left = false;
  for (int step = 0; step < 3'000; ++step) {
    const std::string field = word(random);
    const auto old = find(model, field);
    if (random.below(6) == 0 || (old == model.end() && model.size() == most_fields)) {
      REQUIRE(hash.erase(field) == (old != model.end()));
      if (old != model.end()) model.erase(old);
    } else {
      const std::string value(random.below(longest_value + 1), static_cast<char>(step));
      left |= value.size() > PackedFields::kLongest ||
              (old == model.end() && model.size() == PackedFields::kMostFields);
      REQUIRE(hash.set(field, value) == (old == model.end()));
      if (old == model.end())
        model.emplace_back(field, value);
      else
        old->second = value;
    }
    REQUIRE(hash.has(field) == (find(model, field) != model.end()));
    REQUIRE((hash.dict() != nullptr) == left);
    if (step % 64 == 0) agree(hash, model);
  }
  agree(hash, model);
}

TEST_CASE("a hash agrees with a list of fields over random histories") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    INFO("seed " << seed);
    play(seed, 10, 8);
    play(seed, PackedFields::kMostFields, PackedFields::kLongest);
    play(seed, PackedFields::kMostFields + 2, PackedFields::kLongest);
    play(seed, 40, PackedFields::kLongest + 1);
    play(seed, 40, 1'000);
  }
}

TEST_CASE("hashes that are copied, assigned and moved over random histories agree with models") {
  std::array<HashValue, 3> hashes;
  std::array<Model, 3> models;
  Random random{11};
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t to = random.below(3);
    const std::size_t from = random.below(3);
    const std::string field = word(random);
    const std::string value(random.below(70), 'v');
    switch (random.below(12)) {
      case 0:
        hashes[to] = hashes[from];
        models[to] = models[from];
        break;
      case 1:
        hashes[to] = HashValue{hashes[from]};
        models[to] = models[from];
        break;
      case 2:
        std::swap(hashes[to], hashes[from]);
        std::swap(models[to], models[from]);
        break;
      case 3:
        hashes[to] = HashValue{};
        models[to].clear();
        break;
      case 4:
        if (random.below(20) == 0) hashes[to].use_dict();
        break;
      case 5:
        hashes[to].erase(field);
        std::erase_if(models[to], [&](const auto& pair) { return pair.first == field; });
        break;
      default:
        hashes[to].set(field, value);
        if (const auto old = find(models[to], field); old != models[to].end())
          old->second = value;
        else
          models[to].emplace_back(field, value);
    }
    REQUIRE(contents(hashes[to]) == models[to]);
    REQUIRE(contents(hashes[from]) == models[from]);
  }
}

TEST_CASE("a moved-from hash is empty and may be used") {
  HashValue hash;
  hash.set("a", "1");
  HashValue other = std::move(hash);
  CHECK(other.find("a") == "1");
  CHECK(hash.empty());
  hash.set("b", "2");
  CHECK(contents(hash) == Model{{"b", "2"}});
}

TEST_CASE("any field of a hash may be picked, in both of its forms") {
  for (const bool large : {false, true}) {
    HashValue hash;
    for (const char* field : {"a", "bb", "", "d"}) hash.set(field, std::string{field} + "!");
    if (large) hash.use_dict();
    std::string all;
    for (std::uint64_t draw = 0; draw < 4; ++draw) {
      const HashField field = hash.pick([&](std::uint64_t bound) {
        REQUIRE(bound == 4);
        return draw;
      });
      all += std::string{field.name} + "=" + std::string{field.value} + " ";
    }
    CHECK(all == "a=a! bb=bb! =! d=d! ");
  }
}

TEST_CASE("a few fields of a hash lie evenly spread, in both of its forms") {
  for (const bool large : {false, true}) {
    HashValue hash;
    for (int i = 0; i < 100; ++i) hash.set(std::to_string(i), "v");
    if (large) hash.use_dict();
    std::string seen;
    hash.sample(
        4, [&](std::string_view field, std::string_view) { seen += std::string{field} + " "; });
    CHECK(seen == "0 25 50 75 ");
  }
}

TEST_CASE("fields with deadlines keep their values, their order and their deadlines") {
  HashValue hash;
  for (const char* field : {"a", "b", "c"}) hash.set(field, field);
  hash.set_deadline("missing", 5);
  CHECK_FALSE(hash.ever_had_deadlines());
  hash.set_deadline("b", 10);
  hash.set_deadline("c", 20);
  CHECK(contents(hash) == Model{{"a", "a"}, {"b", "b"}, {"c", "c"}});
  HashValue copy;
  copy.set_deadline("b", 1);
  copy = hash;
  CHECK(hash.drop_expired(11) == 1);
  CHECK(contents(hash) == Model{{"a", "a"}, {"c", "c"}});
  CHECK(hash.first_deadline() == 20);
  CHECK(copy.deadline_of("b") == 10);
  CHECK(copy.deadlines() == 2);
  hash.set_deadline("c", kNoDeadline);
  CHECK_FALSE(hash.has_deadlines());
  CHECK(hash.ever_had_deadlines());
}

}  // namespace
}  // namespace picklock
