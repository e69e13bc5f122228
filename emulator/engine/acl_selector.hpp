// What one ACL selector permits: commands, keys, channels; and the rules that change it.
//
// Redis: aclSelector, ACLSetSelector. A copyable value, which a snapshot carries along.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/commands/command.hpp"
#include "emulator/engine/acl_commands.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// Why a request is refused. In the order in which one reason prevails over another.
enum class Denied : std::uint8_t { no, command, key, auth, channel };

struct AclVerdict {
  Denied denied = Denied::no;
  std::size_t word = 0;  ///< Which word of the request is the refused key or channel.
};

/// What is wrong with a rule; the names say what acl_error_text() prints.
enum class AclError : std::uint8_t {
  none,
  unknown_command,
  syntax,
  keys_after_all,
  channels_after_all,
  no_such_password,
  bad_hash,
  word_of_subcommand,
};
std::string_view acl_error_text(AclError error);

/// A set of commands and subcommands, and a mark for those that are yet to be invented.
class CommandSet {
 public:
  static constexpr std::size_t kMax = 1024;

  bool has(std::size_t index) const { return bits_[index]; }
  void put(std::size_t index, bool value) { bits_[index] = value; }
  void put_all(bool value) { value ? bits_.set() : bits_.reset(); }
  bool has_future() const { return bits_[kMax - 1]; }

 private:
  std::bitset<kMax> bits_;
};

struct KeyPattern {
  std::string glob;
  bool reads;
  bool writes;
};

class Selector {
 public:
  /// `table` is borrowed for good: that of a profile.
  Selector(const NumberedCommands& table, bool all_channels)
      : table_(&table), all_channels_(all_channels) {}

  /// Applies one rule that concerns commands, keys or channels.
  [[nodiscard]] AclError apply(std::string_view rule);
  /// Whether nothing at all is refused; what dispatch asks first.
  bool permits_all() const { return all_commands_ && all_keys_ && all_channels_; }
  AclVerdict check(const Command& command, Args words) const;

  bool permits_channel(std::string_view channel, bool is_pattern) const;
  bool permits_all_keys_for_reading() const;
  bool has_all_channels() const { return all_channels_; }
  const std::vector<std::string>& channels() const { return channels_; }

  /// "~a %R~b", "&x", "-@all +get": as ACL GETUSER shows them.
  std::string describe_keys() const;
  std::string describe_channels() const;
  std::string describe_commands() const;
  /// All three as ACL LIST shows them.
  std::string describe() const;

 private:
  AclError apply_commands(std::string_view rule);
  AclError apply_keys(std::string_view rule);
  AclError apply_channels(std::string_view rule);
  AclError permit_first_word(std::string_view container, std::string_view word,
                             std::string_view name);
  void put(std::size_t index, bool value);
  void put_category(std::uint32_t category, bool value);
  bool permits(const Command& command, Args words) const;
  bool permits_key(std::string_view key, std::string_view flags) const;
  void add_single_commands(const Selector& approximation, std::string& rules) const;

  const NumberedCommands* table_;
  bool all_commands_ = false;
  bool all_keys_ = false;
  bool all_channels_;
  CommandSet commands_;
  // "+select|0": the first arguments with which a refused command is permitted all the same.
  std::map<std::size_t, std::vector<std::string>> first_words_;
  std::vector<KeyPattern> keys_;
  std::vector<std::string> channels_;
};

}  // namespace picklock
