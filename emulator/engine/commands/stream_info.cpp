// XINFO: what a stream, its groups and their consumers look like inside.
#include <algorithm>

#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/stream_errors.hpp"
#include "emulator/commands/streams.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"

namespace picklock {
namespace {

void write_pair(Context& c, std::string_view name, std::uint64_t value) {
  c.reply.bulk(name);
  c.reply.integer(static_cast<std::int64_t>(value));
}

void write_pair(Context& c, std::string_view name, StreamId id) {
  c.reply.bulk(name);
  streams::write_id(c, id);
}

/// The stream at word 2; null, having answered the error, if it is missing.
const Stream* find_listed_stream(Context& c) {
  const auto* stream = c.find_as<Stream>(c.args[2]);
  if (!stream && !c.failed) c.reply.error(errors::kNoSuchKey);
  return stream;
}

void write_progress(Context& c, const Stream& stream, const ConsumerGroup& group) {
  c.reply.bulk("entries-read");
  if (group.entries_read == ConsumerGroup::kUnknown)
    c.reply.null();
  else
    c.reply.integer(group.entries_read);
  c.reply.bulk("lag");
  const auto lag = stream.lag_of(group);
  if (lag)
    c.reply.integer(*lag);
  else
    c.reply.null();
}

/// How many of `size` are shown; all of them, if `count` is 0.
std::size_t shown(std::size_t size, std::uint64_t count) {
  return count == 0 || count > size ? size : static_cast<std::size_t>(count);
}

void write_group_pending(Context& c, const ConsumerGroup& group, std::uint64_t count) {
  std::size_t left = shown(group.pending().size(), count);
  c.reply.bulk("pending");
  c.reply.array(left);
  for (auto it = group.pending().begin(); left > 0; ++it, --left) {
    c.reply.array(4);
    streams::write_id(c, it->first);
    c.reply.bulk(group.name_of(it->second.consumer));
    c.reply.integer(it->second.delivered_ms);
    c.reply.integer(static_cast<std::int64_t>(it->second.deliveries));
  }
}

void write_consumer(Context& c, const ConsumerGroup& group, const std::string& name,
                    const Consumer& consumer, std::uint64_t count) {
  c.reply.map(4);
  c.reply.bulk("name");
  c.reply.bulk(name);
  write_pair(c, "seen-time", static_cast<std::uint64_t>(consumer.seen_ms));
  write_pair(c, "pel-count", std::uint64_t{consumer.pending.size()});
  std::size_t left = shown(consumer.pending.size(), count);
  c.reply.bulk("pending");
  c.reply.array(left);
  for (auto it = consumer.pending.begin(); left > 0; ++it, --left) {
    const PendingEntry& pending = group.pending().find(*it)->second;
    c.reply.array(3);
    streams::write_id(c, *it);
    c.reply.integer(pending.delivered_ms);
    c.reply.integer(static_cast<std::int64_t>(pending.deliveries));
  }
}

void write_full_group(Context& c, const Stream& stream, const std::string& name,
                      const ConsumerGroup& group, std::uint64_t count) {
  c.reply.map(7);
  c.reply.bulk("name");
  c.reply.bulk(name);
  write_pair(c, "last-delivered-id", group.last_id);
  write_progress(c, stream, group);
  write_pair(c, "pel-count", std::uint64_t{group.pending().size()});
  write_group_pending(c, group, count);
  c.reply.bulk("consumers");
  c.reply.array(group.consumers().size());
  for (const auto& [consumer_name, consumer] : group.consumers())
    write_consumer(c, group, consumer_name, consumer, count);
}

void write_edge(Context& c, std::string_view name, const Stream& stream, bool last) {
  c.reply.bulk(name);
  const auto item = stream.edge(last);
  if (item)
    streams::write_item(c, *item);
  else
    c.reply.null();
}

/// FULL [COUNT count] from word 3 on; nullopt with the error answered.
std::optional<std::uint64_t> read_full(Context& c) {
  const std::size_t words = c.args.size() - 3;
  const bool fits = (words == 1 || words == 3) && is_word(c.args[3], "full") &&
                    (words == 1 || is_word(c.args[4], "count"));
  if (!fits) return c.reply.error(errors::wrong_subcommand(c.args[1], "XINFO")), std::nullopt;
  constexpr std::int64_t kDefault = 10;
  if (words == 1) return kDefault;
  const auto count = streams::read_number(c, c.args[5], errors::kNotInteger);
  if (!count) return std::nullopt;
  return static_cast<std::uint64_t>(*count < 0 ? kDefault : *count);
}

void info_stream(Context& c) {
  const Stream* stream = find_listed_stream(c);
  if (!stream) return;
  const bool full = c.args.size() > 3;
  const auto count = full ? read_full(c) : 0;
  if (!count) return;
  c.reply.map(full ? 9 : 10);
  write_pair(c, "length", stream->size());
  write_pair(c, "radix-tree-keys", std::uint64_t{stream->nodes().size()});
  write_pair(c, "radix-tree-nodes", stream->radix_tree_nodes());
  write_pair(c, "last-generated-id", stream->last_id());
  write_pair(c, "max-deleted-entry-id", stream->max_deleted_id());
  write_pair(c, "entries-added", stream->entries_added());
  write_pair(c, "recorded-first-entry-id", stream->first_id());
  if (!full) {
    write_pair(c, "groups", std::uint64_t{stream->groups().size()});
    write_edge(c, "first-entry", *stream, /*last=*/false);
    return write_edge(c, "last-entry", *stream, /*last=*/true);
  }
  c.reply.bulk("entries");
  streams::write_items(c, stream->range(kMinStreamId, kMaxStreamId, *count));
  c.reply.bulk("groups");
  c.reply.array(stream->groups().size());
  for (const auto& [name, group] : stream->groups())
    write_full_group(c, *stream, name, group, *count);
}

void info_groups(Context& c) {
  const Stream* stream = find_listed_stream(c);
  if (!stream) return;
  c.reply.array(stream->groups().size());
  for (const auto& [name, group] : stream->groups()) {
    c.reply.map(6);
    c.reply.bulk("name");
    c.reply.bulk(name);
    write_pair(c, "consumers", std::uint64_t{group.consumers().size()});
    write_pair(c, "pending", std::uint64_t{group.pending().size()});
    write_pair(c, "last-delivered-id", group.last_id);
    write_progress(c, *stream, group);
  }
}

void info_consumers(Context& c) {
  const Stream* stream = find_listed_stream(c);
  if (!stream) return;
  const auto found = stream->groups().find(c.args[3]);
  if (found == stream->groups().end())
    return c.reply.error(errors::no_group_of_key(c.args[3], c.args[2]));
  const auto& consumers = found->second.consumers();
  const std::int64_t now_ms = c.clock_ms();
  c.reply.array(consumers.size());
  for (const auto& [name, consumer] : consumers) {
    c.reply.map(3);
    c.reply.bulk("name");
    c.reply.bulk(name);
    write_pair(c, "pending", std::uint64_t{consumer.pending.size()});
    c.reply.bulk("idle");
    c.reply.integer(std::max<std::int64_t>(streams::elapsed_ms(consumer.seen_ms, now_ms), 0));
  }
}

void xinfo_help(Context& c) { write_help(c, help::xinfo()); }

constexpr KeySpec kXinfoKey[] = {{"RO access", 2}};

constexpr Command kXinfoSubcommands[] = {
    {"xinfo|consumers",
     4,
     kReadonly,
     kAclStream,
     kXinfoKey,
     "stream",
     "5.0.0",
     info_consumers,
     {},
     "nondeterministic_output"},
    {"xinfo|groups", 3, kReadonly, kAclStream, kXinfoKey, "stream", "5.0.0", info_groups},
    {"xinfo|help", 2, kLoading | kStale, kAclStream, {}, "stream", "5.0.0", xinfo_help},
    {"xinfo|stream", -3, kReadonly, kAclStream, kXinfoKey, "stream", "5.0.0", info_stream},
};

constexpr Command kStreamInfoCommands[] = {
    {"xinfo", -2, 0, 0, {}, "stream", "5.0.0", nullptr, kXinfoSubcommands},
};

}  // namespace

std::span<const Command> commands::stream_info() { return kStreamInfoCommands; }

}  // namespace picklock
