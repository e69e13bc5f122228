// One numbered database: keys, their values and their deadlines.
//
// The only way to change a key is through this class, which therefore knows every change: it keeps
// the expiry index, counts changes and stamps versions. Times are Unix milliseconds. A copyable
// value; not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/base/rare.hpp"
#include "emulator/keyspace/dict.hpp"
#include "emulator/keyspace/expiry_index.hpp"
#include "emulator/keyspace/key_effects.hpp"
#include "emulator/keyspace/memory_count.hpp"
#include "emulator/keyspace/use_clock.hpp"
#include "emulator/keyspace/value.hpp"
#include "emulator/keyspace/waited_keys.hpp"
#include "emulator/keyspace/watched_keys.hpp"

namespace picklock {

/// What happens to a key without a command naming it.
struct KeyNote {
  enum class Kind : std::uint8_t {
    expired,
    made,
    fields_expired,  ///< A hash has lost fields whose time was over.
    emptied,         ///< And they were its last.
  } kind;
  std::string key;
};

/// What the past of a value adds to how Redis keeps it.
enum class Form : std::uint8_t {
  fresh,  ///< As if it had just been set.
  own,    ///< The same, but a copy: a number that Redis does not share with other keys.
  text,   ///< A string that is never kept as a number (INCRBYFLOAT).
  grown,  ///< Changed in place, or once too large for the compact encoding.
};

struct KeyEntry {
  Value value;
  std::int64_t deadline_ms = kNoDeadline;  ///< The last millisecond in which the key lives.
  std::uint32_t used_by = 0;               ///< The command that counted as its last use.
  UseClock use;                            ///< When, or how often, it was looked at or set.
  Form form = Form::fresh;
};
static_assert(sizeof(KeyEntry) == sizeof(Value) + 16, "There is one for each key.");

inline bool keeps_much(const KeyEntry& entry) {
  const StringValue* const text = std::get_if<StringValue>(&entry.value);
  return text && keeps_much(*text);
}

class Database {
 public:
  /// The value of `key`, judged at `now_ms`: an expired key is deleted on sight and counts as
  /// missing. Redis 7.0: a key is expired when now > deadline.
  const KeyEntry* find(std::string_view key, std::int64_t now_ms);
  /// As find(), but not counted as a use of the key.
  const KeyEntry* look(std::string_view key, std::int64_t now_ms);
  /// The same look without the deletion.
  const KeyEntry* peek(std::string_view key, std::int64_t now_ms) const;
  /// As find(), but the value may be changed: counts as a change.
  KeyEntry* edit(std::string_view key, std::int64_t now_ms);
  /// The same for what find() or look() has just given for `key`.
  KeyEntry& edit(std::string_view key, const KeyEntry& found) {
    changed(key);
    return const_cast<KeyEntry&>(found);
  }

  /// Sets `key` to `value`, replacing any type. The deadline goes, unless `keep_deadline`.
  void put(std::string_view key, Value&& value, bool keep_deadline = false);
  /// As put(), and the key lives until `deadline_ms` (kNoDeadline: for good).
  void put_until(std::string_view key, Value&& value, std::int64_t deadline_ms);
  /// As put() with a string that is not one of this database's. It lives until `deadline_ms`;
  /// nullopt: it keeps the key's deadline.
  void put_text(std::string_view key, std::string_view text,
                std::optional<std::int64_t> deadline_ms = kNoDeadline);
  /// As put(), but not counted as a change: who watches the key is to hear of what follows.
  void put_unnoticed(std::string_view key, Value&& value, bool keep_deadline = false);
  void set_form(std::string_view key, Form form) {
    if (KeyEntry* entry = keys_.find(key)) entry->form = form;
  }
  /// The instant at which keys that are put count as used, and the number of the command that asks:
  /// it uses a key once, however often it looks.
  void set_now(std::int64_t now_ms, std::uint32_t command = 0) {
    now_ms_ = now_ms;
    command_ = command;
  }
  /// Exchanges all keys with `other`; who watches a key of this database goes on doing so.
  void swap_keys(Database& other, std::int64_t now_ms);
  /// Deletes the key, expired or not; false if it is not there.
  bool erase(std::string_view key);
  /// The same of a key that is there, to make room.
  void evict(std::string_view key);
  /// Sets or (kNoDeadline) removes the deadline of a key that is there.
  void set_deadline(std::string_view key, std::int64_t deadline_ms);
  /// The same for a field of the hash that `key` holds.
  void set_field_deadline(std::string_view key, std::string_view field, std::int64_t deadline_ms);
  void clear();
  /// As clear(), but many keys are for the caller to destroy; of a few none is left to return.
  [[nodiscard]] Dict<KeyEntry> take_all();
  /// What RESTORE says of a key that is there; without effect under the other kind of policy.
  void set_idle(std::string_view key, std::int64_t seconds) {
    KeyEntry* entry = keys_.find(key);
    if (entry && !counting_.lfu) entry->use.set_idle(seconds, now_ms_);
  }
  void set_frequency(std::string_view key, std::int64_t frequency) {
    KeyEntry* entry = keys_.find(key);
    if (entry && counting_.lfu) entry->use.set_frequency(frequency, now_ms_);
  }
  /// A key that only gets another name keeps its use.
  void set_use(std::string_view key, UseClock use) {
    if (KeyEntry* entry = keys_.find(key)) entry->use = use;
  }
  /// How uses are counted, and the seed of the chance by which frequent ones are.
  void count_uses(const UseCounting& counting) { counting_ = counting; }
  void seed(std::uint64_t seed) { chance_.reseed(seed); }
  const UseCounting& counting() const { return counting_; }

