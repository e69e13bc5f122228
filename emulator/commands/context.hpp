// What a handler gets: the request, the door for its answer, and the data it may touch.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

#include <picklock/clock.hpp>

#include "emulator/base/random.hpp"
#include "emulator/commands/command.hpp"
#include "emulator/commands/effects.hpp"
#include "emulator/commands/events.hpp"
#include "emulator/keyspace/encoding_limits.hpp"
#include "emulator/keyspace/keyspace.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// Built for one command; handlers that need the engine or the session receive an EngineContext.
struct Context {
  Args args;
  ReplyWriter& reply;
  const Command* command;
  Keyspace& keyspace;
  int database;
  /// The instant by which expiry is judged: read once a top-level command, and so frozen throughout
  /// a script.
  std::int64_t now_ms;
  Clock& clock;
  Random& random;
  std::int64_t max_string_bytes;  ///< proto-max-bulk-len.
  const EncodingLimits& limits;
  bool on_replica = false;  ///< Deadlines in the past are kept, then: the primary will say so.
  bool in_cluster = false;  ///< There is one database only, then.

  Database& db() {
    Database& selected = keyspace[database];
    selected.set_now(now_ms, number);
    return selected;
  }
  /// The instant from which new deadlines count: the clock's, which may move within a script (DEBUG
  /// SLEEP, a real clock) as it does in Redis 7.0.
  std::int64_t clock_ms() const { return to_unix_ms(clock.now()); }

  const KeyEntry* find(std::string_view key) {
    const KeyEntry* entry = no_touch ? db().look(key, now_ms) : db().find(key, now_ms);
    if (command->has(kReadonly)) count(entry);
    if (!entry && events) missed(key);
    return entry;
  }
  /// As find(), for a command that writes, but only reads this key: it counts as a hit or a miss,
  /// and that it is missing is told (Redis's lookupKeyRead).
  const KeyEntry* find_to_read(std::string_view key) {
    const KeyEntry* entry = no_touch ? db().look(key, now_ms) : db().find(key, now_ms);
    count(entry);
    if (!entry && events) told_missed(key);
    return entry;
  }
  KeyEntry* edit(std::string_view key) {
    return no_touch ? edit_without_use(key) : db().edit(key, now_ms);
  }
  /// As find(), but not counted as a use of the key (Redis's LOOKUP_NOTOUCH).
  const KeyEntry* find_untouched(std::string_view key) {
    const KeyEntry* entry = inspect(key);
    if (!entry && events) missed(key);
    return entry;
  }
  /// As find_untouched(), and that there was nothing is told to nobody (LOOKUP_NONOTIFY).
  const KeyEntry* inspect(std::string_view key) {
    const KeyEntry* entry = db().look(key, now_ms);
    count(entry);
    return entry;
  }
  /// A look that nobody hears of and that counts for nothing.
  const KeyEntry* look(std::string_view key) { return db().look(key, now_ms); }

  /// The value of what one of these has found as a T. Null if nothing was; also null, with
  /// WRONGTYPE already answered and `failed` set, if it has another type.
  template <class T>
  const T* as(const KeyEntry* found) {
    return found ? check<T>(found->value) : nullptr;
  }
  template <class T>
  const T* find_as(std::string_view key) {
    return as<T>(find(key));
  }
  /// The same with find_to_read().
  template <class T>
  const T* read_as(std::string_view key) {
    return as<T>(find_to_read(key));
  }
  template <class T>
  T* edit_as(std::string_view key) {
    const KeyEntry* found = find(key);
    if (!as<T>(found)) return nullptr;
    KeyEntry& entry = db().edit(key, *found);
    // Redis keeps a string that is changed in place in a form of its own.
    if constexpr (std::is_same_v<T, StringValue>) entry.form = Form::grown;
    return std::get_if<T>(&entry.value);
  }
  /// As edit_as(), for a handler that may find nothing to change: not counted as a change, which
  /// edit() does.
  template <class T>
  T* open_as(std::string_view key) {
    return open<T>(find(key));
  }
  /// The same with find_to_read().
  template <class T>
  T* open_to_read(std::string_view key) {
    return open<T>(find_to_read(key));
  }
  bool failed = false;

  std::uint32_t number = 0;  ///< Keyspace::next_command().

  const Profile* profile = &kDefaultProfile;  ///< The server that is imitated.
  bool no_touch = false;                      ///< Looks do not count as uses of a key.

  EventSink* events = nullptr;  ///< Null while nobody asks for events.
  /// Tells that `name` has happened to `key`; clients that cache keys have heard of the change
  /// then.
  void event(EventClass event_class, std::string_view name, std::string_view key) {
    tell_changes();
    early_event(event_class, name, key);
  }
  /// The same where Redis calls signalModifiedKey() only after it.
  void early_event(EventClass event_class, std::string_view name, std::string_view key) {
    if (events) events->event(event_class, name, key, database);
  }
  void tell_changes() {
    if (events) events->tell_changes();
  }
  EffectSink* effects = nullptr;  ///< Null while nobody asks for effects.
  Replicated replicated = Replicated::if_changed;
  /// Replicas are told these words instead of the command's own.
  void replicate_as(std::span<const std::string_view> words);
  void replicate_as(std::initializer_list<std::string_view> words) {
    replicate_as(std::span{words.begin(), words.size()});
  }
  /// The same, whatever redis.set_repl has said; of several calls, all (Redis: alsoPropagate).
  void replicate_apart(std::initializer_list<std::string_view> words);
  /// They are told that `key` was deleted: `why` as in EffectSink::deletion().
  void replicate_deletion(std::string_view key, std::string_view why) {
    if (effects) replicate_as({effects->deletion(why), key});
  }
  /// They are told of the key's new deadline.
  void replicate_deadline(std::string_view key, std::int64_t deadline_ms);
  /// To be called before a key is overwritten without a look: if it has expired, that is told.
  void about_to_overwrite(std::string_view key) {
    if (events) db().find(key, now_ms);
  }

 private:
  void count(const KeyEntry* entry) { ++(entry ? keyspace.hits : keyspace.misses); }
  template <class T>
  T* open(const KeyEntry* found) {
    if (!as<T>(found)) return nullptr;
    auto* entry = const_cast<KeyEntry*>(found);  // The database is this command's to write to.
    if constexpr (std::is_same_v<T, StringValue>) entry->form = Form::grown;
    return std::get_if<T>(&entry->value);
  }
  template <class T>
  const T* check(const Value& value) {
    const T* typed = std::get_if<T>(&value);
    if (!typed) wrong_type();
    return typed;
  }
  KeyEntry* edit_without_use(std::string_view key);
  void wrong_type();
  void missed(std::string_view key);
  void told_missed(std::string_view key);
};

}  // namespace picklock
