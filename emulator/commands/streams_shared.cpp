#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/stream_errors.hpp"
#include "emulator/commands/streams.hpp"

namespace picklock::streams {

std::optional<StreamId> read_id(Context& c, std::string_view word, IdForm form) {
  const auto parsed = parse_stream_id(word, 0, form);
  if (parsed) return parsed->id;
  c.reply.error(errors::kStreamId);
  return std::nullopt;
}

namespace {

struct Bound {
  StreamId id;
  bool exclusive;
};

std::optional<Bound> read_bound(Context& c, std::string_view word, std::uint64_t missing_seq) {
  const bool exclusive = word.size() > 1 && word[0] == '(';
  const auto parsed = exclusive ? parse_stream_id(word.substr(1), missing_seq, IdForm::strict)
                                : parse_stream_id(word, missing_seq, IdForm::edges);
  if (parsed) return Bound{parsed->id, exclusive};
  c.reply.error(errors::kStreamId);
  return std::nullopt;
}

}  // namespace

std::optional<StreamId> read_first(Context& c, std::string_view word) {
  auto bound = read_bound(c, word, 0);
  if (!bound) return std::nullopt;
  if (!bound->exclusive || bound->id.increment()) return bound->id;
  c.reply.error(errors::kStreamStart);
  return std::nullopt;
}

std::optional<StreamId> read_last(Context& c, std::string_view word) {
  auto bound = read_bound(c, word, kMaxStreamId.seq);
  if (!bound) return std::nullopt;
  if (!bound->exclusive || bound->id.decrement()) return bound->id;
  c.reply.error(errors::kStreamEnd);
  return std::nullopt;
}

std::optional<std::int64_t> read_number(Context& c, std::string_view word, std::string_view error) {
  const auto number = parse_int64(word);
  if (!number) c.reply.error(error);
  return number;
}

bool is_sign(std::string_view word, char sign) {
  return until_nul(word) == std::string_view{&sign, 1};
}

Stream* find_to_read(Context& c, std::string_view key) { return c.open_to_read<Stream>(key); }

ConsumerGroup* find_group(Stream& stream, std::string_view name) {
  const auto found = stream.groups().find(name);
  return found == stream.groups().end() ? nullptr : &found->second;
}

Target find_group_to_claim(Context& c) {
  Target target;
  target.stream = find_to_read(c, c.args[1]);
  if (c.failed) return target;
  if (target.stream) target.group = find_group(*target.stream, c.args[2]);
  if (!target.group) c.reply.error(errors::no_key_or_group(c.args[1], c.args[2]));
  return target;
}

Met meet_quietly(Context& c, ConsumerGroup& group, std::string_view name) {
  Consumer* consumer = group.find_consumer(name);
  if (!consumer) return {group.add_consumer(name, c.clock_ms()), true};
  consumer->seen_ms = c.clock_ms();
  return {*consumer, false};
}

Consumer& meet_consumer(Context& c, std::string_view key, ConsumerGroup& group,
                        std::string_view name) {
  const auto [consumer, is_new] = meet_quietly(c, group, name);
  if (is_new) tell_of_consumer(c, key);
  return consumer;
}

void tell_of_consumer(Context& c, std::string_view key) {
  c.event(EventClass::stream, "xgroup-createconsumer", key);
}

void replicate_claim(Context& c, std::string_view key, std::string_view group_name,
                     ConsumerGroup& group, StreamId id) {
  if (!c.effects) return;
  const PendingEntry& entry = *group.find_pending(id);
  c.replicate_apart({"XCLAIM", key, group_name, group.name_of(entry.consumer), "0", to_text(id),
                     "TIME", to_text(entry.delivered_ms), "RETRYCOUNT",
                     to_text(static_cast<std::int64_t>(entry.deliveries)), "FORCE", "JUSTID",
                     "LASTID", to_text(group.last_id)});
}

void replicate_group_id(Context& c, std::string_view key, std::string_view group_name,
                        const ConsumerGroup& group) {
  if (c.effects)
    c.replicate_apart({"XGROUP", "SETID", key, group_name, to_text(group.last_id), "ENTRIESREAD",
                       to_text(group.entries_read)});
}

void replicate_consumer(Context& c, std::string_view key, std::string_view group_name,
                        std::string_view consumer) {
  c.replicate_apart({"XGROUP", "CREATECONSUMER", key, group_name, consumer});
}

void write_id(Context& c, StreamId id) { c.reply.bulk(to_text(id)); }

void write_item(Context& c, const Stream::Item& item) {
  const std::size_t fields = item.node->field_count(*item.entry);
  c.reply.array(2);
  write_id(c, item.entry->id);
  c.reply.array(2 * fields);
  for (std::size_t i = 0; i < fields; ++i) {
    c.reply.bulk(item.node->field(*item.entry, i));
    c.reply.bulk(item.node->value(*item.entry, i));
  }
}

void write_items(Context& c, const std::vector<Stream::Item>& items) {
  c.reply.array(items.size());
  for (const Stream::Item& item : items) write_item(c, item);
}

}  // namespace picklock::streams
