// How much memory keys take, as a portable figure: counted from the data, the same on every
// machine.
//
// Not what an allocator gives out: Redis's own figure differs between builds. Large values are
// judged by a few of their elements, as MEMORY USAGE of Redis does. Copyable values; not
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/keyspace/dict.hpp"
#include "emulator/keyspace/value.hpp"

namespace picklock {

/// What a key with this value counts for.
std::uint64_t counted_bytes(std::string_view key, const Value& value);

/// The running sum over the keys of one database. Costs nothing while it is off.
class MemoryCount {
 public:
  bool on() const { return on_; }
  /// To be called for every key that is made, changed or removed, before or after it is.
  void touch(std::string_view key) { touched_.insert(key); }
  void forget_all() {
    touched_.clear();
    counted_.clear();
    sum_ = 0;
  }
  void turn(bool on) {
    forget_all();
    on_ = on;
  }
  /// The sum; `value_of(key)` gives a key's present value, or null.
  template <class ValueOf>
  std::uint64_t sum(ValueOf&& value_of) {
    touched_.for_each([&](const auto& entry) {
      std::uint64_t& counted = counted_.insert(entry.key).first->value;
      const Value* value = value_of(entry.key);
      const std::uint64_t bytes = value ? counted_bytes(entry.key, *value) : 0;
      sum_ += bytes - counted;
      counted = bytes;
      if (!value) counted_.erase(entry.key);
    });
    touched_.clear();
    return sum_;
  }

 private:
  struct Nothing {};
  bool on_ = false;
  Dict<Nothing> touched_;        // Keys whose figure may be out of date.
  Dict<std::uint64_t> counted_;  // What each key counts for in sum_.
  std::uint64_t sum_ = 0;
};

}  // namespace picklock
