#include <picklock/endpoint.hpp>

#include "tests/support/catch.hpp"

using picklock::Endpoint;

TEST_CASE("a URL names host, port, user, password and database") {
  const Endpoint all = Endpoint::parse("redis://ann:p%40ss@example.org:7000/3?name=till").value();
  CHECK(all.host == "example.org");
  CHECK(all.port == 7000);
  CHECK(all.user == "ann");
  CHECK(all.password == "p@ss");
  CHECK(all.database == 3);
  CHECK(all.client_name == "till");
  CHECK(all.address() == "example.org:7000");

  const Endpoint least = Endpoint::parse("redis://localhost").value();
  CHECK(least.host == "localhost");
  CHECK(least.port == 6379);
  CHECK(least.password.empty());
  CHECK(least.database == 0);

  CHECK(Endpoint::parse("redis://secret@h").value().password == "secret");
  CHECK(Endpoint::parse("redis://:secret@h").value().password == "secret");
  CHECK(Endpoint::parse("redis://[::1]:7001/").value().address() == "[::1]:7001");
  CHECK(Endpoint::parse("redis://[::1]").value().port == 6379);
}

TEST_CASE("a URL names a Unix socket") {
  const Endpoint plain = Endpoint::parse("unix:///run/redis.sock?db=2").value();
  CHECK(plain.unix_socket == "/run/redis.sock");
  CHECK(plain.database == 2);
  CHECK(plain.address() == "/run/redis.sock");
  const Endpoint known = Endpoint::parse("unix://ann:pw@/run/a%20b?name=x&db=1").value();
  CHECK(known.unix_socket == "/run/a b");
  CHECK(known.user == "ann");
  CHECK(known.password == "pw");
  CHECK(known.client_name == "x");
}

TEST_CASE("what is no URL of a server is refused, and its password is not repeated") {
  const char* const url = GENERATE(
      "", "localhost", "http://localhost", "rediss://localhost", "redis://", "redis://:6379",
      "redis://h:", "redis://h:0", "redis://h:65536", "redis://h:-1", "redis://h:secret",
      "redis://h/secret", "redis://h/-1", "redis://h/4294967296", "redis://ann:@h", "redis://@h",
      "redis://[::1", "redis://[::1]7", "redis://h%4", "redis://h%zz", "unix://", "unix://?db=1",
      "unix:///s?db=", "unix:///s?db", "unix:///s?secret=1", "redis://ann:p@secret@h");
  INFO(url);
  const auto parsed = Endpoint::parse(url);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == picklock::LockError::Code::invalid_argument);
  CHECK(parsed.error().message.find("secret") == std::string::npos);
}
