// The entries of streams: XADD, XLEN, XRANGE, XREVRANGE, XDEL, XTRIM, XSETID.
#include "emulator/commands/streams.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/stream_errors.hpp"

namespace picklock {
namespace {

using streams::read_id;
using streams::read_number;

/// The options of XADD and XTRIM.
struct AddOrTrim {
  StreamTrim trim;
  std::size_t threshold_at = 0;  ///< The word that says how far to trim.
  bool limit_given = false;
  bool may_create = true;
  std::optional<ParsedId> id;  ///< XADD's, if it is not to be generated.
  std::size_t at = 2;          ///< The word at which they end: XADD's ID.
};

/// MAXLEN or MINID from word `at` on, which moves to its last word.
bool read_strategy(Context& c, AddOrTrim& options, bool by_length) {
  StreamTrim& trim = options.trim;
  if (trim.by != StreamTrim::By::nothing) return c.reply.error(errors::kTrimTwice), false;
  std::size_t& at = options.at;
  const std::size_t more = c.args.size() - 1 - at;
  const std::string_view next = c.args[at + 1];
  trim.approximate = more >= 2 && streams::is_sign(next, '~');
  if (trim.approximate || (more >= 2 && streams::is_sign(next, '='))) ++at;
  const std::string_view threshold = c.args[++at];
  options.threshold_at = at;
  trim.by = by_length ? StreamTrim::By::length : StreamTrim::By::id;
  if (!by_length) {
    const auto id = read_id(c, threshold);
    if (id) trim.min_id = *id;
    return id.has_value();
  }
  const auto length = read_number(c, threshold, errors::kNotInteger);
  if (!length) return false;
  if (*length < 0) return c.reply.error(errors::kTrimMaxlen), false;
  trim.max_length = static_cast<std::uint64_t>(*length);
  return true;
}

bool read_limit(Context& c, AddOrTrim& options) {
  const auto limit = read_number(c, c.args[++options.at], errors::kNotInteger);
  if (!limit) return false;
  if (*limit < 0) return c.reply.error(errors::kTrimLimit), false;
  options.trim.limit = *limit;
  options.limit_given = true;
  return true;
}

/// Whether the options fit together; fills in the limit that Redis sets by itself.
bool check_options(Context& c, AddOrTrim& options, bool adds) {
  StreamTrim& trim = options.trim;
  const auto refuse = [&c](std::string_view error) { return c.reply.error(error), false; };
  const bool trims = trim.by != StreamTrim::By::nothing;
  if (trim.limit != 0 && !trims) return refuse(errors::kLimitWithoutTrim);
  if (!adds && !trims) return refuse(errors::kTrimWithoutStrategy);
  if (options.limit_given) return trim.approximate || refuse(errors::kLimitWithoutTilde);
  if (!trim.approximate) return true;
  constexpr std::int64_t kMaxEntries = 10'000;  // Beyond this the limit would be capped anyway.
  trim.limit = 100 * std::min(c.limits.stream_node_max_entries, kMaxEntries);
  if (trim.limit <= 0) trim.limit = 10'000;
  return true;
}

std::optional<AddOrTrim> read_options(Context& c, bool adds) {
  AddOrTrim options;
  std::size_t& at = options.at;
  for (; at < c.args.size(); ++at) {
    const std::string_view word = c.args[at];
    const bool more = at + 1 < c.args.size();
    if (adds && streams::is_sign(word, '*')) break;
    if (more && (is_word(word, "maxlen") || is_word(word, "minid"))) {
      if (!read_strategy(c, options, is_word(word, "maxlen"))) return std::nullopt;
    } else if (more && is_word(word, "limit")) {
      if (!read_limit(c, options)) return std::nullopt;
    } else if (adds && is_word(word, "nomkstream")) {
      options.may_create = false;
    } else if (adds) {
      options.id = parse_stream_id(word, 0, IdForm::added);
      if (!options.id) return c.reply.error(errors::kStreamId), std::nullopt;
      break;
    } else {
      return c.reply.error(errors::kSyntax), std::nullopt;
    }
  }
  if (!check_options(c, options, adds)) return std::nullopt;
  return options;
}

/// The ID of the entry to add; nullopt, having answered the error, if it does not follow the last
/// one.
std::optional<StreamId> next_id(Context& c, const Stream& stream,
                                const std::optional<ParsedId>& wanted) {
  StreamId id = stream.last_id();
  if (!wanted) {
    const auto now_ms = static_cast<std::uint64_t>(c.clock_ms());
    if (now_ms > id.ms) return StreamId{now_ms, 0};
    id.increment();
    return id;
  }
  if (wanted->seq_given || wanted->id.ms != id.ms) {
    id = wanted->id;
  } else if (id.seq++ == kMaxStreamId.seq) {
    return c.reply.error(errors::kXaddTooLarge), std::nullopt;  // So says Redis 7.0.
  }
  if (id <= stream.last_id()) return c.reply.error(errors::kXaddSmaller), std::nullopt;
  return id;
}

Stream* open_or_create(Context& c, std::string_view key, bool may_create) {
  auto* stream = c.open_as<Stream>(key);
  if (c.failed || stream) return stream;
  if (!may_create) return c.reply.null(), nullptr;
  c.db().put(key, Stream{});
  return c.open_as<Stream>(key);
}

// Redis, streamRewriteTrimArgument: how far, and not about how far. XADD's ID is the one it got.
void replicate_trimmed(Context& c, const AddOrTrim& options, const Stream& stream,
                       const StreamId* id) {
  if (!c.effects) return;
  std::vector<std::string_view> words(c.args.begin(), c.args.end());
  std::string threshold;
  if (options.trim.approximate) {
    threshold = options.trim.by == StreamTrim::By::length
                    ? to_text(static_cast<std::int64_t>(stream.size()))
                    : to_text(stream.first_id());
    words[options.threshold_at - 1] = "=";
    words[options.threshold_at] = threshold;
  }
  const std::string added = id ? to_text(*id) : "";
  if (id) words[options.at] = added;
  c.replicate_as(words);
}

void xadd(Context& c) {
  const auto options = read_options(c, /*adds=*/true);
  if (!options) return;
  const std::size_t fields_at = options->at + 1;
  if (c.args.size() < fields_at + 2 || (c.args.size() - fields_at) % 2 != 0)
    return c.reply.error(errors::wrong_arity(c.command->name));
  if (options->id && options->id->seq_given && options->id->id.is_zero())
    return c.reply.error(errors::kXaddZero);
  const std::string_view key = c.args[1];
  Stream* stream = open_or_create(c, key, options->may_create);
  if (!stream) return;
  if (stream->last_id() == kMaxStreamId) return c.reply.error(errors::kXaddExhausted);
  const auto id = next_id(c, *stream, options->id);
  if (!id) return;
  const Args words = c.args.subspan(fields_at);
  stream->append(*id, {words.begin(), words.end()}, c.limits);
  if (c.events) c.events->publish_notes();
  streams::write_id(c, *id);
  c.edit(key);
  c.event(EventClass::stream, "xadd", key);
  if (stream->trim(options->trim) > 0) c.event(EventClass::stream, "xtrim", key);
  const bool generated = !options->id || !options->id->seq_given;
  replicate_trimmed(c, *options, *stream, generated ? &*id : nullptr);
  if (c.db().waited().awaits(Awaited::stream)) c.db().waited().signal(key);
}

void xtrim(Context& c) {
  const auto options = read_options(c, /*adds=*/false);
  if (!options) return;
  auto* stream = c.open_as<Stream>(c.args[1]);
  if (c.failed) return;
  if (!stream) return c.reply.integer(0);
  const auto trimmed = static_cast<std::int64_t>(stream->trim(options->trim));
  if (trimmed > 0) {
    c.event(EventClass::stream, "xtrim", c.args[1]);
    c.edit(c.args[1]);
    replicate_trimmed(c, *options, *stream, nullptr);
    c.tell_changes();
  }
  c.reply.integer(trimmed);
}

void xlen(Context& c) {
  const auto* stream = c.find_as<Stream>(c.args[1]);
  if (!c.failed) c.reply.integer(stream ? static_cast<std::int64_t>(stream->size()) : 0);
}

/// [COUNT count], as often as one likes; -1 if it is not there.
std::optional<std::int64_t> read_counts(Context& c, std::size_t at) {
  std::int64_t count = -1;
  for (; at < c.args.size(); at += 2) {
    if (!is_word(c.args[at], "count") || at + 1 == c.args.size())
      return c.reply.error(errors::kSyntax), std::nullopt;
    const auto number = read_number(c, c.args[at + 1], errors::kNotInteger);
    if (!number) return std::nullopt;
    count = std::max<std::int64_t>(*number, 0);
  }
  return count;
}

void range(Context& c, bool backwards) {
  const auto first = streams::read_first(c, c.args[backwards ? 3 : 2]);
  if (!first) return;
  const auto last = streams::read_last(c, c.args[backwards ? 2 : 3]);
  if (!last) return;
  const auto count = read_counts(c, 4);
  if (!count) return;
  const auto* stream = c.find_as<Stream>(c.args[1]);
  if (c.failed) return;
  if (!stream) return c.reply.array(0);
  if (*count == 0) return c.reply.null_array();
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(*count, 0));
  streams::write_items(c, stream->range(*first, *last, most, backwards));
}

void xrange(Context& c) { range(c, false); }
void xrevrange(Context& c) { range(c, true); }

void xdel(Context& c) {
  auto* stream = c.open_as<Stream>(c.args[1]);
  if (c.failed) return;
  if (!stream) return c.reply.integer(0);
  std::vector<StreamId> ids;
  for (const std::string_view word : c.args.subspan(2)) {
    const auto id = read_id(c, word);
    if (!id) return;
    ids.push_back(*id);
  }
  std::int64_t deleted = 0;
  bool first_is_gone = false;
  for (const StreamId id : ids) {
    if (!stream->erase(id)) continue;
    if (id == stream->first_id()) first_is_gone = true;
    stream->set_max_deleted_id(std::max(stream->max_deleted_id(), id));
    ++deleted;
  }
  if (deleted > 0) {
    if (first_is_gone || stream->size() == 0) stream->refresh_first_id();
    c.edit(c.args[1]);
    c.event(EventClass::stream, "xdel", c.args[1]);
  }
  c.reply.integer(deleted);
}

struct SetId {
  StreamId id;
  std::optional<std::int64_t> entries_added;
  StreamId max_deleted_id;
};

std::optional<SetId> read_set_id(Context& c) {
  const auto refuse = [&c](std::string_view error) { return c.reply.error(error), std::nullopt; };
  const auto id = read_id(c, c.args[2]);
  if (!id) return std::nullopt;
  SetId wanted{*id, {}, {}};
  for (std::size_t at = 3; at < c.args.size(); at += 2) {
    const bool more = at + 1 < c.args.size();
    if (more && is_word(c.args[at], "entriesadded")) {
      wanted.entries_added = read_number(c, c.args[at + 1], errors::kNotInteger);
      if (!wanted.entries_added) return std::nullopt;
      if (*wanted.entries_added < 0) return refuse(errors::kXsetidNegative);
    } else if (more && is_word(c.args[at], "maxdeletedid")) {
      const auto deleted = read_id(c, c.args[at + 1]);
      if (!deleted) return std::nullopt;
      if (*id < *deleted) return refuse(errors::kXsetidBelowGiven);
      wanted.max_deleted_id = *deleted;
    } else {
      return refuse(errors::kSyntax);
    }
  }
  return wanted;
}

void xsetid(Context& c) {
  const auto wanted = read_set_id(c);
  if (!wanted) return;
  auto* stream = c.open_as<Stream>(c.args[1]);
  if (c.failed) return;
  if (!stream) return c.reply.error(errors::kNoSuchKey);
  if (stream->size() > 0) {
    if (wanted->id < stream->edge(/*last=*/true)->entry->id)
      return c.reply.error(errors::kXsetidBelowTop);
    if (wanted->entries_added &&
        stream->size() > static_cast<std::uint64_t>(*wanted->entries_added))
      return c.reply.error(errors::kXsetidBelowLength);
  }
  stream->set_last_id(wanted->id);
  if (wanted->entries_added)
    stream->set_entries_added(static_cast<std::uint64_t>(*wanted->entries_added));
  if (!wanted->max_deleted_id.is_zero()) stream->set_max_deleted_id(wanted->max_deleted_id);
  c.reply.ok();
  c.replicated = Replicated::always;
  c.event(EventClass::stream, "xsetid", c.args[1]);
}

constexpr KeySpec kAdd[] = {
    {.flags = "RW update",
     .notes = "UPDATE instead of INSERT because of the optional trimming feature"}};

constexpr Command kStreamsCommands[] = {
    {"xadd",
     -5,
     kWrite | kDenyOom | kFast,
     kAclStream,
     kAdd,
     "stream",
     "5.0.0",
     xadd,
     {},
     "nondeterministic_output"},
    {"xlen", 2, kReadonly | kFast, kAclStream, keys::kLook, "stream", "5.0.0", xlen},
    {"xrange", -4, kReadonly, kAclStream, keys::kRead, "stream", "5.0.0", xrange},
    {"xrevrange", -4, kReadonly, kAclStream, keys::kRead, "stream", "5.0.0", xrevrange},
    {"xdel", -3, kWrite | kFast, kAclStream, keys::kDelete, "stream", "5.0.0", xdel},
    {"xtrim",
     -4,
     kWrite,
     kAclStream,
     keys::kDelete,
     "stream",
     "5.0.0",
     xtrim,
     {},
     "nondeterministic_output"},
    {"xsetid", -3, kWrite | kDenyOom | kFast, kAclStream, keys::kUpdate, "stream", "5.0.0", xsetid},
};

}  // namespace

std::span<const Command> commands::streams() { return kStreamsCommands; }

}  // namespace picklock
