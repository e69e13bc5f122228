// What values take, and that a restored snapshot takes no more than the first time.
#include "emulator/keyspace/value.hpp"

#include <malloc.h>
#include <string>
#include <vector>

#include "emulator/keyspace/database.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

static_assert(sizeof(HashValue) <= 32);
static_assert(sizeof(ListValue) <= 32);
static_assert(sizeof(SetValue) <= 32);
static_assert(sizeof(SortedSet) <= 32);
static_assert(sizeof(Stream) <= 32);
static_assert(sizeof(Value) == 40);
static_assert(std::is_nothrow_move_constructible_v<Value>);

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCountsHeap = false;  // Its allocator is another.
#else
constexpr bool kCountsHeap = true;
#endif

/// Bytes of heap for each of many values that `fill` has filled, the allocator's own included.
template <class T, class Fill>
std::size_t heap_bytes(Fill&& fill) {
  constexpr std::size_t kMany = 1'000;
  std::vector<T> values(kMany);
  const std::size_t before = mallinfo2().uordblks;
  for (T& value : values) fill(value);
  return (mallinfo2().uordblks - before) / kMany;
}

TEST_CASE("ten small fields of a hash take 165 bytes of heap at most") {
  if (!kCountsHeap) return;
  const auto bytes = heap_bytes<HashValue>([](HashValue& hash) {
    for (int i = 0; i < 10; ++i) hash.set("field" + std::to_string(i), "value" + std::to_string(i));
  });
  CHECK(bytes <= 165);
  CHECK(bytes >= 140);  // Which the words need: it was counted.
}

TEST_CASE("a hundred small members of a sorted set take 1,280 bytes of heap at most") {
  if (!kCountsHeap) return;
  const auto bytes = heap_bytes<SortedSet>([](SortedSet& zset) {
    for (int i = 0; i < 100; ++i) zset.set("member" + std::to_string(i), i * 7 % 100);
  });
  CHECK(bytes <= 1'280);
  CHECK(bytes >= 1'000);
}

TEST_CASE("a packed value that shrinks gives memory back") {
  if (!kCountsHeap) return;
  const auto bytes = heap_bytes<SortedSet>([](SortedSet& zset) {
    for (int i = 0; i < 100; ++i) zset.set("member" + std::to_string(i), i);
    zset.erase(0, 99);
  });
  CHECK(bytes <= 288);
}

TEST_CASE("a hash that has left its row keeps nothing of it") {
  if (!kCountsHeap) return;
  const auto fill = [](HashValue& hash) {
    for (int i = 0; i < 100; ++i) hash.set("field" + std::to_string(i), "value");
  };
  const auto grown = heap_bytes<HashValue>([&](HashValue& hash) {
    fill(hash);
    hash.use_dict();
  });
  const auto large = heap_bytes<HashValue>([&](HashValue& hash) {
    hash.use_dict();
    fill(hash);
  });
  CHECK(grown <= large + 100);  // What the allocator gives for the same may differ a little.
}

/// One value of each type, of a size told.
std::vector<Value> each_type(int size) {
  HashValue small;
  HashValue large;
  ListValue list;
  SetValue set;
  SortedSet few;
  SortedSet many;
  Stream stream;
  many.leave_compact();
  large.use_dict();
  for (int i = 0; i < size; ++i) {
    const std::string word = "a word that takes memory " + std::to_string(i);
    small.set(word, word);
    large.set(word, word);
    list.push_back(word);
    set.add(word);
    few.set(word, i);
    many.set(word, i);
    const StreamNode::Words fields{word, word};
    stream.append({1, static_cast<std::uint64_t>(i) + 1}, fields, {});
  }
  return {std::string(100, 'x'), small, large, list, set, few, many, stream};
}

TEST_CASE("a value that another of its size is assigned to keeps its place on the heap") {
  const std::vector<Value> snapshot = each_type(20);
  std::vector<Value> values = each_type(20);
  std::vector<Value> fewer = each_type(5);
  const auto places = [&] {
    std::vector<const void*> all;
    std::get<HashValue>(values[1]).for_each([&](std::string_view field, std::string_view) {
      if (all.empty()) all.push_back(field.data());
    });
    all.push_back(std::get<HashValue>(values[2]).dict());
    all.push_back(&std::get<SetValue>(values[4]).members());
    all.push_back(std::get<SortedSet>(values[5]).at(0).member.data());
    all.push_back(std::get<SortedSet>(values[6]).dict());
    all.push_back(&std::get<Stream>(values[7]).nodes());
    return all;
  };
  const auto before = places();
  REQUIRE(before.size() == 6);
  values = fewer;
  values = snapshot;
  CHECK(places() == before);
  CHECK(std::get<HashValue>(values[1]).size() == 20);
  CHECK(std::get<Stream>(values[7]).size() == 20);
}

TEST_CASE("a copy of a value of any type does not see what becomes of the first") {
  std::vector<Value> values = each_type(3);
  const std::vector<Value> copies = values;
  std::get<HashValue>(values[1]).set("b", "2");
  std::get<HashValue>(values[2]).set("b", "2");
  std::get<SetValue>(values[4]).add("b");
  std::get<SortedSet>(values[5]).set("b", 2);
  std::get<SortedSet>(values[6]).set("b", 2);
  std::get<Stream>(values[7]).set_last_id({9, 9});
  CHECK(std::get<HashValue>(copies[1]).size() == 3);
  CHECK(std::get<HashValue>(copies[2]).size() == 3);
  CHECK(std::get<SetValue>(copies[4]).size() == 3);
  CHECK(std::get<SortedSet>(copies[5]).size() == 3);
  CHECK(std::get<SortedSet>(copies[6]).size() == 3);
  CHECK(std::get<Stream>(copies[7]).last_id() == StreamId{1, 3});
}

TEST_CASE("what is erased or overwritten keeps no large block") {
  if (!kCountsHeap) return;
  constexpr std::size_t kLarge = 100'000;
  const std::string large(kLarge, 'x');
  const std::size_t before = mallinfo2().uordblks;
  Database database;
  Dict<std::string> fields;
  SortedSet zset;
  for (int i = 0; i < 1'000; ++i) {
    database.put("key:" + std::to_string(i), StringValue{i < 10 ? large : "small"});
    fields.insert("field:" + std::to_string(i)).first->value = i < 10 ? large : "small";
    zset.set(i < 10 ? large + std::to_string(i) : std::to_string(i), i);
  }
  CHECK(mallinfo2().uordblks - before > 30 * kLarge);
  for (int i = 0; i < 10; ++i) {
    i % 2 ? static_cast<void>(database.erase("key:" + std::to_string(i)))
          : database.put("key:" + std::to_string(i), StringValue{"small"});
    fields.erase(*fields.find_entry("field:" + std::to_string(i)));
    zset.erase(large + std::to_string(i));
  }
  CHECK(mallinfo2().uordblks - before < 10 * kLarge);
}

}  // namespace
}  // namespace picklock
