// A set of state hashes: open addressing, eight bytes an element, looked for in whole cache lines:
// of a large set hardly anything is in the processor's caches. Not thread-safe.
#pragma once

#include <array>
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
    if ((size_ + 1) * 4 > lines_.size() * kSlots * 3) grow();
    std::uint64_t& slot = find(hash);
    if (slot == hash) return false;
    slot = hash;
    ++size_;
    return true;
  }
  std::size_t size() const { return size_; }
  /// insert(hash) is to come.
  void prefetch(std::uint64_t hash) const {
    if (!lines_.empty()) __builtin_prefetch(&lines_[hash & (lines_.size() - 1)], 1);
  }

 private:
  static constexpr std::size_t kSlots = 8;
  struct alignas(64) Line {
    std::array<std::uint64_t, kSlots> slots{};
  };

  /// Its slot, or the one that it may take.
  std::uint64_t& find(std::uint64_t hash) {
    const std::size_t first = hash >> 61;  // Around the line from there.
    for (std::size_t at = hash;; ++at) {
      Line& line = lines_[at & (lines_.size() - 1)];
      for (std::size_t i = first; i < first + kSlots; ++i) {
        std::uint64_t& slot = line.slots[i % kSlots];
        if (slot == 0 || slot == hash) return slot;
      }
    }
  }
  void grow() {
    const std::vector<Line> old =
        std::exchange(lines_, std::vector<Line>(lines_.empty() ? 128 : lines_.size() * 2));
    for (const Line& line : old) {
      for (const std::uint64_t hash : line.slots)
        if (hash != 0) find(hash) = hash;
    }
  }

  std::vector<Line> lines_;
  std::size_t size_ = 0;
};

}  // namespace picklock::race
