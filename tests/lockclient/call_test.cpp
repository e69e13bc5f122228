// How a request's words, numbers and counts lie in memory.
#include "lockclient/machine/call.hpp"

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockclient/machine/protocol.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using lock::Digits;
using lock::Ordinal;
using lock::Words;

namespace {

void check_words(std::span<const std::string_view> words,
                 const std::vector<std::string>& expected) {
  REQUIRE(words.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(words[i] == expected[i]);
}

std::vector<std::string> strings(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

}  // namespace

TEST_CASE("words: few and many, short and long") {
  for (const std::size_t size : {0, 1, 10, 19, 20, 21, 100, 239, 240, 241, 5000}) {
    for (const std::size_t count : {0, 1, 2, 11, 12, 13, 30}) {
      Words words;
      std::vector<std::string> expected;
      for (std::size_t i = 0; i < count; ++i) {
        expected.emplace_back(size, static_cast<char>('a' + i % 26));
        const std::string_view word = expected.back();
        if (i % 2 == 0)
          words.add(word);
        else
          words.add(word.substr(0, size / 3), word.substr(size / 3));
        check_words(words.all(), expected);
      }
    }
  }
}

TEST_CASE("words: what is referred to stays where it is") {
  const std::string text(1000, 'x');
  Words words;
  for (int i = 0; i < 30; ++i) words.refer(text);
  for (const std::string_view word : words.all()) CHECK(word.data() == text.data());
}

TEST_CASE("words: how many there are of something, in one digit and in more") {
  Words words;
  for (const std::size_t count : {0, 1, 9, 10, 123456}) words.add_count(count);
  check_words(words.all(), {"0", "1", "9", "10", "123456"});
}

TEST_CASE("call: a script by its digest, whole, and a command without one") {
  const lock::ScriptRef script = lock::embedded_script("lock_look");
  const auto by_digest = lock::Call::of(script, 12, {"key", "", "argument"});
  CHECK(strings(by_digest->request.all()) ==
        std::vector<std::string>{"EVALSHA", script->sha, "12", "key", "", "argument"});
  CHECK(strings(by_digest->words()) == std::vector<std::string>{"key", "", "argument"});
  CHECK_FALSE(by_digest->is_whole);
  const auto whole = lock::Call::whole(*by_digest);
  CHECK(strings(whole->request.all()) ==
        std::vector<std::string>{"EVAL", script->source, "12", "key", "", "argument"});
  CHECK(strings(whole->words()) == strings(by_digest->words()));
  CHECK(whole->is_whole);
  const auto command = lock::Call::command({"SUBSCRIBE", "", "x"});
  CHECK(strings(command->request.all()) == std::vector<std::string>{"SUBSCRIBE", "", "x"});
  CHECK(strings(command->words()) == strings(command->request.all()));
}

TEST_CASE("call: what a lock's request names stays as long as it does") {
  const std::string name = "a long name that takes memory of its own";
  const std::string memory = "picklock:{" + name + "}:over";
  const lock::Demand demand{{.ttl_ms = 7, .memory_ms = 8}, "owner", "row", "1"};
  const auto made = [&](const auto& word) {
    return word(*lock::make_lock_protocol({name, "b"}));  // Which goes.
  };
  const auto acquire = made([&](const lock::Protocol& lock) { return lock.acquire(demand); });
  const auto release = made([&](const lock::Protocol& lock) { return lock.release(demand); });
  const auto extend = made([&](const lock::Protocol& lock) { return lock.extend(demand, 9, 0); });
  const auto whole =
      lock::Call::whole(*made([&](const lock::Protocol& lock) { return lock.acquire(demand); }));
  using List = std::vector<std::string>;
  const List locked{memory + ":row", name, "b", memory, "picklock:{b}:over", "owner", "7", "1"};
  CHECK(strings(acquire->words()) == locked);
  CHECK(strings(whole->words()) == locked);
  CHECK(strings(release->words()) ==
        List{memory + ":row", name, "b", memory, "picklock:{b}:over", "owner", "8", "1"});
  CHECK(strings(extend->words()) == List{name, "b", "owner", "9", ""});
}

TEST_CASE("digits: of every size") {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1}, std::int64_t{30'000},
        std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
    CHECK(Digits{number}.text() == std::to_string(number));
}

TEST_CASE("ordinals: their digits compare as they do") {
  Ordinal counted;
  CHECK(counted.digits() == "000000000000000");
  for (std::int64_t i = 1; i < 12'000; ++i) {
    const std::string before{counted.digits()};
    ++counted;
    CHECK(counted.value() == i);
    CHECK(counted.digits() == Ordinal{i}.digits());
    CHECK(counted.digits() > before);
  }
  CHECK(counted.digits() == "000000000011999");
  CHECK(Ordinal{Ordinal::kEnd - 1}.digits() == "999999999999999");
  Ordinal nines{999'999'999};
  ++nines;
  CHECK(nines.digits() == "000001000000000");
}
