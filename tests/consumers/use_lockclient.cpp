// The lock client alone: no emulator, no Lua.
#include <stdexcept>

#include <picklock/lock.hpp>

int main() {
  bool threw = false;
  try {
    picklock::well_known_protocol("no such protocol");
  } catch (const std::out_of_range&) {
    threw = true;
  }
  return threw && !picklock::well_known_protocols().empty() ? 0 : 1;
}
