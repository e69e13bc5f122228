// What consumer groups have delivered: XACK, XPENDING, XCLAIM, XAUTOCLAIM.
#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/stream_errors.hpp"
#include "emulator/commands/streams.hpp"

namespace picklock {
namespace {

using streams::Claimed;
using streams::read_number;

void xack(Context& c) {
  Stream* stream = streams::find_to_read(c, c.args[1]);
  if (c.failed) return;
  ConsumerGroup* group = stream ? streams::find_group(*stream, c.args[2]) : nullptr;
  if (!group) return c.reply.integer(0);
  std::vector<StreamId> ids;
  for (const std::string_view word : c.args.subspan(3)) {
    const auto id = streams::read_id(c, word);
    if (!id) return;
    ids.push_back(*id);
  }
  std::int64_t acknowledged = 0;
  for (const StreamId id : ids) acknowledged += group->acknowledge(id);
  if (acknowledged > 0) c.replicated = Replicated::always;
  c.reply.integer(acknowledged);
}

/// The words of XPENDING that ask for single entries.
struct PendingQuery {
  StreamId first, last;
  std::int64_t count = 0;
  std::int64_t min_idle_ms = 0;
  std::optional<std::string_view> consumer;
};

std::optional<PendingQuery> read_pending_query(Context& c) {
  PendingQuery query;
  std::size_t at = 3;
  if (is_word(c.args[at], "idle")) {
    const auto idle = read_number(c, c.args[4], errors::kNotInteger);
    if (!idle) return std::nullopt;
    if (c.args.size() < 8) return c.reply.error(errors::kSyntax), std::nullopt;
    query.min_idle_ms = *idle;
    at += 2;
  }
  const auto count = read_number(c, c.args[at + 2], errors::kNotInteger);
  if (!count) return std::nullopt;
  query.count = std::max<std::int64_t>(*count, 0);
  const auto first = streams::read_first(c, c.args[at]);
  if (!first) return std::nullopt;
  const auto last = streams::read_last(c, c.args[at + 1]);
  if (!last) return std::nullopt;
  query.first = *first;
  query.last = *last;
  if (at + 3 < c.args.size()) query.consumer = c.args[at + 3];
  return query;
}

void write_summary(Context& c, const ConsumerGroup& group) {
  const auto& pending = group.pending();
  c.reply.array(4);
  c.reply.integer(static_cast<std::int64_t>(pending.size()));
  if (pending.empty()) {
    c.reply.null();
    c.reply.null();
    return c.reply.null_array();
  }
  streams::write_id(c, pending.begin()->first);
  streams::write_id(c, pending.rbegin()->first);
  const auto waits = [](const auto& item) { return !item.second.pending.empty(); };
  c.reply.array(static_cast<std::size_t>(std::ranges::count_if(group.consumers(), waits)));
  for (const auto& [name, consumer] : group.consumers()) {
    if (consumer.pending.empty()) continue;
    c.reply.array(2);
    c.reply.bulk(name);
    c.reply.bulk(std::to_string(consumer.pending.size()));
  }
}

using PendingItem = ConsumerGroup::Pending::value_type;

/// What `query` asks for; `consumer` is null if it asks for everybody's.
std::vector<const PendingItem*> select(const ConsumerGroup& group, const PendingQuery& query,
                                       const Consumer* consumer, std::int64_t now_ms) {
  std::vector<const PendingItem*> selected;
  /// Takes the entry; false once there is no more to look for.
  const auto take = [&](const PendingItem& item) {
    if (item.first > query.last) return false;
    const std::int64_t idle_ms = streams::elapsed_ms(item.second.delivered_ms, now_ms);
    if (query.min_idle_ms == 0 || idle_ms >= query.min_idle_ms) selected.push_back(&item);
    return static_cast<std::int64_t>(selected.size()) < query.count;
  };
  if (query.count == 0) return selected;
  if (consumer) {
    for (auto it = consumer->pending.lower_bound(query.first); it != consumer->pending.end(); ++it)
      if (!take(*group.pending().find(*it))) break;
  } else {
    for (auto it = group.pending().lower_bound(query.first); it != group.pending().end(); ++it)
      if (!take(*it)) break;
  }
  return selected;
}

void write_pending(Context& c, ConsumerGroup& group, const PendingQuery& query) {
  const Consumer* consumer = query.consumer ? group.find_consumer(*query.consumer) : nullptr;
  if (query.consumer && !consumer) return c.reply.array(0);
  const std::int64_t now_ms = c.clock_ms();
  const auto selected = select(group, query, consumer, now_ms);
  c.reply.array(selected.size());
  for (const PendingItem* item : selected) {
    const auto& [id, entry] = *item;
    c.reply.array(4);
    streams::write_id(c, id);
    c.reply.bulk(group.name_of(entry.consumer));
    c.reply.integer(std::max<std::int64_t>(streams::elapsed_ms(entry.delivered_ms, now_ms), 0));
    c.reply.integer(static_cast<std::int64_t>(entry.deliveries));
  }
}

void xpending(Context& c) {
  const std::size_t words = c.args.size();
  if (words != 3 && (words < 6 || words > 9)) return c.reply.error(errors::kSyntax);
  std::optional<PendingQuery> query;
  if (words > 3 && !(query = read_pending_query(c))) return;
  const auto target = streams::find_group_to_claim(c);
  if (!target.group) return;
  if (query)
    write_pending(c, *target.group, *query);
  else
    write_summary(c, *target.group);
}

void write_claimed(Context& c, const std::vector<Claimed>& claimed, bool only_ids) {
  c.reply.array(claimed.size());
  for (const Claimed& entry : claimed)
    only_ids ? streams::write_id(c, entry.id) : streams::write_item(c, *entry.item);
}

/// The options of XCLAIM.
struct Claim {
  std::int64_t min_idle_ms = 0;
  std::vector<StreamId> ids;
  bool force = false;
  bool only_ids = false;
  std::optional<std::int64_t> idle_ms, time_ms, deliveries;
  StreamId last_id;
};

bool read_claim_option(Context& c, Claim& claim, std::size_t& at) {
  const std::string_view word = c.args[at];
  const auto read = [&](std::optional<std::int64_t>& number, std::string_view error) {
    number = read_number(c, c.args[++at], error);
    return number.has_value();
  };
  if (is_word(word, "force")) return claim.force = true;
  if (is_word(word, "justid")) return claim.only_ids = true;
  if (at + 1 < c.args.size()) {
    if (is_word(word, "idle")) {
      claim.time_ms.reset();
      return read(claim.idle_ms, errors::kClaimIdle);
    }
    if (is_word(word, "time")) {
      claim.idle_ms.reset();
      return read(claim.time_ms, errors::kClaimTime);
    }
    if (is_word(word, "retrycount")) return read(claim.deliveries, errors::kClaimRetryCount);
    if (is_word(word, "lastid")) {
      const auto id = streams::read_id(c, c.args[++at]);
      if (id) claim.last_id = *id;
      return id.has_value();
    }
  }
  c.reply.error(errors::unknown_claim_option(word));
  return false;
}

std::optional<Claim> read_claim(Context& c) {
  Claim claim;
  const auto idle = read_number(c, c.args[4], errors::kClaimMinIdle);
  if (!idle) return std::nullopt;
  claim.min_idle_ms = std::max<std::int64_t>(*idle, 0);
  std::size_t at = 5;
  for (; at < c.args.size(); ++at) {
    const auto id = parse_stream_id(c.args[at], 0, IdForm::strict);
    if (!id) break;
    claim.ids.push_back(id->id);
  }
  for (; at < c.args.size(); ++at)
    if (!read_claim_option(c, claim, at)) return std::nullopt;
  return claim;
}

/// The time of delivery that `claim` asks for; now, if that is no time in the past.
std::int64_t delivery_time(const Claim& claim, std::int64_t now_ms) {
  std::int64_t time_ms = claim.time_ms.value_or(-1);
  if (claim.idle_ms)
    time_ms = static_cast<std::int64_t>(static_cast<std::uint64_t>(now_ms) -
                                        static_cast<std::uint64_t>(*claim.idle_ms));
  return time_ms < 0 || time_ms > now_ms ? now_ms : time_ms;
}

bool is_idle_for(const PendingEntry& entry, std::int64_t now_ms, std::int64_t min_idle_ms) {
  return min_idle_ms == 0 || streams::elapsed_ms(entry.delivered_ms, now_ms) >= min_idle_ms;
}

/// Who claims, word 3. Redis 7.0 makes the consumer once there is something for it.
class Claimant {
 public:
  Claimant(Context& c, ConsumerGroup& group) : c_(c), group_(group) {}
  Consumer& operator*() {
    if (!consumer_) consumer_ = &streams::meet_consumer(c_, c_.args[1], group_, c_.args[3]);
    return *consumer_;
  }

