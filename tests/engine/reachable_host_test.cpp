// Where clients on this machine find a server, by the addresses that it is bound to.
#include "emulator/engine/cluster_join.hpp"
#include "tests/support/catch.hpp"

using picklock::reachable_host;

TEST_CASE("a server is reached at the first address that it must have") {
  CHECK(reachable_host("127.0.0.1 10.1.2.3") == "127.0.0.1");
  CHECK(reachable_host("-10.1.2.3 127.0.0.1") == "127.0.0.1");
  CHECK(reachable_host("-10.1.2.3 -::1") == "10.1.2.3");
  CHECK(reachable_host("::1") == "::1");
}

TEST_CASE("a server that is bound to every address is reached at the machine's own") {
  for (const char* bind : {"", "*", "0.0.0.0", "* -::*"})
    CHECK(reachable_host(bind) == "127.0.0.1");
  for (const char* bind : {"::*", "::"}) CHECK(reachable_host(bind) == "::1");
}
