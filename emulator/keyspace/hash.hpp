// The value of a hash key: fields in order of insertion, some of which may have a deadline.
//
// Deadlines live in a structure beside the fields that only a hash with such fields has. A field
// lives while now <= deadline, as a key does (Redis 7.4); those whose time is over are dropped by
// the Database before anybody sees them. A copyable value; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/keyspace/dict.hpp"

namespace picklock {

/// "No deadline". Redis stores -1; nothing can have a negative deadline, as such a one deletes it.
inline constexpr std::int64_t kNoDeadline = -1;

class HashValue : public Dict<std::string> {
 public:
  HashValue() = default;
  HashValue(const HashValue& other) : Dict(other) {
    if (other.deadlines_) deadlines_ = std::make_unique<Deadlines>(*other.deadlines_);
  }
  HashValue(HashValue&&) noexcept = default;
  HashValue& operator=(const HashValue& other) { return *this = HashValue{other}; }
  HashValue& operator=(HashValue&&) noexcept = default;
  ~HashValue() = default;

  bool erase(std::string_view field) {
    if (deadlines_) set_deadline(field, kNoDeadline);
    return Dict::erase(field);
  }
  void clear() {
    Dict::clear();
    deadlines_.reset();
  }

  /// Whether any field has a deadline.
  bool has_deadlines() const { return deadlines_ && !deadlines_->in_order.empty(); }
  /// Whether any field ever had one: Redis keeps such a hash in another form for good.
  bool ever_had_deadlines() const { return deadlines_ != nullptr; }
  std::size_t deadlines() const { return deadlines_ ? deadlines_->in_order.size() : 0; }
  /// kNoDeadline too if there is no such field.
  std::int64_t deadline_of(std::string_view field) const;
  /// Sets or (kNoDeadline) removes the deadline of a field that is there.
  void set_deadline(std::string_view field, std::int64_t deadline_ms);
  /// The earliest deadline of a field.
  std::optional<std::int64_t> first_deadline() const {
    if (!has_deadlines()) return std::nullopt;
    return deadlines_->in_order.begin()->first;
  }
  /// Whether some field's deadline is `deadline_ms`.
  bool has_deadline(std::int64_t deadline_ms) const;
  template <class Visit>
  void for_each_deadline(Visit&& visit) const {
    if (deadlines_)
      for (const auto& [deadline_ms, sequence] : deadlines_->in_order) visit(deadline_ms);
  }

  bool has_expired(std::int64_t now_ms) const {
    return deadlines_ && !deadlines_->in_order.empty() &&
           deadlines_->in_order.begin()->first < now_ms;
  }
  /// Whether no field lives any more.
  bool all_expired(std::int64_t now_ms) const {
    return has_expired(now_ms) && deadlines() == size() &&
           deadlines_->in_order.rbegin()->first < now_ms;
  }
  /// Drops the fields that have expired; how many they were.
  std::size_t drop_expired(std::int64_t now_ms);

 private:
  // Fields are named by their sequence number, which they keep for life. Both hold the same pairs.
  struct Deadlines {
    std::map<std::uint64_t, std::int64_t> of_field;
    std::set<std::pair<std::int64_t, std::uint64_t>> in_order;
  };
  std::unique_ptr<Deadlines> deadlines_;
};

}  // namespace picklock
