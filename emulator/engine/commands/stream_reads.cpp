// XREAD and XREADGROUP: entries of several streams, perhaps of those to come.
#include <algorithm>

#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/stream_errors.hpp"
#include "emulator/commands/streams.hpp"
#include "emulator/engine/blocking_timeout.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

using streams::Claimed;

/// The words of a request, without what the IDs mean.
struct Request {
  bool for_group = false;  ///< XREADGROUP.
  std::optional<BlockingTimeout> timeout;
  std::uint64_t count = 0;
  bool acknowledges = true;  ///< No NOACK.
  std::optional<std::string_view> group;
  std::string_view consumer;
  std::size_t keys_at = 0;  ///< 0 if there are none.
  Args keys;
  Args ids;
};

bool read_streams(Context& c, Request& request, std::size_t at) {
  const std::size_t words = c.args.size() - at;
  if (words % 2 != 0) return c.reply.error(errors::kUnbalancedStreams), false;
  request.keys_at = at;
  request.keys = c.args.subspan(at, words / 2);
  request.ids = c.args.subspan(at + words / 2);
  return true;
}

/// Reads the option at `at`, which moves to its last word.
bool read_option(EngineContext& c, Request& request, std::size_t& at) {
  const std::string_view word = c.args[at];
  const std::size_t more = c.args.size() - 1 - at;
  const auto refuse = [&c](std::string_view error) { return c.reply.error(error), false; };
  if (is_word(word, "block") && more >= 1) {
    if (!c.may_block) return refuse(errors::block_from_script(c.args[0]));
    ++at;
    if (c.session.is_blocked()) return true;  // It was read when the request came.
    request.timeout = parse_timeout_ms(c, c.args[at]);
    return request.timeout.has_value();
  }
  if (is_word(word, "count") && more >= 1) {
    const auto count = streams::read_number(c, c.args[++at], errors::kNotInteger);
    request.count = static_cast<std::uint64_t>(std::max<std::int64_t>(count.value_or(0), 0));
    return count.has_value();
  }
  if (is_word(word, "group") && more >= 2) {
    if (!request.for_group) return refuse(errors::kGroupOutsideXreadgroup);
    request.group = c.args[at + 1];
    request.consumer = c.args[at + 2];
    at += 2;
    return true;
  }
  if (is_word(word, "noack")) {
    if (!request.for_group) return refuse(errors::kNoackOutsideXreadgroup);
    request.acknowledges = false;
    return true;
  }
  return refuse(errors::kSyntax);
}

std::optional<Request> read_request(EngineContext& c) {
  Request request;
  request.for_group = c.command->name == "xreadgroup";
  for (std::size_t at = 1; at < c.args.size() && request.keys_at == 0; ++at) {
    const bool fits = is_word(c.args[at], "streams") && at + 1 < c.args.size()
                          ? read_streams(c, request, at + 1)
                          : read_option(c, request, at);
    if (!fits) return std::nullopt;
  }
  if (request.keys_at == 0) return c.reply.error(errors::kSyntax), std::nullopt;
  if (request.for_group && !request.group)
    return c.reply.error(errors::kMissingGroup), std::nullopt;
  return request;
}

/// XREADGROUP's ">".
constexpr StreamId kNew = kMaxStreamId;

/// The ID after which to read the stream at `key`; answers the error.
std::optional<StreamId> read_start(Context& c, const Request& request, std::size_t index) {
  const auto refuse = [&c](std::string_view error) { return c.reply.error(error), std::nullopt; };
  const std::string_view key = request.keys[index];
  const std::string_view word = request.ids[index];
  Stream* stream = streams::find_to_read(c, key);
  if (c.failed) return std::nullopt;
  if (request.group && !(stream && streams::find_group(*stream, *request.group)))
    return refuse(errors::no_key_or_group(key, *request.group) +
                  " in XREADGROUP with GROUP option");
  if (streams::is_sign(word, '$')) {
    if (request.for_group) return refuse(errors::kDollarInXreadgroup);
    return stream ? stream->last_id() : StreamId{};
  }
  if (streams::is_sign(word, '>')) {
    if (!request.for_group) return refuse(errors::kNewInXread);
    return kNew;
  }
  return streams::read_id(c, word);
}

