// Long random histories of a Dict beside a model that is too simple to be wrong.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "emulator/base/random.hpp"
#include "emulator/keyspace/dict.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

std::string name_of(std::uint64_t number) {
  // Some stand in the entry itself, others in a block of their own.
  return (number % 3 == 0 ? "a key with a longer name:" : "key:") + std::to_string(number);
}

struct Model {
  struct Row {
    std::uint64_t number;
    int value;
    std::uint64_t sequence;
  };
  std::vector<Row> rows;  // In order of insertion.
  std::uint64_t last_sequence = 0;

  auto find(std::uint64_t number) { return std::ranges::find(rows, number, &Row::number); }
  auto first_from(std::uint64_t sequence) const {
    return std::ranges::lower_bound(rows, sequence, {}, &Row::sequence);
  }
};

class History {
 public:
  explicit History(std::uint64_t seed) : random_(seed) {}

  void run(int phases) {
    for (int phase = 0; phase < phases; ++phase) {
      const auto most = std::uint64_t{1} << (4 + random_.below(9));  // 16 to 4096 keys at a time.
      const auto steps = random_.below(2 * most);
      const std::uint64_t inserts = 1 + random_.below(9);  // Of ten.
      const auto way = random_.below(3);
      for (std::uint64_t step = 0; step < steps; ++step)
        random_.below(10) < inserts ? insert(random_.below(3 * most)) : erase(way);
      as_a_whole();
      check();
    }
  }

 private:
  void insert(std::uint64_t number) {
    const auto [entry, made] = dict_.insert(name_of(number));
    const auto found = model_.find(number);
    REQUIRE(made == (found == model_.rows.end()));
    entry->value = ++values_;
    if (made)
      model_.rows.push_back({number, values_, ++model_.last_sequence});
    else
      found->value = values_;
    REQUIRE(entry->key == name_of(number));
  }

  void erase(std::uint64_t way) {
    if (model_.rows.empty()) return;
    const std::size_t count = model_.rows.size();
    const auto at = static_cast<std::ptrdiff_t>(
        way == 0   ? 0  // The oldest ones.
        : way == 1 ? count - 1 - random_.below(std::min(count, std::size_t{9}))
                   : random_.below(count));
    const auto row = model_.rows.begin() + at;
    REQUIRE(dict_.erase(name_of(row->number)));
    REQUIRE_FALSE(dict_.erase(name_of(row->number)));
    model_.rows.erase(row);
  }

  // What happens to all entries at once, now and then.
  void as_a_whole() {
    switch (random_.below(12)) {
      case 0:
        dict_.clear();
        model_.rows.clear();
        break;
      case 1: {
        Dict<int> taken = dict_.take_entries();
        while (taken.wear_down(100)) {
        }
        model_.rows.clear();
        break;
      }
      case 2:
        dict_ = Dict<int>{dict_};
        break;
      case 3: {
        Dict<int> moved{std::move(dict_)};
        dict_ = std::move(moved);
        break;
      }
      default:
        other_ = dict_;  // In some state of its own before.
        std::swap(other_, dict_);
        other_is_equal_ = true;
        return;
    }
    other_is_equal_ = false;
  }

  void check() {
    REQUIRE(dict_.size() == model_.rows.size());
    auto row = model_.rows.begin();
    dict_.for_each([&](const auto& entry) {
      if (entry.key == name_of(row->number) && entry.value == row->value &&
          entry.sequence == row->sequence && dict_.find_entry(entry.key) == &entry)
        ++row;
    });
    REQUIRE(row == model_.rows.end());
    for (int i = 0; i < 300; ++i) check_sequence(random_.below(model_.last_sequence + 2));
    for (int i = 0; i < 100 && !model_.rows.empty(); ++i) check_pick();
    REQUIRE_FALSE(dict_.find("never inserted"));
    std::size_t sampled = 0;
    dict_.sample(32, [&](const auto& entry) {
      sampled += dict_.find_entry(entry.key) == &entry ? 1 : 1000;
    });
    REQUIRE(sampled <= 64);
  }

