// The value of a hash key: fields in order of insertion, some of which may have a deadline.
//
// A small hash is a row of bytes; one that has grown, or whose fields have deadlines, a dict on the
// heap, and it stays one. Which of the two it is shows only in what it costs: the encoding that
// Redis would use is the key's Form. A field lives while now <= deadline, as a key does
// (Redis 7.4); those whose time is over are dropped by the Database before anybody sees them. A
// copyable value; not thread-safe; what is returned is valid until the next change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/keyspace/box.hpp"
#include "emulator/keyspace/dict.hpp"
#include "emulator/keyspace/packed_fields.hpp"

namespace picklock {

/// "No deadline". Redis stores -1; nothing can have a negative deadline, as such a one deletes it.
inline constexpr std::int64_t kNoDeadline = -1;

class HashValue {
 public:
  using Fields = Dict<std::string>;

  std::size_t size() const { return large_ ? large_->fields.size() : packed_.size(); }
  bool empty() const { return size() == 0; }
  bool has(std::string_view field) const {
    return large_ ? large_->fields.find(field) != nullptr : packed_.find(field) != nullptr;
  }
  /// The value of `field`, or nullopt.
  std::optional<std::string_view> find(std::string_view field) const {
    if (large_) {
      const std::string* value = large_->fields.find(field);
      return value ? std::optional<std::string_view>{*value} : std::nullopt;
    }
    const char* place = packed_.find(field);
    return place ? std::optional{PackedFields::at(place).value} : std::nullopt;
  }
  /// Makes room, so that memory is asked for once: `count` fields with so many bytes in all their
  /// words are about to be made.
  void expect(std::size_t count, std::size_t bytes) {
    if (!large_) packed_.expect(count, bytes);
  }
  /// Sets `field`, and says whether it was made, at the end of the order. A deadline stays. Neither
  /// word may be one of this hash.
  bool set(std::string_view field, std::string_view value);
  /// False if it is not there.
  bool erase(std::string_view field);

  /// Calls `visit(field, value)` for each in order of insertion.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (!large_) return packed_.for_each(visit);
    large_->fields.for_each([&](const auto& entry) {
      visit(std::string_view{entry.key}, std::string_view{entry.value});
    });
  }
  /// One field, each as likely as any other; there must be one. `below(n)` draws a number under n.
  template <class Below>
  HashField pick(Below&& below) const {
    if (!large_) return packed_.nth(static_cast<std::size_t>(below(packed_.size())));
    const auto* entry = large_->fields.pick(below);
    return {entry->key, entry->value};
  }
  /// Calls `visit(field, value)` for about `places` fields that lie evenly spread.
  template <class Visit>
  void sample(std::size_t places, Visit&& visit) const {
    if (large_)
      return large_->fields.sample(places,
                                   [&](const auto& entry) { visit(entry.key, entry.value); });
    const std::size_t step = std::max<std::size_t>(1, size() / places);
    std::size_t at = 0;
    packed_.for_each([&](std::string_view field, std::string_view value) {
      if (at++ % step == 0) visit(field, value);
    });
  }

  /// The fields once they are kept in a dict, or null.
  const Fields* dict() const { return large_ ? &large_->fields : nullptr; }
  /// Keeps them in one from now on, for who wants to know them by their sequence numbers.
  void use_dict() {
    if (!large_) spread();
  }

  /// Whether any field has a deadline.
  bool has_deadlines() const { return deadlines() > 0; }
  /// Whether any field ever had one: Redis keeps such a hash in another form for good.
  bool ever_had_deadlines() const { return large_ && large_->deadlines; }
  std::size_t deadlines() const {
    return ever_had_deadlines() ? large_->deadlines->in_order.size() : 0;
  }
  /// kNoDeadline too if there is no such field.
  std::int64_t deadline_of(std::string_view field) const;
  /// Sets or (kNoDeadline) removes the deadline of a field that is there.
  void set_deadline(std::string_view field, std::int64_t deadline_ms);
  /// The earliest deadline of a field.
  std::optional<std::int64_t> first_deadline() const {
    if (!has_deadlines()) return std::nullopt;
    return large_->deadlines->in_order.begin()->first;
  }
  /// Whether some field's deadline is `deadline_ms`.
  bool has_deadline(std::int64_t deadline_ms) const;
  template <class Visit>
  void for_each_deadline(Visit&& visit) const {
    if (ever_had_deadlines())
      for (const auto& [deadline_ms, sequence] : large_->deadlines->in_order) visit(deadline_ms);
  }

  bool has_expired(std::int64_t now_ms) const {
    return has_deadlines() && large_->deadlines->in_order.begin()->first < now_ms;
  }
  /// Whether no field lives any more.
  bool all_expired(std::int64_t now_ms) const {
    return has_expired(now_ms) && deadlines() == size() &&
           large_->deadlines->in_order.rbegin()->first < now_ms;
  }
  /// Drops the fields that have expired; how many they were.
  std::size_t drop_expired(std::int64_t now_ms);

 private:
  // Fields are named by their sequence number, which they keep for life. Both hold the same pairs.
  struct Deadlines {
    std::map<std::uint64_t, std::int64_t> of_field;
    std::set<std::pair<std::int64_t, std::uint64_t>> in_order;
  };
  struct Large {
    Fields fields;
    Box<Deadlines> deadlines;
  };

  void spread();

  PackedFields packed_;  // Empty if large_ is there.
  Box<Large> large_;
};

}  // namespace picklock
