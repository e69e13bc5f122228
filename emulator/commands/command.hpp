// A row of the command table: all that is known of a command before it runs.
//
// Dispatch, COMMAND, ACL categories, script permission and key extraction read these rows; there is
// no second place where a command is described. Rows are constexpr data; the flags and key
// specifications are those that COMMAND INFO of Redis 7.0.15 shows. A row that 7.0 does not have
// names the servers that do.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "emulator/base/profile.hpp"

namespace picklock {

struct Context;
using Handler = void (*)(Context&);

enum Flag : std::uint32_t {
  kWrite = 1 << 0,
  kReadonly = 1 << 1,
  kDenyOom = 1 << 2,
  kAdmin = 1 << 3,
  kPubsub = 1 << 4,
  kNoScript = 1 << 5,
  kBlocking = 1 << 6,
  kLoading = 1 << 7,
  kStale = 1 << 8,
  kSkipMonitor = 1 << 9,
  kSkipSlowlog = 1 << 10,
  kAsking = 1 << 11,
  kFast = 1 << 12,
  kNoAuth = 1 << 13,
  kMayReplicate = 1 << 14,  // Not shown by COMMAND INFO.
  kNoMandatoryKeys = 1 << 15,
  kNoAsyncLoading = 1 << 16,
  kNoMulti = 1 << 17,
  kMovableKeys = 1 << 18,
  kAllowBusy = 1 << 19,
  kProtected = 1 << 20,  // Never permitted here; not shown by COMMAND INFO.
  kAnyKeys = 1 << 21,    // May touch, and so expire, any of the keys; not shown by COMMAND INFO.
  kNotRedis = 1 << 22,   // PICKLOCK, for tests alone: scripts do not know it.
};

/// ACL categories that do not follow from the flags; acl_categories() adds those that do.
enum AclCategory : std::uint32_t {
  kAclKeyspace = 1 << 0,
  kAclRead = 1 << 1,
  kAclWrite = 1 << 2,
  kAclSet = 1 << 3,
  kAclSortedSet = 1 << 4,
  kAclList = 1 << 5,
  kAclHash = 1 << 6,
  kAclString = 1 << 7,
  kAclBitmap = 1 << 8,
  kAclHyperLogLog = 1 << 9,
  kAclGeo = 1 << 10,
  kAclStream = 1 << 11,
  kAclPubsub = 1 << 12,
  kAclAdmin = 1 << 13,
  kAclFast = 1 << 14,
  kAclSlow = 1 << 15,
  kAclBlocking = 1 << 16,
  kAclDangerous = 1 << 17,
  kAclConnection = 1 << 18,
  kAclTransaction = 1 << 19,
  kAclScripting = 1 << 20,
};

/// How one group of keys is found among the words, and what is done with it.
struct KeySpec {
  enum class Find : std::uint8_t { range, keynum, unknown };

  std::string_view flags;  ///< As COMMAND INFO names them: "RW access update".
  int first = 1;           ///< Word at which the search begins.
  Find find = Find::range;
  int last = 0;  ///< range: the last key, counted from `first`, or from the end when negative.
  int step = 1;
  std::string_view notes = {};
  /// When not empty, the search begins behind the first word from `first` on that equals it.
  std::string_view keyword = {};
  /// range: only the first of so many equal parts of what follows are keys, if not 0.
  int limit = 0;
};

struct Command {
  std::string_view name;  ///< Lower case; a subcommand is "container|name".
  int arity;  ///< Number of words, its own name included; at least -arity when negative.
  std::uint32_t flags;
  std::uint32_t acl;
  std::span<const KeySpec> keys;
  std::string_view group;
  std::string_view since;
  Handler handler;  ///< Null for a container that is nothing without a subcommand.
  std::span<const Command> subcommands = {};
  std::string_view tips = {};      ///< Separated by spaces.
  Servers servers = kEveryServer;  ///< Those that have it.
  /// Counts the rows of the joined table, which sets it; counters are kept by it.
  std::uint16_t number = 0;

  constexpr bool has(Flag flag) const { return (flags & flag) != 0; }
  constexpr bool takes(std::size_t words) const {
    return arity >= 0 ? words == static_cast<std::size_t>(arity)
                      : words >= static_cast<std::size_t>(-arity);
  }
};

/// All ACL categories of `command`: its own and those that its flags imply. Redis:
/// setImplicitACLCategories.
constexpr std::uint32_t acl_categories(const Command& command) {
  std::uint32_t all = command.acl;
  if (command.has(kWrite)) all |= kAclWrite;
  if (command.has(kReadonly) && !(command.acl & kAclScripting)) all |= kAclRead;
  if (command.has(kAdmin)) all |= kAclAdmin | kAclDangerous;
  if (command.has(kPubsub)) all |= kAclPubsub;
  if (command.has(kFast)) all |= kAclFast;
  if (command.has(kBlocking)) all |= kAclBlocking;
  return (all & kAclFast) ? all : all | kAclSlow;
}

/// Key specifications that many rows share.
namespace keys {
inline constexpr KeySpec kRead[] = {{"RO access"}};
inline constexpr KeySpec kLook[] = {{"RO"}};
inline constexpr KeySpec kReadAll[] = {{.flags = "RO access", .last = -1}};
inline constexpr KeySpec kLookAll[] = {{.flags = "RO", .last = -1}};
inline constexpr KeySpec kReadUpdate[] = {{"RW access update"}};
inline constexpr KeySpec kUpdate[] = {{"RW update"}};
inline constexpr KeySpec kInsert[] = {{"RW insert"}};
inline constexpr KeySpec kDelete[] = {{"RW delete"}};
inline constexpr KeySpec kReadDelete[] = {{"RW access delete"}};
inline constexpr KeySpec kRemoveAll[] = {{.flags = "RM delete", .last = -1}};
inline constexpr KeySpec kOverwriteInsert[] = {{"OW insert"}};
inline constexpr KeySpec kOverwrite[] = {{"OW update"}};
inline constexpr KeySpec kInsertPairs[] = {{.flags = "OW insert", .last = -1, .step = 2}};
inline constexpr KeySpec kOverwritePairs[] = {{.flags = "OW update", .last = -1, .step = 2}};
}  // namespace keys

}  // namespace picklock
