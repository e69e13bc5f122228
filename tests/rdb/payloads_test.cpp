// What counts as the same among payloads of two servers.
#include "tests/support/payloads.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/keyspace/rdb/little_endian.hpp"
#include "emulator/keyspace/rdb/types.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {
namespace {

constexpr std::uint64_t kInstant = 1'700'000'000'000;
constexpr std::int64_t kToleranceMs = 100;

/// A stream without entries, and a group in which two are pending all the same; of any other type,
/// the same bytes.
std::string payload(rdb::Type type, std::string_view name, std::uint64_t first,
                    std::uint64_t second) {
  std::string body{static_cast<char>(type)};
  body.append(1 + 8, '\0');  // No nodes; the stream's IDs and counters.
  body += {'\1', static_cast<char>(name.size())};
  body.append(name);
  body.append(3, '\0');  // The group's last ID and counter.
  body += '\2';
  for (const std::uint64_t instant : {first, second}) {
    body.append(16, body.back());  // An ID.
    rdb::append_little_endian(body, instant, 8);
    body += '\1';
  }
  body += '\0';  // No consumers.
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