struct Served {
  std::string_view key;
  bool consumer_is_new;
  std::vector<Claimed> entries;
};

/// What `consumer` has been given before and not acknowledged.
std::vector<Claimed> read_history(Context& c, Stream& stream, ConsumerGroup& group,
                                  Consumer& consumer, StreamId first, std::uint64_t count) {
  std::vector<Claimed> entries;
  for (auto it = consumer.pending.lower_bound(first); it != consumer.pending.end(); ++it) {
    if (count != 0 && entries.size() == count) break;
    entries.push_back({*it, stream.find(*it)});
    if (!entries.back().item) continue;
    PendingEntry& pending = *group.find_pending(*it);
    pending.delivered_ms = c.clock_ms();
    ++pending.deliveries;
  }
  return entries;
}

/// The entries from `first` on; they are noted as delivered to `consumer` if it is not null.
std::vector<Claimed> read_new(Context& c, std::string_view key, Stream& stream,
                              const Request& request, ConsumerGroup* group, Consumer* consumer,
                              StreamId first, std::uint64_t count) {
  std::vector<Claimed> entries;
  bool moved = false;  // And no effect says so yet.
  for (const Stream::Item& item : stream.range(first, kMaxStreamId, count)) {
    const StreamId id = item.entry->id;
    entries.push_back({id, item});
    if (!consumer) continue;
    stream.advance(*group, id);
    moved = !request.acknowledges;
    if (!request.acknowledges) continue;
    PendingEntry& pending = group->assign(id, *consumer);
    pending.delivered_ms = c.clock_ms();
    pending.deliveries = 1;
    streams::replicate_claim(c, key, *request.group, *group, id);
  }
  if (moved) streams::replicate_group_id(c, key, *request.group, *group);
  return entries;
}

/// What can be given at once of the stream at `key`; nullopt if there is nothing.
std::optional<Served> serve_at_once(Context& c, const Request& request, std::string_view key,
                                    StreamId after) {
  Stream* stream = streams::find_to_read(c, key);
  if (!stream) return std::nullopt;
  ConsumerGroup* group = request.group ? streams::find_group(*stream, *request.group) : nullptr;
  const bool history = group && after != kNew;
  if (!history) {
    if (group) after = group->last_id;
    const auto last = stream->edge(/*last=*/true);
    if (!last || last->entry->id <= after) return std::nullopt;
  }
  after.increment();
  if (!group)
    return Served{key, false, read_new(c, key, *stream, request, {}, {}, after, request.count)};
  const auto [consumer, is_new] = streams::meet_quietly(c, *group, request.consumer);
  if (is_new && !request.acknowledges)
    streams::replicate_consumer(c, key, *request.group, request.consumer);
  if (history)
    return Served{key, is_new, read_history(c, *stream, *group, consumer, after, request.count)};
  return Served{key, is_new,
                read_new(c, key, *stream, request, group, &consumer, after, request.count)};
}

void write_served(Context& c, const std::vector<Served>& served) {
  if (c.reply.version() >= 3)
    c.reply.map(served.size());
  else
    c.reply.array(served.size());
  for (const auto& [key, consumer_is_new, entries] : served) {
    if (c.reply.version() < 3) c.reply.array(2);
    c.reply.bulk(key);
    // Redis makes a consumer at this place of the reply, and tells of it in its midst.
    if (consumer_is_new) streams::tell_of_consumer(c, key);
    c.reply.array(entries.size());
    for (const Claimed& entry : entries) {
      if (entry.item) {
        streams::write_item(c, *entry.item);
        continue;
      }
      c.reply.array(2);  // It was deleted in the meantime.
      streams::write_id(c, entry.id);
      c.reply.null_array();
    }
  }
}

