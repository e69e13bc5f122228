#include "emulator/base/sha1.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace {

std::string sha1(std::string_view bytes) {
  const auto hex = picklock::sha1_hex(bytes);
  return {hex.begin(), hex.end()};
}

}  // namespace

TEST_CASE("SHA-1 gives the digests of FIPS 180") {
  CHECK(sha1("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(sha1("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  CHECK(sha1(std::string(1000000, 'a')) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST_CASE("a script has the name that Redis gives it") {
  CHECK(sha1("return redis.call('set', KEYS[1], ARGV[1])") ==
        "55b22c0d0cedf3866879ce7c854970626dcef0c3");
}

TEST_CASE("the padding is right around the edges of a block") {
  CHECK(sha1(std::string(55, 'x')) == "cef734ba81a024479e09eb5a75b6ddae62e6abf1");
  CHECK(sha1(std::string(56, 'x')) == "901305367c259952f4e7af8323f480d59f81335b");
  CHECK(sha1(std::string(63, 'x')) == "0ddc4e0cccd9a12850deb5abb0853a4425559fec");
  CHECK(sha1(std::string(64, 'x')) == "bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163");
  CHECK(sha1(std::string(65, 'x')) == "78c741ddc482e4cdf8c474a0876347a0905b6233");
  CHECK(sha1(std::string("\0\xff", 2)) == "aa3e5dcdd77b153f2e59bd0d8794fde33cb4e486");
}
