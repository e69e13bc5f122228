// Short texts, byte by byte: equal and copied as the C library would have it.
#include "emulator/base/short_text.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

using picklock::copy_text;
using picklock::is_same;
using picklock::Random;

namespace {

constexpr std::size_t kMost = 40;

std::string random_text(Random& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& byte : text) byte = static_cast<char>(random.below(256));
  return text;
}

}  // namespace

TEST_CASE("short texts are the same if all their bytes are") {
  Random random{1};
  for (std::size_t size = 0; size <= kMost; ++size) {
    const std::string text = random_text(random, size);
    CAPTURE(size);
    CHECK(is_same(text, std::string{text}));
    CHECK_FALSE(is_same(text, text + "x"));
    CHECK_FALSE(is_same(text + "x", text));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] = static_cast<char>(other[at] ^ 1 << random.below(8));
      CAPTURE(at);
      CHECK_FALSE(is_same(text, other));
    }
  }
  CHECK(is_same({}, ""));
}

TEST_CASE("a short text is copied whole, and nothing beside it is touched") {
  Random random{2};
  for (std::size_t size = 0; size <= kMost; ++size) {
    const std::string text = random_text(random, size);
    std::string room(kMost + 16, '#');
    CAPTURE(size);
    CHECK(copy_text(room.data() + 8, text) == room.data() + 8 + size);
    CHECK(room == std::string(8, '#') + text + std::string(kMost + 8 - size, '#'));
  }
}
