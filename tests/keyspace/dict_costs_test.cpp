// What a Dict may cost: how many entries one operation moves, and what memory it takes.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "emulator/keyspace/database.hpp"
#include "emulator/keyspace/dict.hpp"
#include "tests/support/catch.hpp"

namespace {
std::atomic<long> allocated{0};
}  // namespace

// Not inline: the compiler would take them for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocated;
  void* memory = std::malloc(size);
  return memory ? memory : throw std::bad_alloc{};
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace picklock {
namespace {

/// Counts what happens to all of its kind.
struct Counted {
  inline static long moved = 0;
  inline static long there = 0;

  Counted() { ++there; }
  Counted(const Counted&) { ++there, ++moved; }
  Counted(Counted&&) noexcept { ++there, ++moved; }
  Counted& operator=(const Counted&) { return ++moved, *this; }
  Counted& operator=(Counted&&) noexcept { return ++moved, *this; }
  ~Counted() { --there; }
};

constexpr long kBlock = 1024;  // What a dict may move at once while it is small.
constexpr long kFew = 40;

std::string key(int number) { return "key:" + std::to_string(number); }

/// What `operation` moves.
template <class Operation>
long moves(Operation&& operation) {
  const long before = Counted::moved;
  operation();
  return Counted::moved - before;
}

TEST_CASE("an entry of the keyspace takes no more than its parts") {
  STATIC_REQUIRE(sizeof(Dict<KeyEntry>::Entry) == sizeof(Value) + 48);
  STATIC_REQUIRE(sizeof(Dict<double>::Entry) == 40);
  struct Nothing {};
  STATIC_REQUIRE(sizeof(Dict<Nothing>::Entry) == 32);
}

TEST_CASE("no insertion and no erasure moves many entries, whatever the history") {
  Dict<Counted> dict;
  long most_of_small = 0;
  long most = 0;
  const auto insert = [&](int number) {
    long& longest = dict.size() < kBlock ? most_of_small : most;
    longest = std::max(longest, moves([&] { dict.insert(key(number)); }));
  };
  const auto erase = [&](int number) {
    most = std::max(most, moves([&] { dict.erase(key(number)); }));
  };
  for (int i = 0; i < 60'000; ++i) insert(i);
  CHECK(most_of_small <= 3 * kBlock);
  CHECK(most == 0);
  for (int i = 0; i < 60'000; ++i)
    if (i % 4 != 0) erase(i);
  for (int i = 60'000; i < 120'000; ++i) insert(i);  // Which squeezes out the holes.
  CHECK(most > 1);
  for (int i = 0; i < 120'000; ++i) erase(i);
  CHECK(most <= kFew);
  CHECK(dict.empty());
}

TEST_CASE("a dict has room for twice its entries at most once others have come") {
  Dict<Counted> dict;
  for (int i = 0; i < 40'000; ++i) dict.insert(key(i));
  for (int i = 0; i < 40'000; ++i)
    if (i % 10 != 0) dict.erase(key(i));
  for (int i = 40'000; i < 50'000; ++i) dict.insert(key(i));
  CHECK(Counted::there <= 2 * (static_cast<long>(dict.size()) + 2 * kBlock));
  dict = {};
  CHECK(Counted::there == 0);
}

TEST_CASE("a dict gives memory back while its oldest entries go, without any insertion") {
  Dict<Counted> dict;
  for (int i = 0; i < 40'000; ++i) dict.insert(key(i));
  for (int i = 0; i < 39'000; ++i) dict.erase(key(i));
  CHECK(Counted::there <= 3 * kBlock);
}

TEST_CASE("a large dict can be destroyed little by little") {
  Dict<Counted> dict;
  for (int i = 0; i < 5000; ++i) dict.insert(key(i));
  const auto sequence = dict.insert("last").first->sequence;
  Dict<Counted> taken = dict.take_entries();
  CHECK(dict.empty());
  CHECK(dict.insert("next").first->sequence == sequence + 1);
  int rounds = 0;
  for (bool more = true; more; ++rounds) {
    const long before = Counted::there;
    more = taken.wear_down(100);
    REQUIRE(before - Counted::there <= 100);
  }
  CHECK(rounds >= 50);
  CHECK(Counted::there == 1);
}

TEST_CASE("assigning dicts to one that was as large allocates nothing") {
  for (const int size : {3, 100, 1000, 5000}) {
    Dict<std::string> small;
    Dict<std::string> large;
    for (int i = 0; i < size; ++i) {
      for (Dict<std::string>* dict : {&small, &large})
        dict->insert("a key that does not stand in its entry:" + key(i)).first->value =
            "a value that is as long as that";
    }
    for (int i = 0; i < size / 20 + 2; ++i) large.insert(key(i));
    Dict<std::string> copy = small;
    copy = large;
    copy = small;
    copy = large;
    const long before = allocated;
    copy = small;
    const long after = allocated;
    CHECK(after == before);
    CHECK(copy.size() == small.size());
  }
}

}  // namespace
}  // namespace picklock
