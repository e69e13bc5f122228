#include "emulator/keyspace/sorted_set.hpp"

namespace picklock {

void SortedSet::set(std::string_view member, double score, const EncodingLimits& limits) {
  const char* old_place = large_ ? nullptr : packed_.find(member).at;
  const auto old = large_      ? this->score(member)
                   : old_place ? std::optional{PackedItems::score_at(old_place)}
                               : std::nullopt;
  if (old == score) return;
  if (!old) {
    if (static_cast<std::int64_t>(size()) >= limits.zset_max_listpack_entries ||
        static_cast<std::int64_t>(member.size()) > limits.zset_max_listpack_value)
      leave_compact();
    else if (!large_ && !packed_.takes(member.size()))
      spread();
  }
  // Redis 7.0, zzlInsertAt: a listpack keeps whole scores as integers, which have no -0.
  if (compact() && score == 0) score = 0.0;
  if (large_) return large_->tree.set(member, score);
  if (old_place) packed_.erase(old_place);
  packed_.insert(member, score);
}

bool SortedSet::erase(std::string_view member) {
  if (large_) return large_->tree.erase(member);
  const char* place = packed_.find(member).at;
  if (place) packed_.erase(place);
  return place != nullptr;
}

void SortedSet::erase(std::size_t rank, std::size_t count) {
  if (!large_) return packed_.erase(rank, count);
  for (; count > 0; --count) large_->tree.erase(at(rank).member);
}

std::optional<std::size_t> SortedSet::rank(std::string_view member) const {
  if (large_) return large_->tree.rank(member);
  const auto [place, rank] = packed_.find(member);
  return place ? std::optional{rank} : std::nullopt;
}

void SortedSet::spread() {
  Box<Large> large{std::in_place};
  packed_.for_each(0, packed_.size(),
                   [&](const Item& item) { large->tree.set(item.member, item.score); });
  large_ = std::move(large);
  packed_ = {};
}

}  // namespace picklock
