#include "emulator/base/sha256.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace {

std::string sha256(std::string_view bytes) {
  const auto hex = picklock::sha256_hex(bytes);
  return {hex.begin(), hex.end()};
}

}  // namespace

TEST_CASE("SHA-256 gives the digests of FIPS 180") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
