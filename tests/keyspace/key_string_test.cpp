#include "emulator/keyspace/key_string.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

using namespace std::string_literals;

// Around each size at which the representation, or the block, changes.
std::vector<std::string> texts() {
  std::vector<std::string> all;
  for (const std::size_t size : {0, 1, 14, 15, 16, 17, 23, 24, 25, 39, 40, 41, 100, 1000, 70'000}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + size);
    all.push_back(text);
  }
  return all;
}

TEST_CASE("a key string holds any bytes of any length") {
  for (const std::string& text : texts()) {
    const KeyString key{text};
    CHECK(std::string_view{key} == text);
    CHECK(key.size() == text.size());
    CHECK(key.empty() == text.empty());
  }
  CHECK(std::string_view{KeyString{"a\0b"s}} == "a\0b"s);
  CHECK(std::string_view{KeyString{"\0\0\0"s}}.size() == 3);
  CHECK(KeyString{}.empty());
}

TEST_CASE("a key string is compared by its bytes, wherever they stand") {
  KeyString long_before{std::string(100, 'x')};
  long_before.assign("short");
  CHECK(long_before == KeyString{"short"});
  CHECK(long_before == "short");
  CHECK(long_before != KeyString{"shorts"});
  CHECK(KeyString{"a\0b"s} != "a\0c"s);
}

TEST_CASE("a copied key string is independent of the original") {
  for (const std::string& text : texts()) {
    KeyString original{text};
    const KeyString copy{original};
    original.assign("another text, longer than what stands in place");
    CHECK(copy == text);
  }
}

TEST_CASE("a key string takes another's place, whatever both were, itself included") {
  for (const std::string& before : texts())
    for (const std::string& after : texts()) {
      KeyString copied{before};
      const KeyString source{after};
      copied = source;
      CHECK(copied == after);
      KeyString moved{before};
      KeyString from{after};
      moved = std::move(from);
      CHECK(moved == after);
      auto& itself = copied;
      copied = itself;
      CHECK(copied == after);
      moved = std::move(*&moved);
      CHECK(moved == after);
    }
}

TEST_CASE("a key string that was moved from is empty and can be used again") {
  KeyString from{std::string(50, 'k')};
  const KeyString to{std::move(from)};
  CHECK(to.size() == 50);
  CHECK(from.empty());
  from.assign("again");
  CHECK(from == "again");
}

TEST_CASE("a key string keeps its block while a text fits, and agrees with std::string") {
  Random random{1};
  KeyString key;
  for (int step = 0; step < 20'000; ++step) {
    const std::string text(static_cast<std::size_t>(random.below(90)), static_cast<char>(step));
    const char* const before = key.data();
    const bool fits = key.size() > KeyString::kInline && text.size() <= key.size();
    key.assign(text);
    REQUIRE(key == text);
    if (fits) REQUIRE(key.data() == before);
  }
}

TEST_CASE("a key may be as long as Redis takes one") {
  const std::string text(512 << 20, 'L');
  KeyString key{text};
  CHECK(key.size() == text.size());
  CHECK(key.data()[text.size() - 1] == 'L');
  const KeyString moved{std::move(key)};
  CHECK((moved == text));
}

}  // namespace
}  // namespace picklock
