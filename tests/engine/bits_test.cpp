// Bits that are counted and looked for in words, beside the same bit by bit.
#include <array>
#include <string>

#include <picklock/emulator.hpp>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

using picklock::Emulator;
using namespace std::string_literals;

namespace {

bool bit_of(const std::string& bytes, std::size_t bit) {
  return (static_cast<unsigned char>(bytes[bit / 8]) >> (7 - bit % 8) & 1) != 0;
}

}  // namespace

TEST_CASE("ranges of bits of every alignment are what they are bit by bit") {
  Emulator redis;
  auto client = redis.connect();
  picklock::Random random{7};
  for (int turn = 0; turn < 300; ++turn) {
    std::string bytes(1 + random.below(600), '\0');
    const char filling = turn % 3 == 0 ? '\xff' : '\0';
    for (char& byte : bytes)
      byte =
          random.below(turn % 2 == 0 ? 2 : 100) == 0 ? static_cast<char>(random.next()) : filling;
    client.call("SET", "key", bytes);
    const std::size_t first = random.below(bytes.size() * 8);
    const std::size_t last = first + random.below(bytes.size() * 8 - first);
    std::int64_t count = 0;
    std::array<std::int64_t, 2> found{-1, -1};
    for (std::size_t bit = first; bit <= last; ++bit) {
      count += bit_of(bytes, bit);
      std::int64_t& where = found.at(bit_of(bytes, bit));
      if (where < 0) where = static_cast<std::int64_t>(bit);
    }
    REQUIRE(client.call("BITCOUNT", "key", first, last, "BIT") == count);
    for (const std::size_t wanted : {0U, 1U})
      REQUIRE(client.call("BITPOS", "key", wanted, first, last, "BIT") == found.at(wanted));
  }
}

TEST_CASE("strings of unlike lengths are combined to the end of the longest") {
  Emulator redis;
  auto client = redis.connect();
  client.call("SET", "long", "\xf0\x0f\xff\x3c");
  client.call("SET", "short", "\x55");
  const auto combined = [&](auto... words) {
    client.call("BITOP", words...);
    return client.call("GET", "to").text();
  };
  const std::string zeros(3, '\0');
  CHECK(combined("AND", "to", "short", "long") == "\x50" + zeros);
  CHECK(combined("AND", "to", "long", "short") == "\x50" + zeros);
  CHECK(combined("OR", "to", "short", "long") == "\xf5\x0f\xff\x3c");
  CHECK(combined("XOR", "to", "long", "short", "none") == "\xa5\x0f\xff\x3c");
  CHECK(combined("NOT", "to", "long") == "\x0f\xf0\x00\xc3"s);
}
