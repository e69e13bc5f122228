// The README's first example, without a test framework.
#include <picklock/emulator.hpp>
using namespace std::chrono_literals;
using namespace picklock::replies;

int main() {
  picklock::Emulator redis;
  auto alice = redis.connect();
  auto bob = redis.connect();

  const bool held = alice.call("SET", "lock", "alice", "NX", "PX", 1500) == status("OK");
  redis.advance(1500ms);
  const bool kept = bob.call("SET", "lock", "bob", "NX", "PX", 1500) == nil;
  redis.advance(1ms);
  const bool freed = bob.call("SET", "lock", "bob", "NX", "PX", 1500) == status("OK");
  // A script, so that Lua and its libraries are linked.
  const auto json = bob.call("EVAL", "return cjson.encode({bit.bor(1, 6)})", 0);
  return held && kept && freed && json == "[7]" ? 0 : 1;
}
