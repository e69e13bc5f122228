// What several files of sorted set commands share: their replies, and storing a result.
#pragma once

#include <string_view>

#include "emulator/commands/context.hpp"

namespace picklock::sorted_sets {

/// Announces `size` items: pairs in RESP3, a flat row in RESP2.
inline void begin_items(Context& c, std::size_t size, bool with_scores) {
  c.reply.array(with_scores && c.reply.version() < 3 ? 2 * size : size);
}

inline void write_item(Context& c, std::string_view member, double score, bool with_scores) {
  if (with_scores && c.reply.version() >= 3) c.reply.array(2);
  c.reply.bulk(member);
  if (with_scores) c.reply.real(score);
}

/// ZADD, by which GEOADD adds.
void add(Context& c);

/// Puts `result` at `key` and answers its size; an empty one deletes the key. What happened is told
/// after the reply, as Redis does, but for the key that is new.
inline void store(Context& c, std::string_view key, SortedSet result, std::string_view event) {
  const auto size = static_cast<std::int64_t>(result.size());
  if (size == 0) {
    const bool erased = c.db().erase(key);
    c.reply.integer(0);
    if (erased) c.event(EventClass::generic, "del", key);
    return;
  }
  c.about_to_overwrite(key);
  c.db().put(key, std::move(result));
  c.tell_changes();
  c.reply.integer(size);
  c.event(EventClass::sorted_set, event, key);
}

/// Deletes the key of a set that has become empty.
inline void delete_if_empty(Context& c, std::string_view key, const SortedSet& zset) {
  if (!zset.empty()) return;
  c.db().erase(key);
  c.event(EventClass::generic, "del", key);
}

}  // namespace picklock::sorted_sets
