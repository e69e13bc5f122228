#include "emulator/engine/transaction.hpp"

#include <algorithm>

#include "emulator/engine/session.hpp"

namespace picklock {

namespace {
bool is_expired(const Database& database, std::string_view key, std::int64_t now_ms) {
  return database.keys().find(key) != nullptr && database.peek(key, now_ms) == nullptr;
}
}  // namespace

void queue_command(Transaction& transaction, const Command& command, Args words,
                   std::uint32_t flags) {
  transaction.queue.push_back({&command, {words.begin(), words.end()}, flags});
}

void watch(Keyspace& keyspace, SessionState& session, std::string_view key, std::int64_t now_ms) {
  const int index = session.database;
  for (const Watch& other : session.watches)
    if (other.database == index && other.key == key) return;
  Database& database = keyspace[index];
  const bool was_expired = is_expired(database, key, now_ms);
  session.watches.push_back({index, std::string{key}, database.watched().add(key), was_expired});
}

void unwatch_all(Keyspace& keyspace, SessionState& session) {
  for (const Watch& watch : session.watches) keyspace[watch.database].watched().remove(watch.key);
  session.watches.clear();
}

void discard(Keyspace& keyspace, SessionState& session) {
  unwatch_all(keyspace, session);
  session.transaction.reset();
}

WatchedKeys::Outcome look(const Keyspace& keyspace, const Watch& watch) {
  const Database* database = keyspace.at(watch.database);
  if (!database) return {false, watch.was_expired};
  return database->watched().look(watch.key, watch.version, watch.was_expired);
}

bool is_touched(const Keyspace& keyspace, const SessionState& session) {
  return std::any_of(session.watches.begin(), session.watches.end(),
                     [&](const Watch& watch) { return look(keyspace, watch).changed; });
}

bool has_expired_watch(const Keyspace& keyspace, const SessionState& session, std::int64_t now_ms) {
  return std::any_of(session.watches.begin(), session.watches.end(), [&](const Watch& watch) {
    const Database* database = keyspace.at(watch.database);
    return database && is_expired(*database, watch.key, now_ms) &&
           !look(keyspace, watch).of_expired;
  });
}

}  // namespace picklock
