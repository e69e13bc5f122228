// An ACL user: whether it may log in, with which passwords, and what its selectors permit.
//
// A copyable value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/engine/acl_selector.hpp"

namespace picklock {

class User {
 public:
  /// A user that may do nothing: off, and without a password. `all_channels` is what a new selector
  /// permits (acl-pubsub-default).
  User(const NumberedCommands& table, bool all_channels) : table_(&table) {
    selectors_.emplace_back(table, all_channels);
  }

  /// Applies one rule of ACL SETUSER. `all_channels` as above, for the selectors that it makes.
  [[nodiscard]] AclError apply(std::string_view rule, bool all_channels);

  bool enabled() const { return enabled_; }
  bool needs_password() const { return !no_password_; }
  bool accepts(std::string_view password) const;

  /// Whether nothing at all is refused.
  bool permits_all() const;
  AclVerdict check(const Command& command, Args words) const;
  /// Whether it may execute the request with any key whatever, as far as reading goes.
  bool permits_reading_any_key(const Command& command, Args words) const;

  /// "on", "nopass"..., as ACL GETUSER shows them.
  std::vector<std::string_view> flags() const;
  const std::vector<std::string>& password_hashes() const { return hashes_; }
  /// At least one; the first is the root selector, the others stand in parentheses.
  const std::vector<Selector>& selectors() const { return selectors_; }
  /// As ACL LIST shows it, without the name.
  std::string describe() const;

 private:
  enum class Sanitize : std::uint8_t { unsaid, yes, no };

  bool apply_flag(std::string_view rule, bool all_channels);
  AclError apply_password(std::string_view rule);
  AclError add_selector(std::string_view rules, bool all_channels);
  void reset(bool all_channels);

  const NumberedCommands* table_;
  bool enabled_ = false;
  bool no_password_ = false;
  Sanitize sanitize_ = Sanitize::unsaid;
  std::vector<std::string> hashes_;
  std::vector<Selector> selectors_;
};

}  // namespace picklock
