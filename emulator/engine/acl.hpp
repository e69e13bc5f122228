// Who may log in and what they may do, and the log of those who were refused.
//
// A copyable value, which a snapshot carries along; not thread-safe. What it means for sessions is
// the engine's part (acl_sessions.hpp).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/clock.hpp>

#include "emulator/base/copy_on_write.hpp"
#include "emulator/engine/acl_user.hpp"

namespace picklock {

/// An entry of ACL LOG: equal refusals that follow each other within a minute are one.
struct AclLogEntry {
  std::int64_t count = 1;
  Denied reason;
  std::string context;  ///< "toplevel", "multi", "lua".
  std::string object;
  std::string username;
  Instant at;
  std::string client;  ///< As CLIENT LIST shows it.
};

class Acl {
 public:
  static constexpr std::string_view kDefault = "default";

  /// Only the default user, which needs no password and may do everything.
  explicit Acl(const Profile& profile);

  using Users = std::map<std::string, User, std::less<>>;
  const Users& users() const { return *users_; }
  /// Null if there is none of that name.
  const User* find(std::string_view name) const;
  /// A number that is the same for the same users; the default user of a new server counts nothing.
  std::uint64_t digest() const { return digest_; }
  const User& default_user() const { return users_->find(kDefault)->second; }
  /// Whether a session must log in before it may do anything else.
  bool requires_login() const {
    return default_user().needs_password() || !default_user().enabled();
  }

  void put(std::string_view name, User user);
  bool erase(std::string_view name);
  /// requirepass: the one password of the default user; none, if empty.
  void set_default_password(std::string_view password);

  const std::deque<AclLogEntry>& log() const { return *log_; }
  /// Puts `entry` before all others, or counts it with an equal one among the last ten.
  void add_to_log(AclLogEntry entry, std::size_t max_entries);
  void clear_log() { log_.reset(); }

 private:
  std::uint64_t digest_of(std::string_view name) const;

  CopyOnWrite<Users> users_;
  std::uint64_t digest_ = 0;
  CopyOnWrite<std::deque<AclLogEntry>> log_;  // The newest first.
};

/// The default user of a new server, which needs no password and may do everything.
User first_default_user(const Profile& profile);

/// Joins the words of selectors that came in several: "(+get" "~a)". Empty, with the word that
/// opened it in `open`, if a parenthesis stays open. One that opens within another takes its place,
/// as in Redis: ACLMergeSelectorArguments.
std::optional<std::vector<std::string>> merge_selectors(Args words, std::string_view& open);

/// `old_user` with `rules` applied, or the error that ACL SETUSER answers. All of them or none.
struct ChangedUser {
  std::optional<User> user;
  std::string error;
};
ChangedUser change_user(const User& old_user, Args rules, bool all_channels);

}  // namespace picklock
