#include "emulator/keyspace/packed_items.hpp"

#include <cmath>

namespace picklock {
namespace {

/// The bytes of a whole number, without those that only repeat its sign.
std::size_t bytes_of(std::int64_t whole) {
  if (whole == 0) return 0;
  std::size_t bytes = 1;
  for (; whole < -128 || whole > 127; whole >>= 8) ++bytes;
  return bytes;
}

/// The score as a whole number, if that is how it is kept: seven bytes have room for it then. There
/// is no whole -0.
bool is_whole(double score) {
  constexpr double kLimit = 36028797018963968;  // 2^55
  return score > -kLimit && score < kLimit && std::trunc(score) == score &&
         !(score == 0 && std::signbit(score));
}

}  // namespace

std::size_t PackedItems::bytes_for(std::string_view member, double score) {
  const std::size_t score_bytes =
      is_whole(score) ? bytes_of(static_cast<std::int64_t>(score)) : kDouble;
  return kHeader + score_bytes + member.size();
}

void PackedItems::insert(std::string_view member, double score) {
  const char* behind = row_.data();
  while (behind != row_.end() && item_at(behind).precedes(score, member)) behind = next(behind);
  const bool whole = is_whole(score);
  auto number = whole ? static_cast<std::int64_t>(score) : 0;
  const std::size_t score_bytes = whole ? bytes_of(number) : kDouble;
  char* place = row_.resize_part(offset(behind), 0, kHeader + score_bytes + member.size());
  *place++ = static_cast<char>(member.size());
  *place++ = static_cast<char>(score_bytes);
  if (!whole) {
    std::memcpy(place, &score, kDouble);
    place += kDouble;
  } else {
    for (std::size_t i = 0; i < score_bytes; ++i, number >>= 8)
      *place++ = static_cast<char>(number);
  }
  if (!member.empty()) std::memcpy(place, member.data(), member.size());
  ++row_.entries;
}

void PackedItems::erase(const char* place) {
  row_.resize_part(offset(place), size_at(place), 0);
  --row_.entries;
}

void PackedItems::erase(std::size_t rank, std::size_t count) {
  const char* const first = place_of(rank);
  const char* last = first;
  for (std::size_t i = 0; i < count; ++i) last = next(last);
  row_.resize_part(offset(first), static_cast<std::size_t>(last - first), 0);
  row_.entries -= static_cast<std::uint32_t>(count);
}

}  // namespace picklock
