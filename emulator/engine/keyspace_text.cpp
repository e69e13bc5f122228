#include "emulator/engine/keyspace_text.hpp"

#include <picklock/reply.hpp>

#include "emulator/base/numbers.hpp"

namespace picklock {

namespace {

std::string quoted(std::string_view bytes) { return replies::bulk(bytes).to_string(); }

std::string describe(const HashValue& hash, std::int64_t now_ms) {
  std::string fields;
  hash.for_each([&](std::string_view field, std::string_view value) {
    const std::int64_t deadline_ms = hash.deadline_of(field);
    if (deadline_ms != kNoDeadline && deadline_ms < now_ms) return;
    fields += (fields.empty() ? "" : ", ") + quoted(field) + ": " + quoted(value);
    if (deadline_ms != kNoDeadline)
      fields += " expires in " + to_text(deadline_ms - now_ms) + " ms";
  });
  return "hash {" + fields + "}";
}

std::string describe(const ConsumerGroup& group) {
  std::string text = "last " + to_text(group.last_id) + ", read " + to_text(group.entries_read);
  for (const auto& [name, consumer] : group.consumers()) {
    text += ", " + quoted(name) + " (";
    std::string pending;
    for (const StreamId id : consumer.pending) {
      const PendingEntry& entry = group.pending().find(id)->second;
      pending += (pending.empty() ? "" : ", ") + to_text(id) + " x" +
                 std::to_string(entry.deliveries) + " at " + to_text(entry.delivered_ms);
    }
    text += pending + ")";
  }
  return "{" + text + "}";
}

std::string describe(const Stream& stream) {
  std::string entries;
  for (const auto& [node, entry] : stream.range(kMinStreamId, kMaxStreamId, 0)) {
    entries += (entries.empty() ? "" : ", ") + to_text(entry->id) + " {";
    for (std::size_t i = 0; i < node->field_count(*entry); ++i)
      entries += (i == 0 ? "" : ", ") + quoted(node->field(*entry, i)) + ": " +
                 quoted(node->value(*entry, i));
    entries += "}";
  }
  std::string text = "stream [" + entries + "] last " + to_text(stream.last_id());
  for (const auto& [name, group] : stream.groups())
    text += " group " + quoted(name) + " " + describe(group);
  return text;
}

std::string describe(const Value& value, std::int64_t now_ms) {
  if (const auto* stream = std::get_if<Stream>(&value)) return describe(*stream);
  if (const auto* text = std::get_if<StringValue>(&value)) return "string " + quoted(*text);
  if (const auto* list = std::get_if<ListValue>(&value)) {
    std::string elements;
    for (const std::string_view element : *list)
      elements += (elements.empty() ? "" : ", ") + quoted(element);
    return "list [" + elements + "]";
  }
  if (const auto* set = std::get_if<SetValue>(&value)) {
    std::string members;
    set->for_each([&](std::string_view member) {
      members += (members.empty() ? "" : ", ") + quoted(member);
    });
    return "set {" + members + "}";
  }
  if (const auto* zset = std::get_if<SortedSet>(&value)) {
    std::string items;
    char buffer[kDoubleChars];
    zset->for_each([&](const SortedSet::Item& item) {
      items += (items.empty() ? "" : ", ") + quoted(item.member) + ": " +
               std::string{format_double(item.score, buffer)};
    });
    return "zset {" + items + "}";
  }
  return describe(std::get<HashValue>(value), now_ms);
}

std::string describe(const KeyEntry& entry, std::int64_t now_ms) {
  std::string text = describe(entry.value, now_ms);
  if (entry.deadline_ms != kNoDeadline)
    text += " expires in " + to_text(entry.deadline_ms - now_ms) + " ms";
  return text;
}

}  // namespace

std::string dump_keyspace(const Keyspace& keyspace, std::int64_t now_ms) {
  std::string text;
  for (int i = 0; i < keyspace.size(); ++i) {
    const Database* database = keyspace.at(i);
    if (!database) continue;
    database->keys().for_each([&](const auto& entry) {
      if (!database->peek(entry.key, now_ms)) return;
      text +=
          "db" + to_text(i) + " " + quoted(entry.key) + " " + describe(entry.value, now_ms) + "\n";
    });
  }
  return text;
}

std::string describe_key(const Keyspace& keyspace, int database, std::string_view key,
                         std::int64_t now_ms) {
  const Database* used = keyspace.at(database);
  const KeyEntry* entry = used ? used->peek(key, now_ms) : nullptr;
  return entry ? describe(*entry, now_ms) : std::string{};
}

}  // namespace picklock