 private:
  Context& c_;
  ConsumerGroup& group_;
  Consumer* consumer_ = nullptr;
};

/// Of an entry that was deleted; replicas find out in the same way.
void drop_pending(Context& c, ConsumerGroup& group, StreamId id) {
  if (group.find_pending(id)) streams::replicate_claim(c, c.args[1], c.args[2], group, id);
  group.acknowledge(id);
}

/// Gives `id` to the claimant; nothing, if it is not to be had.
std::optional<Claimed> claim_one(Context& c, const Stream& stream, ConsumerGroup& group,
                                 Claimant& claimant, const Claim& claim, StreamId id,
                                 std::int64_t now_ms) {
  const auto item = stream.find(id);
  if (!item) return drop_pending(c, group, id), std::nullopt;
  const PendingEntry* pending = group.find_pending(id);
  if (!pending && !claim.force) return std::nullopt;
  if (pending && !is_idle_for(*pending, now_ms, claim.min_idle_ms)) return std::nullopt;
  PendingEntry& entry = group.assign(id, *claimant);
  if (!pending) entry.deliveries = 1;  // Redis counts its making by FORCE as one.
  entry.delivered_ms = delivery_time(claim, now_ms);
  if (claim.deliveries && *claim.deliveries >= 0)
    entry.deliveries = static_cast<std::uint64_t>(*claim.deliveries);
  else if (!claim.only_ids)
    ++entry.deliveries;
  streams::replicate_claim(c, c.args[1], c.args[2], group, id);
  return Claimed{id, item};
}

// Redis 7.0: a group that is missing is told of before an option that is wrong.
void xclaim(Context& c) {
  const auto target = streams::find_group_to_claim(c);
  if (!target.group) return;
  const auto claim = read_claim(c);
  if (!claim) return;
  ConsumerGroup& group = *target.group;
  const bool moves_on = claim->last_id > group.last_id;
  if (moves_on) group.last_id = claim->last_id;
  const std::int64_t now_ms = c.clock_ms();
  Claimant claimant{c, group};
  std::vector<Claimed> claimed;
  for (const StreamId id : claim->ids)
    if (auto entry = claim_one(c, *target.stream, group, claimant, *claim, id, now_ms))
      claimed.push_back(*entry);
  // The other effects say it, too.
  if (moves_on && c.replicated != Replicated::never)
    streams::replicate_group_id(c, c.args[1], c.args[2], group);
  c.replicated = Replicated::never;
  write_claimed(c, claimed, claim->only_ids);
}

/// The options of XAUTOCLAIM.
struct AutoClaim {
  std::int64_t min_idle_ms = 0;
  StreamId first;
  std::int64_t count = 100;
  bool only_ids = false;
};

/// Redis looks at so many times COUNT of entries.
constexpr std::int64_t kAttempts = 10;

std::optional<AutoClaim> read_auto_claim(Context& c) {
  const auto refuse = [&c](std::string_view error) { return c.reply.error(error), std::nullopt; };
  AutoClaim claim;
  const auto idle = read_number(c, c.args[4], errors::kAutoClaimMinIdle);
  if (!idle) return std::nullopt;
  claim.min_idle_ms = std::max<std::int64_t>(*idle, 0);
  const auto first = streams::read_first(c, c.args[5]);
  if (!first) return std::nullopt;
  claim.first = *first;
  for (std::size_t at = 6; at < c.args.size(); ++at) {
    if (is_word(c.args[at], "count") && at + 1 < c.args.size()) {
      constexpr std::int64_t kMost =
          std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(StreamId));
      const auto count = parse_int64(c.args[++at]);
      if (!count || *count < 1 || *count > kMost) return refuse(errors::kCountMustBePositive);
      claim.count = *count;
    } else if (is_word(c.args[at], "justid")) {
      claim.only_ids = true;
    } else {
      return refuse(errors::kSyntax);
    }
  }
  return claim;
}

void xautoclaim(Context& c) {
  const auto claim = read_auto_claim(c);
  if (!claim) {
    c.find_to_read(c.args[1]);  // Redis looks before it reads the other words.
    return;
  }
  const auto target = streams::find_group_to_claim(c);
  if (!target.group) return;
  // Redis takes the room for COUNT deleted IDs at once, which no machine has for so many.
  constexpr std::int64_t kMostIds = (std::int64_t{1} << 40) / sizeof(StreamId);
  if (claim->count >= kMostIds) return c.reply.error(errors::kAutoClaimMemory);
  ConsumerGroup& group = *target.group;
  Claimant claimant{c, group};
  const std::int64_t now_ms = c.clock_ms();
  std::vector<Claimed> claimed;
  std::vector<StreamId> gone;
  std::int64_t count = claim->count;
  auto at = group.pending().lower_bound(claim->first);
  for (std::int64_t tries = kAttempts * count; tries > 0 && count > 0; --tries) {
    if (at == group.pending().end()) break;
    const StreamId id = (at++)->first;
    const auto item = target.stream->find(id);
    if (!item) {
      drop_pending(c, group, id);
      gone.push_back(id);
      --count;
      continue;
    }
    if (!is_idle_for(*group.find_pending(id), now_ms, claim->min_idle_ms)) continue;
    PendingEntry& entry = group.assign(id, *claimant);
    entry.delivered_ms = now_ms;
    if (!claim->only_ids) ++entry.deliveries;
    streams::replicate_claim(c, c.args[1], c.args[2], group, id);
    claimed.push_back({id, item});
    --count;
  }
  c.replicated = Replicated::never;
  c.reply.array(3);
  streams::write_id(c, at == group.pending().end() ? StreamId{} : at->first);
  write_claimed(c, claimed, claim->only_ids);
  c.reply.array(gone.size());
  for (const StreamId id : gone) streams::write_id(c, id);
}

constexpr Command kStreamPendingCommands[] = {
    {"xack", -4, kWrite | kFast, kAclStream, keys::kUpdate, "stream", "5.0.0", xack},
    {"xpending",
     -3,
     kReadonly,
     kAclStream,
     keys::kRead,
     "stream",
     "5.0.0",
     xpending,
     {},
     "nondeterministic_output"},
    {"xclaim",
     -6,
     kWrite | kFast,
     kAclStream,
     keys::kUpdate,
     "stream",
     "5.0.0",
     xclaim,
     {},
     "nondeterministic_output"},
    {"xautoclaim",
     -6,
     kWrite | kFast,
     kAclStream,
     keys::kDelete,
     "stream",
     "6.2.0",
     xautoclaim,
     {},
     "nondeterministic_output"},
};

}  // namespace

std::span<const Command> commands::stream_pending() { return kStreamPendingCommands; }

}  // namespace picklock