/// Where a blocked request names `key` first.
std::size_t position_of(const Request& request, std::string_view key) {
  return static_cast<std::size_t>(std::ranges::find(request.keys, key) - request.keys.begin());
}

// Redis 7.0, serveClientsBlockedOnStreamKey: who waits is served as soon as the stream's last ID is
// beyond what it knows, even if that entry has been deleted again.
bool serve_waiting(EngineContext& c, std::string_view key) {
  const auto request = read_request(c);
  const KeyEntry* entry = c.look(key);
  if (!entry || !std::holds_alternative<Stream>(entry->value)) {
    if (!request->for_group) return false;
    return c.reply.error(errors::kStreamIsGone), true;
  }
  auto& stream =
      const_cast<Stream&>(std::get<Stream>(entry->value));  // Nobody has looked for it anew.
  StreamId after;
  ConsumerGroup* group = nullptr;
  if (request->group) {
    group = streams::find_group(stream, *request->group);
    if (!group) return c.reply.error(errors::kGroupIsGone), true;
    after = group->last_id;
  } else {
    after = c.session.blocked->starts[position_of(*request, key)];
  }
  if (stream.last_id() <= after) return false;
  c.replicated = Replicated::never;
  if (group && !request->acknowledges && !group->find_consumer(request->consumer))
    streams::replicate_consumer(c, key, *request->group, request->consumer);
  Consumer* consumer = group ? &streams::meet_consumer(c, key, *group, request->consumer) : nullptr;
  constexpr std::uint64_t kMostAtOnce = 1000;
  const std::uint64_t count = request->count != 0 ? request->count : kMostAtOnce;
  after.increment();
  write_served(c,
               {{key, false, read_new(c, key, stream, *request, group, consumer, after, count)}});
  return true;
}

void wait(EngineContext& c, const Request& request, const std::vector<StreamId>& starts) {
  c.engine.block_on(
      c, request.keys, request.timeout->deadline, [](ReplyWriter& reply) { reply.null_array(); },
      serve_waiting);
  if (!c.session.blocked) return;
  Blocked& blocked = *c.session.blocked;
  blocked.heeds_loss = request.for_group;
  blocked.starts = starts;
}

void xread(Context& context) {
  EngineContext& c = engine_context(context);
  const auto request = read_request(c);
  if (!request) return;
  std::vector<StreamId> starts;
  for (std::size_t i = 0; i < request->keys.size(); ++i) {
    const auto start = read_start(c, *request, i);
    if (!start) return;
    starts.push_back(*start);
  }
  c.replicated = Replicated::never;  // What it does with the group is told on the way.
  std::vector<Served> served;
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (auto one = serve_at_once(c, *request, request->keys[i], starts[i]))
      served.push_back(*std::move(one));
  if (!served.empty()) return write_served(c, served);
  if (request->timeout) return wait(c, *request, starts);
  c.reply.null_array();
}

constexpr KeySpec kReadKeys[] = {
    {.flags = "RO access", .last = -1, .keyword = "STREAMS", .limit = 2}};
constexpr KeySpec kReadGroupKeys[] = {
    {.flags = "RO access", .first = 4, .last = -1, .keyword = "STREAMS", .limit = 2}};

constexpr Command kStreamReadsCommands[] = {
    {"xread", -4, kReadonly | kBlocking | kMovableKeys, kAclStream, kReadKeys, "stream", "5.0.0",
     xread},
    {"xreadgroup", -7, kWrite | kBlocking | kMovableKeys, kAclStream, kReadGroupKeys, "stream",
     "5.0.0", xread},
};

}  // namespace

std::span<const Command> commands::stream_reads() { return kStreamReadsCommands; }

}  // namespace picklock
