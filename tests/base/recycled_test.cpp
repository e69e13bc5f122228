// Memory that is used again: by whom, how much of it, and by no more than one at a time.
#include "emulator/base/recycled.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

using picklock::KeptBlocks;
using picklock::Recycled;

namespace {

// Kinds of their own, so that no test finds what another has left.
template <int>
struct Kind {
  std::array<std::uint64_t, 8> words{};
};
template <int N>
using Memory = Recycled<Kind<N>>;
constexpr std::size_t kKept = picklock::kIsWatched ? 0 : 1;

}  // namespace

TEST_CASE("freed memory of one object is handed out again, of its own kind only") {
  Memory<1> memory;
  Kind<1>* const first = memory.allocate(1);
  memory.deallocate(first, 1);
  CHECK(Memory<1>::kept() == kKept);
  Memory<2> others;
  Kind<2>* const other = others.allocate(1);
  CHECK(Memory<1>::kept() == kKept);
  Kind<1>* const second = memory.allocate(1);
  if (!picklock::kIsWatched) CHECK(second == first);
  CHECK(Memory<1>::kept() == 0);
  Kind<1>* const third = memory.allocate(1);
  CHECK(third != second);
  memory.deallocate(second, 1);
  memory.deallocate(third, 1);
  others.deallocate(other, 1);
}

TEST_CASE("of each kind a few blocks are kept, of rows of objects none") {
  Memory<3> memory;
  std::set<Kind<3>*> taken;
  for (std::size_t i = 0; i < 3 * KeptBlocks::kMost; ++i) taken.insert(memory.allocate(1));
  CHECK(taken.size() == 3 * KeptBlocks::kMost);
  for (Kind<3>* const one : taken) memory.deallocate(one, 1);
  CHECK(Memory<3>::kept() == kKept * KeptBlocks::kMost);
  for (std::size_t i = 0; i < KeptBlocks::kMost; ++i) memory.deallocate(memory.allocate(1), 1);
  CHECK(Memory<3>::kept() == kKept * KeptBlocks::kMost);
  Memory<4> rows;
  rows.deallocate(rows.allocate(2), 2);
  CHECK(Memory<4>::kept() == 0);
}

TEST_CASE("a thread keeps what it has freed, whoever took it, until it ends") {
  Memory<5> memory;
  Kind<5>* const taken = memory.allocate(1);
  std::thread{[&] {
    memory.deallocate(taken, 1);
    CHECK(Memory<5>::kept() == kKept);
  }}.join();  // Its block is freed: LeakSanitizer would say so otherwise.
  CHECK(Memory<5>::kept() == 0);
}

TEST_CASE("what a thread's last destructors free is not kept") {
  // Made before anything was kept, so destroyed after that.
  struct Late {
    Kind<6>* memory = nullptr;
    std::size_t* kept = nullptr;
    ~Late() {
      if (memory == nullptr) return;
      Memory<6>{}.deallocate(memory, 1);
      *kept = Memory<6>::kept();
    }
  };
  std::size_t kept = 1;
  std::thread{[&kept] {
    static thread_local Late late;
    late.kept = &kept;
    Memory<6> memory;
    late.memory = memory.allocate(1);
    memory.deallocate(memory.allocate(1), 1);
    CHECK(Memory<6>::kept() == kKept);
  }}.join();
  CHECK(kept == 0);
}

TEST_CASE("shared objects and the nodes of maps lie in such memory") {
  const auto shared = picklock::make_recycled<std::vector<int>>(3, 7);
  CHECK(*shared == std::vector<int>{7, 7, 7});
  std::map<int, int, std::less<>, Recycled<std::pair<const int, int>>> squares;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) squares.emplace(i, i * i);
    const auto copy = squares;
    squares.clear();
    CHECK(copy.size() == 100);
    CHECK(copy.at(9) == 81);
  }
}
