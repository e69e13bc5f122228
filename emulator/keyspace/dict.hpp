// A hash table from strings to values that keeps the order of insertion.
//
// Iteration, random picks and scans depend on the history of operations alone, never on hash order,
// so they are the same on every machine. Erased entries leave holes that later insertions squeeze
// out. However many entries there are, no operation moves or looks at more than a bounded number of
// them, but for those that visit all, copies and the end of life. Pointers to values are valid
// until the next insertion, and those to others than the erased one also over an erasure. A
// copyable value, whose assignment uses the memory that is there; not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "emulator/keyspace/dict_entry.hpp"
#include "emulator/keyspace/large_table.hpp"
#include "emulator/keyspace/small_table.hpp"

namespace picklock {

template <class Value>
class Dict {
 public:
  using Entry = DictEntry<Value>;

  Dict() = default;
  Dict(const Dict& other) : small_(other.small_), last_sequence_(other.last_sequence_) {
    if (other.large_) large_ = std::make_unique<LargeTable<Value>>(*other.large_);
  }
  Dict(Dict&& other) noexcept
      : small_(std::exchange(other.small_, {})),
        large_(std::move(other.large_)),
        last_sequence_(other.last_sequence_) {}
  Dict& operator=(const Dict& other) {
    small_ = other.small_;
    last_sequence_ = other.last_sequence_;
    if (large_ || other.large_) [[unlikely]]
      assign_large(other);
    return *this;
  }
  Dict& operator=(Dict&& other) noexcept {
    small_ = std::exchange(other.small_, {});
    large_ = std::move(other.large_);
    last_sequence_ = other.last_sequence_;
    return *this;
  }
  ~Dict() = default;

  std::size_t size() const { return large_ ? large_->size() : small_.size(); }
  bool empty() const { return size() == 0; }

  const Value* find(std::string_view key) const {
    const Entry* entry = find_entry(key);
    return entry ? &entry->value : nullptr;
  }
  Value* find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  const Entry* find_entry(std::string_view key) const {
    if (large_) return large_->find(key, dict_hash(key));
    return small_.is_tiny() ? small_.find(key) : small_.find(key, dict_hash(key));
  }
  Entry* find_entry(std::string_view key) {
    return const_cast<Entry*>(std::as_const(*this).find_entry(key));
  }

  /// Whether there are so many that what find() looks at will not be at hand in the processor.
  bool is_far() const { return size() > 32 * 1024; }
  static constexpr std::size_t kPrefetched = 16;  ///< As many as a processor can wait for at once.
  /// Has the processor fetch it for these keys, of which the first kPrefetched count: for all at
  /// once, where one would wait for another's memory.
  void prefetch(std::span<const std::string_view> keys) const {
    if (!large_) return;
    std::array<std::uint32_t, kPrefetched> hashes;
    const std::size_t count = std::min(keys.size(), hashes.size());
    for (std::size_t i = 0; i < count; ++i) hashes[i] = dict_hash(keys[i]);
    large_->prefetch(std::span{hashes}.first(count));
  }

  /// The live entry with this sequence number, or null.
  const Entry* find_sequence(std::uint64_t sequence) const {
    return large_ ? large_->find_sequence(sequence) : small_.find_sequence(sequence);
  }

  /// The first live entry whose sequence number is at least `sequence`, or null.
  const Entry* first_from(std::uint64_t sequence) const {
    return large_ ? large_->first_from(sequence) : small_.first_from(sequence);
  }

  /// The entry of `key`, made with `Value{}` at the end of the order if it is missing (then second
  /// is true).
  std::pair<Entry*, bool> insert(std::string_view key) {
    if (!large_ && !small_.make_room()) become_large();
    const bool tiny = !large_ && small_.is_tiny();
    const Entry* found = tiny ? small_.find(key) : nullptr;
    const bool hashed = !found && (!tiny || !small_.stays_tiny());
    const std::uint32_t hash = hashed ? dict_hash(key) : 0;
    if (!tiny) found = large_ ? large_->find(key, hash) : small_.find(key, hash);
    if (found) return {const_cast<Entry*>(found), false};
    Entry& entry = append(++last_sequence_, hash);
    entry.key.assign(key);
    return {&entry, true};
  }

  bool erase(std::string_view key) {
    Entry* entry = find_entry(key);
    if (!entry) return false;
    erase(*entry);
    return true;
  }
  /// `entry` is a live one of this dict.
  void erase(Entry& entry) {
    if (!large_)
      small_.erase(entry);
    else if (large_->size() == 1)
      large_.reset();
    else
      large_->erase(entry);
  }

  void clear() {
    small_.clear();
    large_.reset();
  }

  /// As clear(), but a large dict's entries are handed over, for the caller to destroy when it has
  /// the time.
  [[nodiscard]] Dict take_entries() {
    Dict taken;
    taken.large_ = std::move(large_);
    clear();
    return taken;
  }
  /// Destroys at most `most` entries of a dict that is used for nothing else any more. False if
  /// those were all.
  bool wear_down(std::size_t most) {
    if (large_ && large_->wear_down(most)) return true;
    clear();
    return false;
  }

  /// A live entry, each as likely as any other, or null; `below(n)` draws a number under n.
  template <class Below>
  const Entry* pick(Below&& below) const {
    return large_ ? large_->pick(below) : small_.pick(below);
  }

  /// Calls `visit(entry)` for the live entries among `places` that lie evenly spread: a look at a
  /// few, at a cost that does not grow with the dict.
  template <class Visit>
  void sample(std::size_t places, Visit&& visit) const {
    large_ ? large_->sample(places, visit) : small_.sample(places, visit);
  }

  /// Calls `visit(entry)` for every live entry in order of insertion.
  template <class Visit>
  void for_each(Visit&& visit) const {
    large_ ? large_->for_each(visit) : small_.for_each(visit);
  }
  template <class Visit>
  void for_each(Visit&& visit) {
    std::as_const(*this).for_each([&](const Entry& entry) { visit(const_cast<Entry&>(entry)); });
  }

 private:
  Entry& append(std::uint64_t sequence, std::uint32_t hash) {
    return large_ ? large_->append(sequence, hash) : small_.append(sequence, hash);
  }

  /// Where this one or `other` is large.
  [[gnu::noinline]] void assign_large(const Dict& other) {
    if (large_ && other.large_)
      *large_ = *other.large_;
    else
      large_ = other.large_ ? std::make_unique<LargeTable<Value>>(*other.large_) : nullptr;
  }

  /// For good, until the last entry has gone.
  void become_large() {
    large_ = std::make_unique<LargeTable<Value>>();
    small_.for_each([this](const Entry& from) {
      Entry& to = large_->append(from.sequence, from.hash);
      to.key = std::move(const_cast<Entry&>(from).key);
      to.value = std::move(const_cast<Entry&>(from).value);
    });
    small_ = {};
  }

  SmallTable<Value> small_;                   // Empty while there is a large one.
  std::unique_ptr<LargeTable<Value>> large_;  // A large dict's entries.
  std::uint64_t last_sequence_ = 0;
};

}  // namespace picklock
