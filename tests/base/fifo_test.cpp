// The queue that keeps its memory: as a std::deque would do it.
#include "emulator/base/fifo.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

using picklock::Fifo;
using picklock::find_numbered;
using picklock::Random;

TEST_CASE("a queue that keeps its memory holds what a deque holds") {
  Random random{7};
  Fifo<std::string> queue;
  std::deque<std::string> other;
  std::size_t most = 0;
  for (int step = 0; step < 20'000; ++step) {
    const bool fills = step / 1000 % 2 == 0;  // It is filled and emptied in turn.
    if (random.below(10) < (fills ? 6u : 4u) || other.empty()) {
      queue.emplace_back(std::to_string(step));
      other.push_back(std::to_string(step));
      CHECK(queue.back() == other.back());
    } else if (random.below(4) > 0) {
      CHECK(queue.front() == other.front());
      queue.pop_front();
      other.pop_front();
    } else {
      const auto place = static_cast<std::ptrdiff_t>(random.below(other.size()));
      queue.erase(queue.begin() + place);
      other.erase(other.begin() + place);
    }
    most = std::max(most, other.size());
    REQUIRE(queue.size() == other.size());
    REQUIRE(queue.empty() == other.empty());
    REQUIRE(std::equal(queue.begin(), queue.end(), other.begin(), other.end()));
  }
  CHECK(most > 100);
  const Fifo<std::string> copy = queue;
  CHECK(std::equal(copy.begin(), copy.end(), other.begin(), other.end()));
  queue.clear();
  CHECK(queue.empty());
  queue.push_back("x");
  CHECK(queue.front() == "x");
}

TEST_CASE("a queue that keeps its memory gives back that of many") {
  Fifo<int> queue;
  for (const int many : {10, 10'000}) {
    for (int i = 0; i < many; ++i) queue.push_back(i);
    while (!queue.empty()) queue.pop_front();
    CHECK((queue.begin() == nullptr) == (many == 10'000));
  }
}

TEST_CASE("a queue that keeps its memory is empty once it was moved from") {
  Fifo<int> queue;
  for (int i = 0; i < 3; ++i) queue.push_back(i);
  queue.pop_front();
  Fifo<int> moved = std::move(queue);
  CHECK(queue.empty());
  CHECK(moved.size() == 2);
  CHECK(moved.front() == 1);
  queue.push_back(7);
  CHECK(queue.front() == 7);
  queue = std::move(moved);
  CHECK(moved.empty());
  CHECK(queue.front() == 1);
  CHECK(queue.size() == 2);
}

TEST_CASE("a queue that keeps its memory lets go of what was taken out") {
  Fifo<std::shared_ptr<int>> queue;
  const auto shared = std::make_shared<int>(1);
  for (int i = 0; i < 3; ++i) queue.push_back(shared);
  CHECK(shared.use_count() == 4);
  queue.pop_front();
  CHECK(shared.use_count() == 3);
  queue.erase(queue.begin() + 1);
  CHECK(shared.use_count() == 2);
  queue.pop_front();
  CHECK(shared.use_count() == 1);
}

TEST_CASE("a queue that is never empty takes no more memory than twice what it holds") {
  Fifo<int> queue;
  for (int i = 0; i < 10; ++i) queue.push_back(i);
  std::set<const int*> places;
  for (int i = 10; i < 10'000; ++i) {
    queue.push_back(i);
    CHECK(queue.front() == i - 10);
    queue.pop_front();
    if (i > 100) places.insert(queue.begin());
  }
  CHECK(places.size() < 40);
}

TEST_CASE("a numbered element is found wherever it stands") {
  Fifo<std::pair<std::uint64_t, std::string>> queue;
  CHECK(find_numbered(queue, std::uint64_t{3}) == nullptr);
  for (const std::uint64_t number : {2u, 3u, 5u, 8u}) queue.emplace_back(number, "of its own");
  queue.pop_front();
  for (std::uint64_t number = 0; number < 10; ++number) {
    const auto* const found = find_numbered(queue, number);
    const bool is_there = number == 3 || number == 5 || number == 8;
    REQUIRE((found != nullptr) == is_there);
    if (is_there) CHECK(found->first == number);
  }
}
