#include "emulator/base/ip_address.hpp"

#include <arpa/inet.h>
#include <string>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

namespace picklock {
namespace {

bool system_says(const std::string& text) {
  in6_addr parsed;
  return ::inet_pton(AF_INET, text.c_str(), &parsed) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

TEST_CASE("an IP address is what inet_pton takes for one") {
  for (const std::string text : {"127.0.0.1",
                                 "0.0.0.0",
                                 "256.1.1.1",
                                 "01.2.3.4",
                                 "1.2.3",
                                 "1.2.3.4.5",
                                 "",
                                 ".",
                                 "1..2.3",
                                 "::",
                                 "::1",
                                 "1::",
                                 "1:2:3:4:5:6:7:8",
                                 "1:2:3:4:5:6:7::",
                                 "1:2:3:4:5:6:7:8::",
                                 "12345::",
                                 "::ffff:1.2.3.4",
                                 "1.2.3.4::",
                                 "1:2:3:4:5:6:1.2.3.4",
                                 "::1::2",
                                 ":::",
                                 ":1",
                                 "1:",
                                 "g::",
                                 "localhost",
                                 "::1%lo"}) {
    INFO(text);
    CHECK(is_ip_address(text) == system_says(text));
  }
}

TEST_CASE("texts made of the characters of addresses are judged as inet_pton judges them") {
  Random random{7};
  constexpr std::string_view kPieces[] = {"1", "25", "255", "256", "0", "f", ":", "::", ".", "a1"};
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (auto pieces = 1 + random.below(15); pieces > 0; --pieces)
      text += kPieces[random.below(std::size(kPieces))];
    INFO("seed 7: " << text);
    CHECK(is_ip_address(text) == system_says(text));
  }
}

}  // namespace
}  // namespace picklock
