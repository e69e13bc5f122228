// The README's example. `check_example` demands that it is the README's text, letter for letter.
#include "tests/support/catch.hpp"

#include <picklock/emulator.hpp>
using namespace std::chrono_literals;
using namespace picklock::replies;  // nil, status(), error(), array()

TEST_CASE("a lock is held up to its deadline and free one millisecond later") {
  picklock::Emulator redis;  // hermetic: no port, no thread, empty, its clock stands still
  auto alice = redis.connect();
  auto bob = redis.connect();

  CHECK(alice.call("SET", "lock", "alice", "NX", "PX", 1500) == status("OK"));
  redis.advance(1500ms);
  CHECK(bob.call("SET", "lock", "bob", "NX", "PX", 1500) == nil);
  redis.advance(1ms);
  CHECK(bob.call("SET", "lock", "bob", "NX", "PX", 1500) == status("OK"));
}
