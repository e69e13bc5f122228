// The value of a set: distinct members.
//
// A small set of integers keeps them in numeric order, which every reply of Redis shows (its
// "intset"); any other set keeps the order of insertion. Like Redis, a set never returns to the
// first form. A copyable value; not thread-safe; entries are valid until the next change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/dict.hpp"
#include "emulator/keyspace/encoding_limits.hpp"

namespace picklock {

class SetValue {
 public:
  bool has(std::string_view member) const { return members_.find(member) != nullptr; }
  std::size_t size() const { return members_.size(); }
  bool empty() const { return members_.empty(); }
  /// Whether Redis would still keep it as an intset.
  bool is_intset() const { return is_intset_; }
  /// While it is an intset: its members in numeric order, and how many bytes each takes (2, 4 or
  /// 8), which never becomes less.
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  int intset_width() const { return width_; }
  void widen_intset(int width) { width_ = std::max(width_, width); }

  /// False if it was there.
  bool add(std::string_view member, const EncodingLimits& limits = {}) {
    if (!members_.insert(member).second) return false;
    if (!is_intset_) return true;
    const auto number = parse_int64(member);
    if (number) {
      const bool small = *number == static_cast<std::int32_t>(*number);
      widen_intset(!small ? 8 : *number == static_cast<std::int16_t>(*number) ? 2 : 4);
      numbers_.insert(std::lower_bound(numbers_.begin(), numbers_.end(), *number), *number);
    }
    const auto most = std::min<std::int64_t>(limits.set_max_intset_entries, kMostIntegers);
    if (!number || static_cast<std::int64_t>(size()) > most) {
      is_intset_ = false;
      numbers_ = {};
    }
    return true;
  }

  bool erase(std::string_view member) {
    if (!members_.erase(member)) return false;
    if (is_intset_)
      if (const auto number = parse_int64(member))
        numbers_.erase(std::lower_bound(numbers_.begin(), numbers_.end(), *number));
    return true;
  }

  /// Calls `visit(member)` for each in the set's order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (!is_intset_)
      return members_.for_each([&](const auto& entry) { visit(std::string_view{entry.key}); });
    char buffer[kInt64Chars];
    for (const std::int64_t number : numbers_) visit(format_int64(number, buffer));
  }

  /// The members in order of insertion.
  struct Nothing {};
  const Dict<Nothing>& members() const { return members_; }

 private:
  /// Redis 7.0, intsetMaxEntries: at most this many, whatever the setting.
  static constexpr std::int64_t kMostIntegers = 1 << 30;

  Dict<Nothing> members_;
  std::vector<std::int64_t> numbers_;  // The members once more, sorted, while is_intset_.
  int width_ = 2;
  bool is_intset_ = true;
};

}  // namespace picklock
