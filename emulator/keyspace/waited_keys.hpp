// The keys of one database that blocked clients wait for, and those of them that became ready.
//
// Who waits is known by number only, in the order of coming. A database for which nobody waits pays
// one comparison for each key that is made. A copyable value; not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/base/seldom.hpp"
#include "emulator/keyspace/dict.hpp"

namespace picklock {

/// The types of values that a request can wait for.
enum class Awaited : std::uint8_t { none, list, sorted_set, stream };

class WaitedKeys {
 public:
  using Waiters = std::vector<std::uint64_t>;
  using ByType = std::array<int, 4>;

  bool empty() const { return keys_.empty(); }

  /// Puts `waiter` behind those who wait for `key` already; once, if a request names it twice.
  void add(std::string_view key, std::uint64_t waiter) {
    Waiters& waiters = keys_.insert(key).first->value;
    if (waiters.empty() || waiters.back() != waiter) waiters.push_back(waiter);
  }
  void remove(std::string_view key, std::uint64_t waiter) {
    Waiters* waiters = keys_.find(key);
    if (!waiters) return;
    std::erase(*waiters, waiter);
    if (waiters->empty()) keys_.erase(key);
  }
  /// Those who wait for `key`, first come first; null if nobody does.
  const Waiters* waiters(std::string_view key) const { return keys_.find(key); }

  /// How many wait for values of each type, under whichever keys of whichever database.
  void count_all(const ByType& by_type) { by_type_ = by_type; }
  bool awaits(Awaited type) const {
    return type != Awaited::none && by_type_[static_cast<std::size_t>(type)] > 0;
  }

  /// Says that `key` may serve somebody now; heard only if somebody waits for it.
  void signal(std::string_view key) {
    if (keys_.find(key) && std::ranges::find(ready_, key) == ready_.end()) ready_.emplace_back(key);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    keys_.for_each([&](const auto& entry) { visit(entry.key); });
  }
  bool has_ready() const { return !ready_.empty(); }
  /// The keys that were signalled since the last call, each once, in order.
  std::vector<std::string> take_ready() { return std::exchange(ready_, {}); }

 private:
  Dict<Waiters> keys_;
  Seldom<std::vector<std::string>> ready_;
  ByType by_type_{};
};

}  // namespace picklock
