// Memory that is used again: by whom, how much of it, and by no more than one at a time.
#include "emulator/base/recycled.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <thread>
#include <utility>

#include "tests/support/catch.hpp"

namespace {
std::atomic<long> taken{0};
std::atomic<long> freed{0};
}  // namespace

// Not inline: the compiler would take them for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++taken;
  void* memory = std::malloc(size);
  return memory != nullptr ? memory : throw std::bad_alloc{};
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  ++freed;
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  ++freed;
  std::free(memory);
}

namespace picklock {
namespace {

// Kinds of their own, so that no test finds what another has left.
template <int>
struct Kind {
  std::array<std::uint64_t, 8> words{};
};
template <int N>
using Memory = Recycled<Kind<N>>;

constexpr bool kKeeps = !kIsWatched;
constexpr std::size_t kMost = KeptBlocks::kMost;

/// How many blocks `work` takes of the allocator beneath.
template <class Work>
long takes(Work&& work) {
  const long before = taken;
  work();
  return taken - before;
}

TEST_CASE("freed memory of one object is handed out again, of its own kind only") {
  Memory<1> memory;
  Kind<1>* const first = memory.allocate(1);
  memory.deallocate(first, 1);
  CHECK(Memory<1>::kept() == (kKeeps ? 1 : 0));
  Memory<2> others;
  Kind<2>* const other = others.allocate(1);
  CHECK(Memory<1>::kept() == (kKeeps ? 1 : 0));
  Kind<1>* const second = memory.allocate(1);
  if (kKeeps) CHECK(second == first);
  CHECK(Memory<1>::kept() == 0);
  Kind<1>* const third = memory.allocate(1);
  CHECK(third != second);
  memory.deallocate(second, 1);
  memory.deallocate(third, 1);
  others.deallocate(other, 1);
}

TEST_CASE("of each kind a few blocks are kept, each of which one gets; of rows of objects none") {
  Memory<3> memory;
  std::set<Kind<3>*> blocks;
  for (std::size_t i = 0; i < 3 * kMost; ++i) blocks.insert(memory.allocate(1));
  CHECK(blocks.size() == 3 * kMost);
  const long freed_before = freed;
  for (Kind<3>* const one : blocks) memory.deallocate(one, 1);
  CHECK(Memory<3>::kept() == (kKeeps ? kMost : 0));
  CHECK(freed - freed_before == static_cast<long>(kKeeps ? 2 * kMost : 3 * kMost));
  std::array<Kind<3>*, kMost + 1> again{};
  const long fresh = takes([&] {
    for (Kind<3>*& one : again) one = memory.allocate(1);
  });
  CHECK(fresh == static_cast<long>(kKeeps ? 1 : kMost + 1));
  CHECK(std::set<Kind<3>*>(again.begin(), again.end()).size() == kMost + 1);
  for (std::size_t i = 0; i < kMost && kKeeps; ++i) CHECK(blocks.contains(again[i]));
  CHECK(Memory<3>::kept() == 0);
  for (Kind<3>* const one : again) memory.deallocate(one, 1);
  Memory<4> rows;
  rows.deallocate(rows.allocate(2), 2);
  CHECK(Memory<4>::kept() == 0);
}

TEST_CASE("a thread keeps what it has freed, whoever took it, and frees it at its end") {
  Memory<5> memory;
  std::array<Kind<5>*, 5> blocks{};
  for (Kind<5>*& block : blocks) block = memory.allocate(1);
  std::size_t kept = 0;
  long freed_at_end = 0;
  std::thread{[&] {
    for (Kind<5>* const block : blocks) memory.deallocate(block, 1);
    kept = Memory<5>::kept();
    freed_at_end = -freed;
  }}.join();
  freed_at_end += freed;
  CHECK(kept == (kKeeps ? blocks.size() : 0));
  if (kKeeps) CHECK(freed_at_end >= 5);  // The thread itself leaves something, too...
  long freed_without = 0;
  std::thread{[&] { freed_without = -freed; }}.join();
  freed_without += freed;
  CHECK(freed_at_end - freed_without == (kKeeps ? 5 : 0));  // ...which is no more than this.
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
  }}.join();
  CHECK(kept == 0);
}

TEST_CASE("shared objects and the nodes of maps lie in such memory") {
  std::map<int, int, std::less<>, Recycled<std::pair<const int, int>>> squares;
  bool is_right = false;
  const auto work = [&] {
    const auto shared = std::allocate_shared<Kind<7>>(Recycled<Kind<7>>{});
    shared->words[7] = 7;
    for (int i = 0; i < 10; ++i) squares.emplace(i, i * i);
    const auto copy = squares;
    squares.clear();
    is_right = copy.size() == 10 && copy.at(9) == 81 && shared->words[0] == 0;
  };
  CHECK(takes(work) == 21);
  CHECK(is_right);
  CHECK(takes(work) == (kKeeps ? 21 - 1 - static_cast<long>(kMost) : 21));
}

}  // namespace
}  // namespace picklock
