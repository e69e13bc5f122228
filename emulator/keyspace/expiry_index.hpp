// Deadlines in order, for active expiry and for finding the next event.
//
// A binary heap of (deadline, key's insertion number). Changing a deadline only adds an item; an
// item whose key has another deadline by now is stale and is dropped by its owner when it comes up.
// A copyable value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace picklock {

class ExpiryIndex {
 public:
  struct Item {
    std::int64_t deadline_ms;
    std::uint64_t sequence;
    auto operator<=>(const Item&) const = default;
  };

  void add(Item item) {
    heap_.push_back(item);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
  }
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// Item `index` in no order that means anything.
  const Item& at(std::size_t index) const { return heap_[index]; }
  const Item& first() const { return heap_.front(); }
  void drop_first() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    heap_.pop_back();
  }
  void clear() { heap_.clear(); }
  /// Drops every item for which `stale(item)` holds, and repetitions; O(n log n).
  template <class Stale>
  void sweep(Stale&& stale) {
    std::erase_if(heap_, stale);
    std::sort(heap_.begin(), heap_.end());  // What is sorted is a heap, too.
    heap_.erase(std::unique(heap_.begin(), heap_.end()), heap_.end());
  }

 private:
  std::vector<Item> heap_;
};

}  // namespace picklock
