// A quicksort of which only a part of the result is wanted: that of Redis, for its order of equals.
//
// Redis sorts everything with a stable sort; but when only a part is asked for (SORT with BY and a
// LIMIT, geo searches with COUNT), it uses a quicksort of its own that leaves out the other parts
// and is not stable, which shows where elements compare equal. Pure functions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

namespace picklock {

/// Sorts `items` so that those from `first` to `last` (both included) stand where the quicksort of
/// Redis 7.0 (Bentley and McIlroy's) puts them. `compare(a, b)` is negative, zero or positive. What
/// would take it quadratic time is given to a stable sort instead.
template <class Item, class Compare>
class PartialQuicksort {
 public:
  PartialQuicksort(std::span<Item> items, std::size_t first, std::size_t last, Compare compare)
      : items_(items), first_(first), last_(last), compare_(compare) {
    sort(0, items.size(), 4 * static_cast<int>(std::bit_width(items.size())));
  }

 private:
  void insertion_sort(std::size_t from, std::size_t to) {
    for (std::size_t i = from + 1; i < to; ++i)
      for (std::size_t j = i; j > from && compare_(items_[j - 1], items_[j]) > 0; --j)
        std::swap(items_[j - 1], items_[j]);
  }

  std::size_t median(std::size_t a, std::size_t b, std::size_t c) const {
    if (compare_(items_[a], items_[b]) < 0) {
      if (compare_(items_[b], items_[c]) < 0) return b;
      return compare_(items_[a], items_[c]) < 0 ? c : a;
    }
    if (compare_(items_[b], items_[c]) > 0) return b;
    return compare_(items_[a], items_[c]) < 0 ? a : c;
  }

  std::size_t pivot(std::size_t from, std::size_t size) const {
    std::size_t low = from;
    std::size_t middle = from + size / 2;
    std::size_t high = from + size - 1;
    if (size <= 7) return middle;
    if (size > 40) {
      const std::size_t eighth = size / 8;
      low = median(low, low + eighth, low + 2 * eighth);
      middle = median(middle - eighth, middle, middle + eighth);
      high = median(high - 2 * eighth, high - eighth, high);
    }
    return median(low, middle, high);
  }

  /// Exchanges `count` items at `a` with as many at `b`.
  void exchange(std::size_t a, std::size_t b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) std::swap(items_[a + i], items_[b + i]);
  }

  /// Cuts [from, to) at its pivot; returns how many are less and how many greater.
  std::pair<std::size_t, std::size_t> partition(std::size_t from, std::size_t to) {
    std::swap(items_[from], items_[pivot(from, to - from)]);
    // Equal ones gather at both ends; `high` and `high_equal` are one behind their items.
    std::size_t low_equal = from + 1;
    std::size_t low = from + 1;
    std::size_t high = to;
    std::size_t high_equal = to;
    for (;;) {
      for (int order = 0; low < high && (order = compare_(items_[low], items_[from])) <= 0; ++low)
        if (order == 0) std::swap(items_[low_equal++], items_[low]);
      for (int order = 0; low < high && (order = compare_(items_[high - 1], items_[from])) >= 0;
           --high)
        if (order == 0) std::swap(items_[high - 1], items_[--high_equal]);
      if (low >= high) break;
      std::swap(items_[low++], items_[--high]);
    }
    const std::size_t less = low - low_equal;
    const std::size_t greater = high_equal - high;
    std::size_t moved = std::min(low_equal - from, less);
    exchange(from, low - moved, moved);
    moved = std::min(greater, to - high_equal);
    exchange(low, to - moved, moved);
    return {less, greater};
  }

  bool is_asked_for(std::size_t from, std::size_t to) const { return from <= last_ && first_ < to; }

  void sort(std::size_t from, std::size_t to, int depth) {
    while (to - from >= 7) {
      if (depth-- == 0) {
        std::stable_sort(items_.begin() + static_cast<std::ptrdiff_t>(from),
                         items_.begin() + static_cast<std::ptrdiff_t>(to),
                         [&](const Item& a, const Item& b) { return compare_(a, b) < 0; });
        return;
      }
      const auto [less, greater] = partition(from, to);
      if (less > 1 && is_asked_for(from, from + less)) sort(from, from + less, depth);
      if (greater <= 1 || !is_asked_for(to - greater, to)) return;
      from = to - greater;
    }
    insertion_sort(from, to);
  }

  std::span<Item> items_;
  std::size_t first_;
  std::size_t last_;
  Compare compare_;
};

}  // namespace picklock
