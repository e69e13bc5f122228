#include "emulator/keyspace/database.hpp"

#include <utility>

namespace picklock {

namespace {
bool is_expired(const KeyEntry& entry, std::int64_t now_ms) {
  return entry.deadline_ms != kNoDeadline && now_ms > entry.deadline_ms;
}

/// Whether there is a command that waits for such a value.
bool can_serve(const Value& value) {
  return !std::holds_alternative<StringValue>(value) && !std::holds_alternative<HashValue>(value);
}
}  // namespace

const KeyEntry* Database::look(std::string_view key, std::int64_t now_ms) {
  auto* entry = keys_.find_entry(key);
  if (!entry) return nullptr;
  if (is_expired(entry->value, now_ms)) {
    drop_expired(*entry);
    return nullptr;
  }
  return &entry->value;
}

const KeyEntry* Database::find(std::string_view key, std::int64_t now_ms) {
  auto* entry = const_cast<KeyEntry*>(look(key, now_ms));
  if (entry) {
    entry->used_ms = now_ms;
    if (entry->uses != ~std::uint32_t{0}) ++entry->uses;
  }
  return entry;
}

const KeyEntry* Database::peek(std::string_view key, std::int64_t now_ms) const {
  const KeyEntry* entry = keys_.find(key);
  return entry && !is_expired(*entry, now_ms) ? entry : nullptr;
}

KeyEntry* Database::edit(std::string_view key, std::int64_t now_ms) {
  auto* entry = const_cast<KeyEntry*>(find(key, now_ms));
  if (entry) changed(key);
  return entry;
}

void Database::put(std::string_view key, Value value, bool keep_deadline) {
  auto [entry, made] = keys_.insert(key);
  if (made && keeps_notes_) notes_.push_back({KeyNote::Kind::made, entry->key});
  entry->value.value = std::move(value);
  if (made && !waited_.empty() && can_serve(entry->value.value)) waited_.signal(key);
  if (!keep_deadline && entry->value.deadline_ms != kNoDeadline) {
    entry->value.deadline_ms = kNoDeadline;
    --volatile_;
  }
  entry->value.form = Form::fresh;
  entry->value.used_ms = now_ms_;
  changed(key);
}

void Database::set_form(std::string_view key, Form form) {
  if (KeyEntry* entry = keys_.find(key)) entry->form = form;
}

void Database::swap_keys(Database& other) {
  // Redis 7.0, dbSwapDatabases: a watched key is touched if it is in either database.
  const auto touch = [](Database& watching, const Database& replacing) {
    std::vector<std::string> touched;
    watching.watched_.for_each([&](std::string_view key) {
      if (watching.keys_.find(key) || replacing.keys_.find(key)) touched.emplace_back(key);
    });
    for (const std::string& key : touched)
      watching.watched_.touch(key, /*removed=*/!replacing.keys_.find(key));
  };
  touch(*this, other);
  touch(other, *this);
  std::swap(keys_, other.keys_);
  std::swap(expiry_, other.expiry_);
  std::swap(volatile_, other.volatile_);
  ++changes_;
  // Redis 7.0, scanDatabaseForReadyKeys: who waits stays, and may find its key now.
  for (Database* database : {this, &other})
    database->waited_.for_each([database](const std::string& key) {
      const KeyEntry* entry = database->keys_.find(key);
      if (entry && can_serve(entry->value)) database->waited_.signal(key);
    });
}

bool Database::erase(std::string_view key) {
  auto* entry = keys_.find_entry(key);
  if (!entry) return false;
  drop(*entry);
  return true;
}

void Database::drop(Dict<KeyEntry>::Entry& entry) {
  if (entry.value.deadline_ms != kNoDeadline) --volatile_;
  changed(entry.key, /*removed=*/true);
  keys_.erase(entry.key);
  if (keys_.empty()) expiry_.clear();
}

void Database::drop_expired(Dict<KeyEntry>::Entry& entry) {
  ++expired_;
  if (keeps_notes_) notes_.push_back({KeyNote::Kind::expired, entry.key});
  drop(entry);
}

void Database::set_deadline(std::string_view key, std::int64_t deadline_ms) {
  auto* entry = keys_.find_entry(key);
  if (!entry) return;
  const bool had = entry->value.deadline_ms != kNoDeadline;
  entry->value.deadline_ms = deadline_ms;
  changed(key);
  if (deadline_ms == kNoDeadline) {
    if (had) --volatile_;
    return;
  }
  if (!had) ++volatile_;
  expiry_.add({deadline_ms, entry->sequence});
  if (expiry_.size() > 64 && expiry_.size() > 4 * volatile_)
    expiry_.sweep([this](const ExpiryIndex::Item& item) {
      const auto* owner = keys_.find_sequence(item.sequence);
      return !owner || owner->value.deadline_ms != item.deadline_ms;
    });
}

void Database::clear() {
  changes_ += keys_.size();
  // Redis 7.0, touchAllWatchedKeysInDb: only keys that were there are touched.
  std::vector<std::string_view> gone;
  watched_.for_each([&](std::string_view key) {
    if (keys_.find(key)) gone.push_back(key);
  });
  for (const std::string_view key : gone) watched_.touch(key, /*removed=*/true);
  keys_.clear();
  expiry_.clear();
  volatile_ = 0;
}

std::optional<std::int64_t> Database::first_deadline() const {
  while (!expiry_.empty()) {
    const auto item = expiry_.first();
    const auto* entry = keys_.find_sequence(item.sequence);
    if (entry && entry->value.deadline_ms == item.deadline_ms) return item.deadline_ms;
    expiry_.drop_first();
  }
  return std::nullopt;
}

bool Database::expire_one(std::int64_t now_ms) {
  const auto deadline = first_deadline();
  if (!deadline || now_ms <= *deadline) return false;
  const auto sequence = expiry_.first().sequence;
  expiry_.drop_first();
  drop_expired(const_cast<Dict<KeyEntry>::Entry&>(*keys_.find_sequence(sequence)));
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
