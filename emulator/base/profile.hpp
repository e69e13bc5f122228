// Which server is imitated: what it is called, and which line of commands it knows.
//
// The one place for version strings: INFO, HELLO, COMMAND and scripts ask here. Redis and Valkey
// have been two lines since 7.2, so a command belongs to a set of servers, not to a version.
#pragma once

#include <cstdint>
#include <string_view>

namespace picklock {

/// A set of servers: the bits of those whose commands and options are meant.
using Servers = std::uint8_t;
inline constexpr Servers kRedis70 = 1 << 0;
inline constexpr Servers kRedis84 = 1 << 1;
inline constexpr Servers kValkey90 = 1 << 2;
inline constexpr Servers kNewer = kRedis84 | kValkey90;  ///< Redis 7.2 and all that came of it.
inline constexpr Servers kEveryServer = kRedis70 | kNewer;

struct Profile {
  std::string_view name;           ///< As Options::profile says it.
  Servers servers;                 ///< Those whose commands are known.
  Servers self;                    ///< The one that it says it is.
  std::string_view server;         ///< HELLO, INFO and scripts: "redis" or "valkey".
  std::string_view version;        ///< The server's own.
  int version_number;              ///< The same as 0x00MMmmpp.
  std::string_view redis_version;  ///< The Redis that it says to be compatible with.
  int redis_version_number;
  bool is_sentinel = false;  ///< It watches servers, and has commands of its own.

  /// Whether it has what any of `those` has.
  constexpr bool has(Servers those) const { return (servers & those) != 0; }
  constexpr bool is_valkey() const { return self == kValkey90; }
};

inline constexpr Profile kProfiles[] = {
    {"redis-7.0", kRedis70, kRedis70, "redis", "7.0.15", 0x7000f, "7.0.15", 0x7000f},
    {"redis-8.4", kRedis84, kRedis84, "redis", "8.4.0", 0x80400, "8.4.0", 0x80400},
    {"valkey-9.0", kValkey90, kValkey90, "valkey", "9.0.0", 0x90000, "7.2.4", 0x70204},
    {"all", kEveryServer, kRedis84, "redis", "8.4.0", 0x80400, "8.4.0", 0x80400},
    {"sentinel", kRedis70, kRedis70, "redis", "7.0.15", 0x7000f, "7.0.15", 0x7000f, true},
};
inline constexpr const Profile& kDefaultProfile = kProfiles[0];

/// Null if there is none of that name.
constexpr const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : kProfiles)
    if (profile.name == name) return &profile;
  return nullptr;
}

}  // namespace picklock
