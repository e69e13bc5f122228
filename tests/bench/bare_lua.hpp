// The same scripts on bare PUC Lua, with a C stub for the server: the floor that EVALSHA is
// measured against.
#pragma once

#include <string>
#include <string_view>

struct lua_State;

namespace picklock::bench {

/// Lua 5.1 with a redis.call that does as little as can be done: it answers for one lock, which it
/// never changes.
class BareLua {
 public:
  /// Compiles `script`; throws std::runtime_error if it does not compile.
  explicit BareLua(std::string_view script);
  ~BareLua();
  BareLua(const BareLua&) = delete;
  BareLua& operator=(const BareLua&) = delete;

  /// Who has the lock from now on; empty: nobody.
  void set_owner(std::string_view owner) { owner_ = owner; }
  /// Sets KEYS and ARGV, calls the script and drops its result, as a server must for every EVALSHA.
  void run(std::string_view key, std::string_view first, std::string_view second);

 private:
  std::string owner_;
  lua_State* lua_;
  int script_;
};

}  // namespace picklock::bench
