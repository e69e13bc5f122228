// The error texts of Redis 7.0.15 that only ACL needs; all others stand in errors.hpp.
#pragma once

#include <string>
#include <string_view>

namespace picklock::errors {

inline constexpr std::string_view kUserName =
    "ERR Usernames can't contain spaces or null characters";
inline constexpr std::string_view kDefaultUserStays = "ERR The 'default' user cannot be removed";
inline constexpr std::string_view kGenpassBits =
    "ERR ACL GENPASS argument must be the number of bits for the output password, a positive "
    "number up to 4096";
inline constexpr std::string_view kAclSaveFailed =
    "ERR There was an error trying to save the ACLs. Please check the server logs for more "
    "information";
inline constexpr std::string_view kNoAclFile =
    "ERR This Redis instance is not configured to use an ACL file. You may want to specify users "
    "via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis "
    "configuration file set) in order to store users in the Redis configuration.";
inline constexpr std::string_view kRulesChanged =
    "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC "
    "call. This command is no longer allowed for the following reason: ";

inline std::string sort_option_denied(std::string_view option) {
  return "ERR " + std::string{option} +
         " option of SORT denied due to insufficient ACL permissions.";
}

}  // namespace picklock::errors