  /// Keys, those included that have expired but not been deleted yet (DBSIZE).
  std::size_t size() const { return keys_.size(); }
  /// Keys with a deadline.
  std::size_t volatile_size() const { return volatile_; }
  /// The sum of all remaining lifetimes over the keys that have a deadline, for INFO's avg_ttl.
  std::int64_t average_ttl_ms(std::int64_t now_ms) const;

  /// The earliest deadline of a key or of a hash's field, or nullopt.
  std::optional<std::int64_t> first_deadline() const;
  /// Deletes the expired key with the earliest deadline (ties: the older key first), or else the
  /// expired fields of one hash; false if there is none.
  bool expire_one(std::int64_t now_ms);
  /// The same of keys that got their deadline while own_deadlines() was on.
  bool expire_own(std::int64_t now_ms);
  std::optional<std::int64_t> first_own_deadline() const;

  const Dict<KeyEntry>& keys() const { return keys_; }
  std::uint64_t changes() const { return changes_; }
  std::uint64_t expired() const { return expired_; }
  std::uint64_t expired_fields() const { return expired_fields_; }
  /// Items in the expiry index, stale ones included.
  std::size_t expiry_items() const { return expiry_.size(); }

  /// Who watches which keys; every change of a key is reported to it.
  WatchedKeys& watched() { return watched_; }
  const WatchedKeys& watched() const { return watched_; }
  /// Who waits for which keys; every key that is made is signalled to it.
  WaitedKeys& waited() { return waited_; }

  /// Whether to keep used_memory() up to date; off at first.
  void count_memory(bool count);
  /// What the keys count for; from all keys while count_memory() is off.
  std::uint64_t used_memory() const;
  /// A key to evict, or null if there is none: `better(a, b)` says whether `a` should go before
  /// `b`. Looks at `samples` keys drawn by `below`, among those with a deadline if `only_volatile`.
  template <class Below, class Better>
  const Dict<KeyEntry>::Entry* eviction_candidate(std::int64_t samples, bool only_volatile,
                                                  Below&& below, Better&& better) const {
    const Dict<KeyEntry>::Entry* best = nullptr;
    for (std::int64_t i = 0; i < samples; ++i) {
      const auto* entry = only_volatile ? pick_volatile(below) : keys_.pick(below);
      if (!entry) return best;
      if (!best || better(*entry, *best)) best = entry;
    }
    return best;
  }

  /// Whether to note the keys that expire or are made; off at first.
  void keep_notes(bool keep) {
    keeps_notes_ = keep;
    if (extras_) extras_->notes.clear();
  }
  /// The notes since the last call, in order.
  std::vector<KeyNote> take_notes() { return std::exchange(extras().notes, {}); }
  bool has_notes() const { return extras_ && !extras_->notes.empty(); }

  /// Whether to collect the names of keys that change, for clients that cache them; off at first.
  void collect_changes(bool collect) {
    collects_changes_ = collect;
    collects_any_ = collects_changes_ || collects_effects_;
    if (extras_) extras_->changed = {};
  }
  /// What was collected since the last call: keys in order of their changes, and whether all keys
  /// were flushed.
  struct Change {
    std::string key;
    bool is_nobodys = false;  ///< It has expired or was evicted.
  };
  struct Changed {
    std::vector<Change> keys;
    bool flushed = false;
  };
  Changed take_changed() { return std::exchange(extras().changed, {}); }
  void forget_flush() {
    if (extras_) extras_->changed.flushed = false;
  }
  void forget_changed_keys() {
    if (extras_) extras_->changed.keys.clear();
  }
  bool has_changed() const {
    return extras_ && (extras_->changed.flushed || !extras_->changed.keys.empty());
  }

