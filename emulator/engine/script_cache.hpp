// The scripts that a server knows, by their lower-case SHA-1: a value, which snapshots share.
//
// Redis 7.0 keeps every script for ever, so that a client that writes its values into its scripts
// fills the memory. Redis 7.4 and Valkey let go of the one that was used longest ago, once more
// than 500 have come by EVAL; so does this, under the profile of Redis 7.0 with a bound that no
// test meets by chance. What came by SCRIPT LOAD stays.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "emulator/base/profile.hpp"
#include "emulator/keyspace/dict.hpp"

namespace picklock {

class ScriptCache {
 public:
  static constexpr std::size_t kMaxEvaluated = 100'000;
  static constexpr std::size_t kMaxEvaluatedNewer = 500;
  /// Of the texts of all that came by EVAL.
  static constexpr std::size_t kMaxEvaluatedBytes = std::size_t{256} << 20;

  /// The text of a script; null if it is not known.
  const std::string* find(std::string_view sha1) const;
  std::size_t size() const { return scripts_.size(); }
  /// In no order.
  template <class Visit>
  void for_each_sha1(Visit&& visit) const {
    scripts_.for_each([&visit](const auto& entry) { visit(std::string_view{entry.key}); });
  }

  /// Whether load() would change nothing.
  bool is_loaded(std::string_view sha1) const;
  /// Whether use() may be left out: it would change nothing, or the bound is the far one of Redis
  /// 7.0, and less than half of it is reached.
  bool may_skip_use(std::string_view sha1, const Profile& profile) const;

  /// SCRIPT LOAD.
  void load(std::string_view sha1, std::string_view body);
  /// EVAL of a script that is not known yet.
  void evaluate(std::string_view sha1, std::string_view body, const Profile& profile);
  /// A known script runs once more.
  void use(std::string_view sha1);

 private:
  struct Script {
    std::string body;
    std::uint64_t turn = 0;  // 0: loaded.
  };

  void forget_oldest();

  // Every script with a turn stands in evaluated_, under it, and counts in evaluated_bytes_.
  Dict<Script> scripts_;
  std::map<std::uint64_t, std::string> evaluated_;
  std::size_t evaluated_bytes_ = 0;
  std::uint64_t turns_ = 0;
};

}  // namespace picklock
