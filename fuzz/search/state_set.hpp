// A set of state hashes: open addressing, eight bytes an element. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace picklock::race {

class StateSet {
 public:
  /// Returns whether it is new.
  bool insert(std::uint64_t hash) {
    if (hash == 0) hash = 1;  // 0 marks a free slot.
    if ((size_ + 1) * 2 > slots_.size()) grow();
    std::uint64_t& slot = find(hash);
    if (slot == hash) return false;
    slot = hash;
    ++size_;
    return true;
  }
  std::size_t size() const { return size_; }

 private:
  std::uint64_t& find(std::uint64_t hash) {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != 0 && slots_[at] != hash) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<std::uint64_t> old = std::exchange(
        slots_, std::vector<std::uint64_t>(slots_.empty() ? 1024 : slots_.size() * 2, 0));
    for (const std::uint64_t hash : old) {
      if (hash != 0) find(hash) = hash;
    }
  }

  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

}  // namespace picklock::race
