#include "emulator/keyspace/database.hpp"

#include <algorithm>
#include <utility>

namespace picklock {

namespace {
bool is_expired(const KeyEntry& entry, std::int64_t now_ms) {
  return entry.deadline_ms != kNoDeadline && now_ms > entry.deadline_ms;
}

const HashValue* hash_of(const KeyEntry& entry) { return std::get_if<HashValue>(&entry.value); }

Awaited awaited_type(const Value& value) {
  if (std::holds_alternative<ListValue>(value)) return Awaited::list;
  if (std::holds_alternative<SortedSet>(value)) return Awaited::sorted_set;
  return std::holds_alternative<Stream>(value) ? Awaited::stream : Awaited::none;
}
// Beyond so many, what is stale among them is not looked for all at once.
constexpr std::size_t kFewDeadlines = 4096;

bool is_stream(const Value& value) { return std::holds_alternative<Stream>(value); }
}  // namespace

const KeyEntry* Database::look(std::string_view key, std::int64_t now_ms) {
  auto* entry = keys_.find_entry(key);
  if (!entry) return nullptr;
  if (is_expired(entry->value, now_ms)) {
    if (shows_expired_) return &entry->value;
    if (!frozen_) drop_expired(*entry);
    return nullptr;
  }
  const HashValue* hash = hash_of(entry->value);
  if (hash && hash->has_expired(now_ms) && !shows_expired_) [[unlikely]]
    if (!drop_expired_fields(*entry, now_ms)) return nullptr;
  return &entry->value;
}

const KeyEntry* Database::find(std::string_view key, std::int64_t now_ms) {
  auto* entry = const_cast<KeyEntry*>(look(key, now_ms));
  if (!entry) return nullptr;
  if (!counting_.lfu || entry->used_by != command_) entry->use.use(counting_, now_ms, chance_);
  entry->used_by = command_;
  return entry;
}

const KeyEntry* Database::peek(std::string_view key, std::int64_t now_ms) const {
  const KeyEntry* entry = keys_.find(key);
  if (!entry || shows_expired_) return entry;
  if (is_expired(*entry, now_ms)) return nullptr;
  const HashValue* hash = hash_of(*entry);
  return hash && hash->all_expired(now_ms) ? nullptr : entry;
}

KeyEntry* Database::edit(std::string_view key, std::int64_t now_ms) {
  auto* entry = const_cast<KeyEntry*>(find(key, now_ms));
  if (entry) changed(key);
  return entry;
}

void Database::put(std::string_view key, Value&& value, bool keep_deadline) {
  put_unnoticed(key, std::move(value), keep_deadline);
  changed(key);
}

void Database::put_unnoticed(std::string_view key, Value&& value, bool keep_deadline) {
  auto& entry = place(key, std::move(value));
  if (!keep_deadline) give_deadline(entry, kNoDeadline);
}

void Database::put_until(std::string_view key, Value&& value, std::int64_t deadline_ms) {
  give_deadline(place(key, std::move(value)), deadline_ms);
  changed(key);
}

void Database::put_text(std::string_view key, std::string_view text,
                        std::optional<std::int64_t> deadline_ms) {
  auto& entry = place(key, false, [text](Value& value) { set_text(value, text); });
  if (deadline_ms) give_deadline(entry, *deadline_ms);
  changed(key);
}

Dict<KeyEntry>::Entry& Database::place(std::string_view key, Value&& value) {
  return place(key, is_stream(value), [&value](Value& place) { place = std::move(value); });
}

template <class Fill>
Dict<KeyEntry>::Entry& Database::place(std::string_view key, bool with_stream, Fill&& fill) {
  auto [entry, made] = keys_.insert(key);
  if (made && keeps_notes_) extras().notes.push_back({KeyNote::Kind::made, entry->key});
  // Redis 7.0: who waits for news of a stream is to hear that it has been overwritten.
  if (!made && waited_.awaits(Awaited::stream) && is_stream(entry->value.value) && !with_stream)
    waited_.signal(key);
  // Redis, lookupKeyWrite: what is overwritten after its deadline has expired all the same.
  if (!made && !frozen_ && is_expired(entry->value, now_ms_)) ++expired_;
  if (!made && keeps_much(entry->value)) entry->value.value.emplace<StringValue>();
  fill(entry->value.value);
  // Redis, signalKeyAsReady: only if anybody waits for such a value, under whichever key.
  if (made && !waited_.empty() && waited_.awaits(awaited_type(entry->value.value)))
    waited_.signal(key);
  entry->value.form = Form::fresh;
  // Redis 7.0, dbOverwrite: the frequency of use is the key's, the time of use the value's.
  if (made || !counting_.lfu)
    entry->value.use.start(counting_, now_ms_);
  else if (entry->value.used_by != command_)
    entry->value.use.use(counting_, now_ms_, chance_);
  entry->value.used_by = command_;
  index_fields(*entry);
  return *entry;
}

/// Redis 7.0, touchAllWatchedKeysInDb: a watched key is touched if it is in either database, but
/// not where there was none, or one that had expired, and comes one that has.
void Database::touch_watched(const Database& replacing, std::int64_t now_ms) {
  std::vector<std::string> keys;
  watched_.for_each([&](std::string_view key) { keys.emplace_back(key); });
  for (const std::string& key : keys) {
    const bool goes = keys_.find(key) != nullptr;
    const bool comes = replacing.keys_.find(key) != nullptr;
    const bool comes_expired = comes && replacing.peek(key, now_ms) == nullptr;
    if (!goes && !comes) continue;
    if (comes_expired)
      goes ? watched_.touch_living(key) : watched_.become_expired(key);
    else
      watched_.touch(key, /*removed=*/!comes);
  }
}

void Database::swap_keys(Database& other, std::int64_t now_ms) {
  touch_watched(other, now_ms);
  other.touch_watched(*this, now_ms);
  std::swap(keys_, other.keys_);
  std::swap(expiry_, other.expiry_);
  std::swap(volatile_, other.volatile_);
  if (extras_ || other.extras_) {
    std::swap(extras().field_expiry, other.extras().field_expiry);
    std::swap(extras().field_sweep_at, other.extras().field_sweep_at);
    std::swap(extras().memory, other.extras().memory);
  }
  ++changes_;
  // Redis 7.0, scanDatabaseForReadyKeys: who waits stays, and may find its key now.
  const auto signal = [](Database& database, const Database& replaced) {
    database.waited_.for_each([&](std::string_view key) {
      const KeyEntry* entry = database.keys_.find(key);
      const KeyEntry* gone = replaced.keys_.find(key);
      const bool lost_stream =
          gone && is_stream(gone->value) && database.waited_.awaits(Awaited::stream);
      if (lost_stream || (entry && database.waited_.awaits(awaited_type(entry->value))))
        database.waited_.signal(key);
    });
  };
  signal(*this, other);
  signal(other, *this);
}

bool Database::erase(std::string_view key) {
  auto* entry = keys_.find_entry(key);
  if (!entry) return false;
  drop(*entry);
  return true;
}

void Database::evict(std::string_view key) {
  erase(key);
  if (collects_changes_) extras().changed.keys.back().is_nobodys = true;
}

void Database::collect(std::string_view key, bool removed) {
  if (collects_changes_) extras().changed.keys.push_back({std::string{key}});
  if (!collects_effects_) return;
  const auto kind = removed ? KeyEffects::Kind::deleted : KeyEffects::Kind::changed;
  extras().effects.add({kind, 0, 0, key});
}

void Database::drop(Dict<KeyEntry>::Entry& entry) {
  if (entry.value.deadline_ms != kNoDeadline) --volatile_;
  changed(entry.key, /*removed=*/true);
  if (waited_.awaits(Awaited::stream) && is_stream(entry.value.value)) waited_.signal(entry.key);
  keys_.erase(entry);
  if (!keys_.empty()) return expiry_.size() > kFewDeadlines ? shed_stale_deadlines() : void();
  expiry_.clear();
  if (extras_) extras_->field_expiry.clear();
}

void Database::drop_expired(Dict<KeyEntry>::Entry& entry) {
  ++expired_;
  if (keeps_notes_) extras().notes.push_back({KeyNote::Kind::expired, entry.key});
  drop(entry);
  if (collects_changes_) extras().changed.keys.back().is_nobodys = true;
  if (collects_effects_) extras().effects.correct(KeyEffects::Kind::expired);
}

/// False if that was all the hash had, which is deleted then.
bool Database::drop_expired_fields(Dict<KeyEntry>::Entry& entry, std::int64_t now_ms) {
  auto& hash = std::get<HashValue>(entry.value.value);
  expired_fields_ += hash.drop_expired(now_ms);
  if (keeps_notes_) extras().notes.push_back({KeyNote::Kind::fields_expired, entry.key});
  if (!hash.empty()) return changed(entry.key), true;
  if (keeps_notes_) extras().notes.push_back({KeyNote::Kind::emptied, entry.key});
  drop(entry);
  return false;
}

void Database::set_deadline(std::string_view key, std::int64_t deadline_ms) {
  auto* entry = keys_.find_entry(key);
  if (!entry) return;
  give_deadline(*entry, deadline_ms);
  changed(key);
}

void Database::give_deadline(Dict<KeyEntry>::Entry& entry, std::int64_t deadline_ms) {
  const std::int64_t before_ms = std::exchange(entry.value.deadline_ms, deadline_ms);
  const bool had = before_ms != kNoDeadline;
  if (deadline_ms == kNoDeadline) {
    if (had) --volatile_;
    return;
  }
  if (!had) ++volatile_;
  if (owns_deadlines_ && !shows_expired_) extras().own.emplace(entry.key);  // Not its primary's.
  if (deadline_ms != before_ms) expiry_.add({deadline_ms, entry.sequence});
  shed_stale_deadlines();
}

// Takes no longer than a few commands do, however many there are.
void Database::shed_stale_deadlines() {
  if (expiry_.size() <= kFewDeadlines) {
    if (expiry_.size() <= 64 || expiry_.size() <= 4 * volatile_) return;
    return expiry_.sweep([this](const ExpiryIndex::Item& item) {
      const auto* owner = keys_.find_sequence(item.sequence);
      return !owner || owner->value.deadline_ms != item.deadline_ms;
    });
  }
  if (!expiry_.is_renewing() && expiry_.size() <= 2 * volatile_) return;
  expiry_.renew([this](std::uint64_t from, auto&& take) -> std::uint64_t {
    constexpr int kKeys = 8;
    for (int i = 0; i < kKeys; ++i) {
      const auto* entry = keys_.first_from(from);
      if (!entry) return 0;
      if (entry->value.deadline_ms != kNoDeadline)
        take({entry->value.deadline_ms, entry->sequence});
      from = entry->sequence + 1;
    }
    return from;
  });
}

void Database::set_field_deadline(std::string_view key, std::string_view field,
                                  std::int64_t deadline_ms) {
  auto* entry = keys_.find_entry(key);
  auto* hash = entry ? std::get_if<HashValue>(&entry->value.value) : nullptr;
  if (!hash) return;
  hash->set_deadline(field, deadline_ms);
  changed(key);
  if (deadline_ms != kNoDeadline) index_field(deadline_ms, entry->sequence);
}

void Database::index_fields(const Dict<KeyEntry>::Entry& entry) {
  if (const HashValue* hash = hash_of(entry.value))
    hash->for_each_deadline(
        [&](std::int64_t deadline_ms) { index_field(deadline_ms, entry.sequence); });
}

void Database::index_field(std::int64_t deadline_ms, std::uint64_t sequence) {
  ExpiryIndex& index = extras().field_expiry;
  index.add({deadline_ms, sequence});
  if (index.size() <= extras_->field_sweep_at) return;
  index.sweep([this](const ExpiryIndex::Item& item) {
    const auto* owner = keys_.find_sequence(item.sequence);
    const HashValue* hash = owner ? hash_of(owner->value) : nullptr;
    return !hash || !hash->has_deadline(item.deadline_ms);
  });
  extras_->field_sweep_at = std::max<std::size_t>(64, 2 * index.size());
}

void Database::clear() { static_cast<void>(take_all()); }

Dict<KeyEntry> Database::take_all() {
  if (collects_changes_) extras().changed.flushed = true;
  // A key of no bytes, but somewhere: they are copied.
  if (collects_effects_ && !keys_.empty())
    extras().effects.add({KeyEffects::Kind::flushed, 0, 0, ""});
  changes_ += keys_.size();
  // Redis 7.0, touchAllWatchedKeysInDb: only keys that were there are touched.
  std::vector<std::string_view> gone;
  watched_.for_each([&](std::string_view key) {
    if (keys_.find(key)) gone.push_back(key);
  });
  for (const std::string_view key : gone) watched_.touch(key, /*removed=*/true);
  waited_.for_each([this](std::string_view key) {
    const KeyEntry* entry = keys_.find(key);
    if (entry && is_stream(entry->value) && waited_.awaits(Awaited::stream)) waited_.signal(key);
  });
  Dict<KeyEntry> all = keys_.take_entries();
  expiry_.clear();
  volatile_ = 0;
  if (extras_) extras_->forget_keys();
  return all;
}

void Database::count_memory(bool count) {
  if (count == counts_memory()) return;
  extras().memory.turn(count);
  if (count) keys_.for_each([this](const auto& entry) { extras_->memory.touch(entry.key); });
}

std::uint64_t Database::used_memory() const {
  if (counts_memory())
    return extras_->memory.sum([this](std::string_view key) -> const Value* {
      const KeyEntry* entry = keys_.find(key);
      return entry ? &entry->value : nullptr;
    });
  std::uint64_t sum = 0;
  keys_.for_each([&](const auto& entry) { sum += counted_bytes(entry.key, entry.value.value); });
  return sum;
}

std::optional<std::int64_t> Database::first_deadline() const {
  const auto key = first_key_deadline();
  const auto field = first_field_deadline();
  return key && field ? std::min(*key, *field) : key ? key : field;
}

std::optional<std::int64_t> Database::first_field_deadline() const {
  if (!extras_) return std::nullopt;
  ExpiryIndex& index = extras_->field_expiry;
  while (!index.empty()) {
    const auto item = index.first();
    const auto* owner = keys_.find_sequence(item.sequence);
    const HashValue* hash = owner ? hash_of(owner->value) : nullptr;
    if (hash && hash->first_deadline() == item.deadline_ms) return item.deadline_ms;
    index.drop_first();
  }
  return std::nullopt;
}

std::optional<std::int64_t> Database::first_key_deadline() const {
  while (!expiry_.empty()) {
    const auto item = expiry_.first();
    const auto* entry = keys_.find_sequence(item.sequence);
    if (entry && entry->value.deadline_ms == item.deadline_ms) return item.deadline_ms;
    expiry_.drop_first();
  }
  return std::nullopt;
}

std::optional<std::int64_t> Database::first_own_deadline() const {
  std::optional<std::int64_t> first;
  if (!extras_) return first;
  for (const std::string& key : extras_->own) {
    const KeyEntry* entry = keys_.find(key);
    if (!entry || entry->deadline_ms == kNoDeadline) continue;
    first = std::min(first.value_or(entry->deadline_ms), entry->deadline_ms);
  }
  return first;
}

bool Database::expire_own(std::int64_t now_ms) {
  if (!extras_) return false;
  std::erase_if(extras_->own, [this](const std::string& key) {
    const KeyEntry* entry = keys_.find(key);
    return !entry || entry->deadline_ms == kNoDeadline;
  });
  for (const std::string& key : extras_->own) {
    auto* entry = keys_.find_entry(key);
    if (!is_expired(entry->value, now_ms)) continue;
    drop_expired(*entry);
    return true;
  }
  return false;
}

bool Database::expire_one(std::int64_t now_ms) {
  const auto take = [this](ExpiryIndex& index) -> Dict<KeyEntry>::Entry& {
    const auto sequence = index.first().sequence;
    index.drop_first();
    return const_cast<Dict<KeyEntry>::Entry&>(*keys_.find_sequence(sequence));
  };
  if (const auto deadline = first_key_deadline(); deadline && now_ms > *deadline) {
    drop_expired(take(expiry_));
    return true;
  }
  const auto deadline = first_field_deadline();
  if (!deadline || now_ms <= *deadline) return false;
  drop_expired_fields(take(extras_->field_expiry), now_ms);
  return true;
}

std::int64_t Database::average_ttl_ms(std::int64_t now_ms) const {
  if (volatile_ == 0) return 0;
  __extension__ __int128 sum = 0;  // Deadlines may be as far as an int64 goes.
  keys_.for_each([&](const auto& entry) {
    if (entry.value.deadline_ms != kNoDeadline && entry.value.deadline_ms > now_ms)
      sum += entry.value.deadline_ms - now_ms;
  });
  return static_cast<std::int64_t>(sum / static_cast<std::int64_t>(volatile_));
}

}  // namespace picklock
