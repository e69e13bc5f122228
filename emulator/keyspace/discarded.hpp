// Keys that have been flushed and wait to be destroyed, some at a time, so that nobody waits long.
//
// Nothing can be seen of them. A copy has none: they are no part of a snapshot, and putting one
// back leaves them alone.
#pragma once

#include <utility>
#include <vector>

#include "emulator/keyspace/database.hpp"

namespace picklock {

class Discarded {
 public:
  Discarded() = default;
  Discarded(const Discarded&) {}
  Discarded(Discarded&&) noexcept = default;
  Discarded& operator=(const Discarded&) { return *this; }
  Discarded& operator=(Discarded&&) noexcept = default;
  ~Discarded() = default;

  bool empty() const { return dicts_.empty(); }
  void add(Dict<KeyEntry>&& keys) {
    if (!keys.empty()) dicts_.push_back(std::move(keys));
  }
  /// Destroys at most `most` keys.
  void wear_down(std::size_t most) {
    if (!dicts_.empty() && !dicts_.back().wear_down(most)) dicts_.pop_back();
  }

 private:
  std::vector<Dict<KeyEntry>> dicts_;
};

}  // namespace picklock