  void check_sequence(std::uint64_t sequence) {
    const auto row = model_.first_from(sequence);
    const auto* first = dict_.first_from(sequence);
    REQUIRE((first != nullptr) == (row != model_.rows.end()));
    const auto* exact = dict_.find_sequence(sequence);
    REQUIRE((!first || first->sequence == row->sequence));
    REQUIRE(exact == (first && row->sequence == sequence ? first : nullptr));
  }

  void check_pick() {
    Random again = random_;
    const auto* picked = dict_.pick([this](std::uint64_t bound) { return random_.below(bound); });
    REQUIRE(picked);
    REQUIRE(dict_.find_sequence(picked->sequence) == picked);
    if (!other_is_equal_) return;
    const auto* same = other_.pick([&](std::uint64_t bound) { return again.below(bound); });
    REQUIRE(same->key == picked->key);
  }

  Dict<int> dict_;
  Dict<int> other_;
  bool other_is_equal_ = false;
  Model model_;
  Random random_;
  int values_ = 0;
};

TEST_CASE("a dict agrees with a list of pairs through long random histories") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) History{seed}.run(40);
}

/// A dict of ever new keys, and what should be in it.
struct Stream {
  Random random{7};
  Dict<int> dict;
  std::map<std::uint64_t, int> by_sequence;
  int last = 0;

  void insert(std::uint64_t count) {
    for (; count > 0; --count) {
      auto& entry = *dict.insert(name_of(static_cast<std::uint64_t>(++last))).first;
      entry.value = last;
      by_sequence[entry.sequence] = last;
    }
  }
  void erase(std::map<std::uint64_t, int>::iterator row) {
    REQUIRE(dict.erase(name_of(static_cast<std::uint64_t>(row->second))));
    by_sequence.erase(row);
  }
  /// Until so many are left.
  void erase_any(std::size_t left) {
    while (by_sequence.size() > left) {
      auto row = by_sequence.lower_bound(random.below(static_cast<std::uint64_t>(last)));
      erase(row == by_sequence.end() ? by_sequence.begin() : row);
    }
  }
  void check() {
    auto row = by_sequence.begin();
    std::size_t right = 0;
    dict.for_each([&](const auto& entry) {
      right += entry.sequence == row->first && entry.value == row->second &&
               dict.find_sequence(entry.sequence) == &entry;
      ++row;
    });
    REQUIRE(right == by_sequence.size());
    REQUIRE(dict.size() == by_sequence.size());
  }
};

TEST_CASE("a dict that is erased from while it squeezes holes out stays in order") {
  Stream stream;
  stream.insert(20'000);
  for (int round = 0; round < 60; ++round) {
    stream.erase_any(4000);
    // So that each round stops somewhere else within the squeezing.
    stream.insert(300 + stream.random.below(3000));
    stream.check();
  }
}

TEST_CASE("a dict whose squeezed entries go while it squeezes the others stays in order") {
  Stream stream;
  for (int round = 0; round < 200; ++round) {
    if (stream.dict.size() < 6000) {
      stream.insert(30'000);
      stream.erase_any(9000);
    }
    stream.insert(stream.random.below(400));
    for (auto left = stream.random.below(1500); left > 0; --left)
      stream.erase(stream.by_sequence.begin());
    stream.check();
  }
}

TEST_CASE("every entry of a dict is as likely to be picked, holes or not") {
  for (const int keep : {1, 3, 20}) {  // Every so manyth key stays.
    Random random{5};
    Dict<int> dict;
    for (int i = 0; i < 6000; ++i) dict.insert(name_of(static_cast<std::uint64_t>(i)));
    for (int i = 0; i < 6000; ++i)
      if (i % keep != 0) dict.erase(name_of(static_cast<std::uint64_t>(i)));
    const int draws = 100 * static_cast<int>(dict.size());
    for (int i = 0; i < draws; ++i) {
      const auto* entry = dict.pick([&](std::uint64_t bound) { return random.below(bound); });
      ++const_cast<int&>(entry->value);
    }
    int fewest = draws;
    int most = 0;
    dict.for_each([&](const auto& entry) {
      fewest = std::min(fewest, entry.value);
      most = std::max(most, entry.value);
    });
    CHECK(fewest > 50);
    CHECK(most < 160);
  }
}

}  // namespace
}  // namespace picklock
