// The items of a small sorted set in one row of bytes, in order of score, then of their members'
// bytes.
//
// Each takes the length of its member, the length of its score, the score and the member; a look
// goes through them one by one. A score that is whole and not too large takes as many bytes as it
// has, any other eight. A copyable value; not thread-safe; what is returned is valid until the next
// change, and what is given must not lie in the row.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "emulator/keyspace/packed_row.hpp"

namespace picklock {

/// A member of a sorted set and its score.
struct ScoredItem {
  std::string_view member;
  double score = 0;

  /// Whether it stands before the given one.
  bool precedes(double other_score, std::string_view other_member) const {
    return score < other_score || (score == other_score && member < other_member);
  }
};

class PackedItems {
 public:
  static constexpr std::size_t kMostItems = 128;
  static constexpr std::size_t kLongest = 64;  ///< Bytes of a member.

  std::size_t size() const { return row_.entries; }

  /// An item, and how many stand before it.
  struct Place {
    const char* at;
    std::size_t rank;
  };
  /// Where the item of `member` stands; `at` is null if it is not there.
  Place find(std::string_view member) const {
    std::size_t rank = 0;
    for (const char* at = row_.data(); at != row_.end(); at = next(at), ++rank) {
      if (length(at[0]) != member.size()) continue;
      const char* const name = at + kHeader + length(at[1]);
      // Members that are alike differ at their ends, most often.
      if (member.empty() || (name[member.size() - 1] == member.back() &&
                             std::memcmp(name, member.data(), member.size()) == 0))
        return {at, rank};
    }
    return {nullptr, rank};
  }
  static double score_at(const char* place) {
    const std::size_t bytes = length(place[1]);
    const char* const digits = place + kHeader;
    if (bytes == kDouble) {
      double score = 0;
      std::memcpy(&score, digits, sizeof score);
      return score;
    }
    if (bytes == 0) return 0;
    // The lowest byte comes first; the highest one has the sign.
    std::int64_t whole = static_cast<signed char>(digits[bytes - 1]);
    for (std::size_t i = bytes - 1; i-- > 0;)
      whole = whole * 256 + static_cast<std::int64_t>(length(digits[i]));
    return static_cast<double>(whole);
  }
  static ScoredItem item_at(const char* place) {
    const std::size_t score_bytes = length(place[1]);
    return {{place + kHeader + score_bytes, length(place[0])}, score_at(place)};
  }
  /// The item at `rank`, which must be less than size().
  ScoredItem nth(std::size_t rank) const { return item_at(place_of(rank)); }

  /// Whether another item with such a member may come.
  bool takes(std::size_t member_size) const {
    return size() < kMostItems && member_size <= kLongest;
  }
  /// Makes room for `count` more items of so many bytes_for() in all, if it takes them.
  void expect(std::size_t count, std::size_t bytes) {
    if (size() + count <= kMostItems && bytes <= count * (kHeader + kDouble + kLongest))
      row_.reserve(row_.size_bytes() + bytes);
  }
  static std::size_t bytes_for(std::string_view member, double score);
  /// Puts an item that is not there, and that it takes, at its place in the order.
  void insert(std::string_view member, double score);
  /// Removes the item at `place`.
  void erase(const char* place);
  /// Removes the `count` items from `rank` on; they must be there.
  void erase(std::size_t rank, std::size_t count);

  /// How many items stand before the first one for which `precedes(item)` is false.
  template <class Precedes>
  std::size_t count_while(Precedes&& precedes) const {
    std::size_t count = 0;
    for (const char* at = row_.data(); at != row_.end() && precedes(item_at(at)); at = next(at))
      ++count;
    return count;
  }
  /// Calls `visit(item)` for the `count` items from `rank` on, which must be there.
  template <class Visit>
  void for_each(std::size_t rank, std::size_t count, Visit&& visit) const {
    const char* at = place_of(rank);
    for (; count > 0; --count, at = next(at)) visit(item_at(at));
  }

 private:
  static constexpr std::size_t kHeader = 2;
  static constexpr std::size_t kDouble = 8;  // Bytes of a score that is not kept as a whole number.

  static std::size_t length(char byte) { return static_cast<unsigned char>(byte); }
  static std::size_t size_at(const char* place) {
    return kHeader + length(place[0]) + length(place[1]);
  }
  static const char* next(const char* place) { return place + size_at(place); }
  const char* place_of(std::size_t rank) const {
    const char* place = row_.data();
    while (rank-- > 0) place = next(place);
    return place;
  }
  std::size_t offset(const char* place) const {
    return static_cast<std::size_t>(place - row_.data());
  }

  PackedRow row_;
};

}  // namespace picklock
