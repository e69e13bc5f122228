// What counts as the same among payloads of two servers.
#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/keyspace/rdb/little_endian.hpp"
#include "emulator/keyspace/rdb/types.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/payloads.hpp"

namespace picklock::test {
namespace {

constexpr std::uint64_t kInstant = 1'700'000'000'000;
constexpr std::int64_t kToleranceMs = 100;

/// As it were a stream in which two entries are pending.
std::string payload(rdb::Type type, std::string_view name, std::uint64_t first,
                    std::uint64_t second) {
  std::string body{static_cast<char>(type)};
  body.append(name);
  rdb::append_little_endian(body, first, 8);
  rdb::append_little_endian(body, second, 8);
  body += "end";
  return with_footer(body);
}

bool alike(std::uint64_t first, std::uint64_t second, std::string_view name = "name",
           rdb::Type type = rdb::Type::stream_listpacks_2) {
  return same_but_instants(payload(type, "name", kInstant, kInstant),
                           payload(type, name, first, second), kToleranceMs);
}

}  // namespace

TEST_CASE("payloads of streams may differ by instants that are near") {
  CHECK(alike(kInstant, kInstant));
  CHECK(alike(kInstant + 100, kInstant));
  CHECK(alike(kInstant - 100, kInstant + 1));
  CHECK_FALSE(alike(kInstant + 101, kInstant));
  CHECK_FALSE(alike(kInstant, kInstant - 101));
}

TEST_CASE("payloads of streams may differ by nothing else") {
  CHECK_FALSE(alike(kInstant, kInstant, "nama"));
  CHECK_FALSE(alike(kInstant + 1, kInstant, "names"));
  CHECK_FALSE(alike(kInstant + 1, 0));
  const auto stream = payload(rdb::Type::stream_listpacks_2, "name", kInstant, kInstant);
  std::string damaged = payload(rdb::Type::stream_listpacks_2, "name", kInstant + 1, kInstant);
  damaged.back() ^= 1;
  CHECK_FALSE(same_but_instants(stream, damaged, kToleranceMs));
}

TEST_CASE("payloads of other types may not differ by instants") {
  CHECK_FALSE(same_but_instants(payload(rdb::Type::string, "name", kInstant, kInstant),
                                payload(rdb::Type::string, "name", kInstant + 1, kInstant),
                                kToleranceMs));
}

}  // namespace picklock::test
