// Deadlines in order, for active expiry and for finding the next event.
//
// A binary heap of (deadline, key's insertion number). Changing a deadline only adds an item; an
// item whose key has another deadline by now is stale and is dropped by its owner when it comes up,
// or when stale ones have become many: at once while all are few, else by a renewal, in which the
// owner names the keys that have a deadline a few at a time. A copyable value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/keyspace/segmented.hpp"

namespace picklock {

class ExpiryIndex {
 public:
  struct Item {
    std::int64_t deadline_ms;
    std::uint64_t sequence;
    auto operator<=>(const Item&) const = default;
  };

  void add(Item item) {
    push(items_, item);
    if (renewed_to_ != 0) push(renewed_, item);
  }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  /// Item `index` in no order that means anything.
  const Item& at(std::size_t index) const { return items_[index]; }
  const Item& first() const { return items_[0]; }
  void drop_first() {
    const Item last = items_.back();
    items_.pop_back();
    if (!items_.empty()) sink(last);
  }
  void clear() {
    items_.clear();
    if (is_renewing()) stop_renewal();
  }
  /// Drops every item for which `stale(item)` holds, and repetitions; O(n log n).
  template <class Stale>
  void sweep(Stale&& stale) {
    std::vector<Item> kept;
    kept.reserve(items_.size());
    for (std::size_t at = 0; at < items_.size(); ++at)
      if (!stale(items_[at])) kept.push_back(items_[at]);
    std::sort(kept.begin(), kept.end());  // What is sorted is a heap, too.
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    items_.clear();
    for (const Item& item : kept) items_.push_back(item);
    if (is_renewing()) stop_renewal();
  }

  /// One step of a renewal: `next(from, take)` calls `take(item)` for some keys whose insertion
  /// number is at least `from`, and returns where to go on, or 0 if they were the last. Then the
  /// items are those that were taken and those that were added meanwhile.
  template <class Next>
  void renew(Next&& next) {
    const std::uint64_t from = std::max<std::uint64_t>(renewed_to_, 1);
    renewed_to_ = next(from, [this](Item item) { push(renewed_, item); });
    if (renewed_to_ != 0) return;
    items_ = std::move(renewed_);
    stop_renewal();
  }
  bool is_renewing() const { return renewed_to_ != 0; }

 private:
  using Items = Segmented<Item>;

  static void push(Items& items, Item item) {
    items.push_back(item);
    std::size_t at = items.size() - 1;
    for (std::size_t above; at > 0; at = above) {
      above = (at - 1) / 2;
      if (items[above] <= item) break;
      items[at] = items[above];
    }
    items[at] = item;
  }
  /// Puts `item` where it belongs, in the first one's stead.
  void sink(Item item) {
    std::size_t at = 0;
    for (std::size_t below; (below = 2 * at + 1) < items_.size(); at = below) {
      if (below + 1 < items_.size() && items_[below + 1] < items_[below]) ++below;
      if (item <= items_[below]) break;
      items_[at] = items_[below];
    }
    items_[at] = item;
  }
  void stop_renewal() {
    renewed_ = {};
    renewed_to_ = 0;
  }

  Items items_;
  Items renewed_;                 // Becomes the items when all keys have been named.
  std::uint64_t renewed_to_ = 0;  // From here on they have not been; 0 without a renewal.
};

}  // namespace picklock