  /// Whether to collect what becomes of keys, for the trace; off at first.
  void collect_effects(bool collect) {
    collects_effects_ = collect;
    collects_any_ = collects_changes_ || collects_effects_;
    if (extras_) extras_->effects.clear();
  }
  /// What was collected and not cleared, in order, with client and database left open.
  KeyEffects& effects() { return extras().effects; }

  /// While frozen, keys expire but stay where they are. Redis: CLIENT PAUSE.
  void freeze(bool frozen) { frozen_ = frozen; }
  /// Whether keys that get a deadline now are a replica's own, unless its primary gives it. Redis:
  /// rememberSlaveKeyWithExpire.
  void own_deadlines(bool own) { owns_deadlines_ = own; }
  /// While this is on, what has expired is there for everybody: what a primary sends to its replica
  /// knows best. Redis: expireIfNeeded, of a client that is the primary.
  void show_expired(bool show) { shows_expired_ = show; }
  void reset_expired() { expired_ = 0; }

 private:
  /// What hardly any database needs.
  struct Extras {
    // Holds every deadline of every field, so also the earliest; stale ones as well.
    ExpiryIndex field_expiry;
    std::size_t field_sweep_at = 64;
    MemoryCount memory;  // Caught up with the changes when it is asked.
    std::vector<KeyNote> notes;
    Changed changed;
    KeyEffects effects;
    std::set<std::string, std::less<>> own;  // Some may have no deadline now, or be gone.

    void forget_keys() {
      field_expiry.clear();
      memory.forget_all();
      own.clear();
    }
  };

  Extras& extras() {
    if (!extras_) extras_ = Extras{};
    return *extras_;
  }
  bool counts_memory() const { return extras_ && extras_->memory.on(); }
  /// A key with a deadline, by chance; null if there is none.
  template <class Below>
  const Dict<KeyEntry>::Entry* pick_volatile(Below&& below) const {
    if (volatile_ == 0) return nullptr;
    constexpr int kDraws =
        32;  // Items of keys that have gone may be many: then the first one does.
    for (int i = 0; i < kDraws; ++i) {
      const auto& item = expiry_.at(static_cast<std::size_t>(below(expiry_.size())));
      const auto* entry = keys_.find_sequence(item.sequence);
      if (entry && entry->value.deadline_ms == item.deadline_ms) return entry;
    }
    return first_deadline() ? keys_.find_sequence(expiry_.first().sequence) : nullptr;
  }
  template <class Fill>
  Dict<KeyEntry>::Entry& place(std::string_view key, bool with_stream, Fill&& fill);
  Dict<KeyEntry>::Entry& place(std::string_view key, Value&& value);
  void give_deadline(Dict<KeyEntry>::Entry& entry, std::int64_t deadline_ms);
  void drop(Dict<KeyEntry>::Entry& entry);
  void drop_expired(Dict<KeyEntry>::Entry& entry);
  bool drop_expired_fields(Dict<KeyEntry>::Entry& entry, std::int64_t now_ms);
  void shed_stale_deadlines();
  void index_fields(const Dict<KeyEntry>::Entry& entry);
  void index_field(std::int64_t deadline_ms, std::uint64_t sequence);
  std::optional<std::int64_t> first_key_deadline() const;
  std::optional<std::int64_t> first_field_deadline() const;
  void collect(std::string_view key, bool removed);
  void touch_watched(const Database& replacing, std::int64_t now_ms);
  void changed(std::string_view key, bool removed = false) {
    ++changes_;
    if (counts_memory()) [[unlikely]]
      extras_->memory.touch(key);
    if (!watched_.empty()) [[unlikely]]
      watched_.touch(key, removed);
    if (collects_any_) [[unlikely]]
      collect(key, removed);
  }

  Dict<KeyEntry> keys_;
  mutable ExpiryIndex expiry_;  // Stale items are dropped when met, also by const looks.
  std::int64_t now_ms_ = 0;
  std::uint32_t command_ = 0;
  UseCounting counting_;
  Random chance_;  // Of its own, so that who counts uses draws the same members from a set.
  std::size_t volatile_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t expired_ = 0;
  std::uint64_t expired_fields_ = 0;
  WatchedKeys watched_;
  WaitedKeys waited_;
  bool keeps_notes_ = false;
  bool collects_changes_ = false;
  bool collects_effects_ = false;
  bool collects_any_ = false;  // One of the two.
  bool frozen_ = false;
  bool shows_expired_ = false;
  bool owns_deadlines_ = false;
  mutable Rare<Extras> extras_;
};

}  // namespace picklock
