// The same scripts on bare PUC Lua, with a C stub for the server: the floor that EVALSHA is
// measured against.
#pragma once

#include <string_view>

struct lua_State;

namespace picklock::bench {

/// Lua 5.1 with a redis.call that does as little as can be done: one key in a C++ string, compared
/// or replaced.
class BareLua {
 public:
  /// Compiles `script`; throws std::runtime_error if it does not compile.
  explicit BareLua(std::string_view script);
  ~BareLua();
  BareLua(const BareLua&) = delete;
  BareLua& operator=(const BareLua&) = delete;

  /// Sets KEYS and ARGV, calls the script and drops its result, as a server must for every EVALSHA.
  void run(std::string_view key, std::string_view first, std::string_view second);

 private:
  lua_State* lua_;
  int script_;
};

}  // namespace picklock::bench
