// The value of a set: distinct members.
//
// A small set of integers keeps them in numeric order, which every reply of Redis shows (its
// "intset"); any other set keeps the order of insertion. Like Redis, a set never returns to the
// first form. A copyable value, which once it was moved from may only be assigned to or destroyed;
// not thread-safe; entries are valid until the next change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/base/memory.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/box.hpp"
#include "emulator/keyspace/dict.hpp"
#include "emulator/keyspace/encoding_limits.hpp"

namespace picklock {

class SetValue {
 public:
  bool has(std::string_view member) const { return in_->members.find(member) != nullptr; }
  std::size_t size() const { return in_->members.size(); }
  bool empty() const { return in_->members.empty(); }
  /// Whether Redis would still keep it as an intset.
  bool is_intset() const { return in_->is_intset; }
  /// While it is an intset: its members in numeric order, and how many bytes each takes (2, 4 or
  /// 8), which never becomes less.
  const std::vector<std::int64_t>& numbers() const { return in_->numbers; }
  int intset_width() const { return in_->width; }
  void widen_intset(int width) { in_->width = std::max(in_->width, width); }

  /// False if it was there.
  bool add(std::string_view member, const EncodingLimits& limits = {}) {
    if (!in_->members.insert(member).second) return false;
    if (!in_->is_intset) return true;
    const auto number = parse_int64(member);
    if (number) {
      const bool small = *number == static_cast<std::int32_t>(*number);
      widen_intset(!small ? 8 : *number == static_cast<std::int16_t>(*number) ? 2 : 4);
      in_->numbers.insert(std::lower_bound(in_->numbers.begin(), in_->numbers.end(), *number),
                          *number);
    }
    const auto most = std::min<std::int64_t>(limits.set_max_intset_entries, kMostIntegers);
    if (!number || static_cast<std::int64_t>(size()) > most) {
      in_->is_intset = false;
      give_back(in_->numbers);
    }
    return true;
  }

  bool erase(std::string_view member) {
    if (!in_->members.erase(member)) return false;
    if (in_->is_intset)
      if (const auto number = parse_int64(member))
        in_->numbers.erase(std::lower_bound(in_->numbers.begin(), in_->numbers.end(), *number));
    return true;
  }

  /// Calls `visit(member)` for each in the set's order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (!in_->is_intset)
      return in_->members.for_each([&](const auto& entry) { visit(std::string_view{entry.key}); });
    char buffer[kInt64Chars];
    for (const std::int64_t number : in_->numbers) visit(format_int64(number, buffer));
  }

  /// The members in order of insertion.
  struct Nothing {};
  const Dict<Nothing>& members() const { return in_->members; }

 private:
  /// Redis 7.0, intsetMaxEntries: at most this many, whatever the setting.
  static constexpr std::int64_t kMostIntegers = 1 << 30;

  // On the heap, for a value of every other type is smaller.
  struct Inside {
    Dict<Nothing> members;
    std::vector<std::int64_t> numbers;  // The members once more, sorted, while is_intset.
    int width = 2;
    bool is_intset = true;
  };
  Box<Inside> in_{std::in_place};
};

}  // namespace picklock
