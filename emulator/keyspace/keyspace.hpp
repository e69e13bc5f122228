// All databases of one server. A copyable value: copying it is taking a snapshot.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/keyspace/database.hpp"
#include "emulator/keyspace/discarded.hpp"

namespace picklock {

class Keyspace {
 public:
  explicit Keyspace(int databases, std::uint64_t seed = 0) : count_(databases), seed_(seed) {}

  int size() const { return count_; }
  /// Database `index` (0 to size() - 1). Only those up to the highest one used exist, so that
  /// copies are cheap; a reference is valid until another database is used for the first time.
  Database& operator[](int index) {
    const auto at = static_cast<std::size_t>(index);
    if (at >= used_.size()) grow(at + 1);
    return used_[at];
  }
  /// Null for a database that was never used.
  const Database* at(int index) const {
    return static_cast<std::size_t>(index) < used_.size() ? &used_[static_cast<std::size_t>(index)]
                                                          : nullptr;
  }

  /// See Database::keep_notes().
  void keep_notes(bool keep) {
    keeps_notes_ = keep;
    for (Database& database : used_) database.keep_notes(keep);
  }

  /// See Database::count_uses().
  void count_uses(const UseCounting& counting) {
    counting_ = counting;
    for (Database& database : used_) database.count_uses(counting);
  }

  /// Numbers the commands, for Database::set_now().
  std::uint32_t next_command() { return ++commands_; }

  /// See Database::count_memory().
  void count_memory(bool count) {
    counts_memory_ = count;
    for (Database& database : used_) database.count_memory(count);
  }
  std::uint64_t used_memory() const {
    std::uint64_t sum = 0;
    for (const Database& database : used_) sum += database.used_memory();
    return sum;
  }
  /// See Database::collect_changes().
  void collect_changes(bool collect) {
    collects_changes_ = collect;
    for (Database& database : used_) database.collect_changes(collect);
  }
  /// See Database::collect_effects().
  void collect_effects(bool collect) {
    collects_effects_ = collect;
    for (Database& database : used_) database.collect_effects(collect);
  }
  /// See Database::freeze().
  void freeze(bool frozen) {
    if (std::exchange(frozen_, frozen) == frozen) return;
    for (Database& database : used_) database.freeze(frozen);
  }

  /// See Database::show_expired().
  void show_expired(bool show) {
    if (std::exchange(shows_expired_, show) == show) return;
    for (Database& database : used_) database.show_expired(show);
  }

  /// See Database::own_deadlines().
  void own_deadlines(bool own) {
    if (std::exchange(owns_deadlines_, own) == own) return;
    for (Database& database : used_) database.own_deadlines(own);
  }

  /// One more (or one less, with -1) waits for values of this type, in whichever database: Redis
  /// counts them for the server.
  void count_waiting(Awaited type, int change) {
    waiting_[static_cast<std::size_t>(type)] += change;
    for (Database& database : used_) database.waited().count_all(waiting_);
  }
  /// Nobody waits any more.
  void forget_waiting() {
    waiting_ = {};
    for (Database& database : used_) database.waited() = {};
  }

  /// Lookups for reading that found a key, and that did not.
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;

  void clear() {
    for (Database& database : used_) database.clear();
  }
  /// As clear(), but many keys go little by little, when discarded() is told to.
  void discard_all() {
    for (Database& database : used_) discard(database);
  }
  void discard(Database& database) { discarded_.add(database.take_all()); }
  Discarded& discarded() { return discarded_; }
  std::vector<Database>& used() { return used_; }
  const std::vector<Database>& used() const { return used_; }
  std::uint64_t changes() const {
    std::uint64_t sum = 0;
    for (const Database& database : used_) sum += database.changes();
    return sum;
  }

 private:
  void grow(std::size_t size) {
    const std::size_t before = used_.size();
    used_.resize(size);
    for (std::size_t i = before; i < size; ++i) {
      used_[i].keep_notes(keeps_notes_);
      used_[i].count_uses(counting_);
      used_[i].seed(seed_ + i);
      used_[i].count_memory(counts_memory_);
      used_[i].collect_changes(collects_changes_);
      used_[i].collect_effects(collects_effects_);
      used_[i].freeze(frozen_);
      used_[i].show_expired(shows_expired_);
      used_[i].own_deadlines(owns_deadlines_);
      used_[i].waited().count_all(waiting_);
    }
  }

  int count_;
  std::vector<Database> used_;
  Discarded discarded_;
  bool keeps_notes_ = false;
  UseCounting counting_;
  std::uint64_t seed_;
  std::uint32_t commands_ = 0;
  bool counts_memory_ = false;
  bool collects_changes_ = false;
  bool collects_effects_ = false;
  bool frozen_ = false;
  bool shows_expired_ = false;
  bool owns_deadlines_ = false;
  WaitedKeys::ByType waiting_{};
};

}  // namespace picklock
