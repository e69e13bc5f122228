// XGROUP: consumer groups and their consumers.
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

void refuse_subcommand(Context& c) { c.reply.error(errors::wrong_subcommand(c.args[1], "XGROUP")); }

/// What follows the group's ID.
struct GroupOptions {
  bool may_make_stream = false;
  std::int64_t entries_read = ConsumerGroup::kUnknown;
};

std::optional<GroupOptions> read_options(Context& c, bool creates) {
  GroupOptions options;
  for (std::size_t at = 5; at < c.args.size(); ++at) {
    if (creates && is_word(c.args[at], "mkstream")) {
      options.may_make_stream = true;
    } else if (is_word(c.args[at], "entriesread") && at + 1 < c.args.size()) {
      const auto number = streams::read_number(c, c.args[++at], errors::kNotInteger);
      if (!number) return std::nullopt;
      if (*number < ConsumerGroup::kUnknown)
        return c.reply.error(errors::kEntriesRead), std::nullopt;
      options.entries_read = *number;
    } else {
      return refuse_subcommand(c), std::nullopt;
    }
  }
  return options;
}

/// The stream at word 2; null, having answered the error, if it is missing.
Stream* find_stream(Context& c) {
  auto* stream = c.open_as<Stream>(c.args[2]);
  if (!stream && !c.failed) c.reply.error(errors::kXgroupNeedsKey);
  return stream;
}

/// The group at word 3 of a stream that must be there, too.
ConsumerGroup* find_group(Context& c) {
  Stream* stream = find_stream(c);
  if (!stream) return nullptr;
  ConsumerGroup* group = streams::find_group(*stream, c.args[3]);
  if (!group) c.reply.error(errors::no_group_of_key(c.args[3], c.args[2]));
  return group;
}

void create(Context& c) {
  const auto options = read_options(c, /*creates=*/true);
  if (!options) return;
  const std::string_view key = c.args[2];
  auto* stream = options->may_make_stream ? c.open_as<Stream>(key) : find_stream(c);
  if (c.failed || (!stream && !options->may_make_stream)) return;
  if (c.args.size() > 8) return refuse_subcommand(c);
  StreamId id = stream ? stream->last_id() : StreamId{};
  if (!streams::is_sign(c.args[4], '$')) {
    const auto given = streams::read_id(c, c.args[4]);
    if (!given) return;
    id = *given;
  }
  if (!stream) {
    c.db().put(key, Stream{});
    stream = c.open_as<Stream>(key);
  }
  const auto [made, is_new] = stream->groups().try_emplace(std::string{c.args[3]});
  if (!is_new) return c.reply.error(errors::kBusyGroup);
  made->second.last_id = id;
  made->second.entries_read = options->entries_read;
  c.tell_changes();
  c.reply.ok();
  c.replicated = Replicated::always;
  c.event(EventClass::stream, "xgroup-create", key);
}

void set_id(Context& c) {
  const auto options = read_options(c, /*creates=*/false);
  if (!options) return;
  ConsumerGroup* group = find_group(c);
  if (!group) return;
  if (c.args.size() > 7) return refuse_subcommand(c);
  StreamId id = c.open_as<Stream>(c.args[2])->last_id();
  if (!streams::is_sign(c.args[4], '$')) {
    const auto given = streams::read_id(c, c.args[4], IdForm::edges);
    if (!given) return;
    id = *given;
  }
  group->last_id = id;
  group->entries_read = options->entries_read;
  c.reply.ok();
  c.replicated = Replicated::always;
  c.event(EventClass::stream, "xgroup-setid", c.args[2]);
}

void destroy(Context& c) {
  Stream* stream = find_stream(c);
  if (!stream) return;
  const auto found = stream->groups().find(c.args[3]);
  if (found == stream->groups().end()) return c.reply.integer(0);
  stream->groups().erase(found);
  c.reply.integer(1);
  c.replicated = Replicated::always;
  c.event(EventClass::stream, "xgroup-destroy", c.args[2]);
  // Those who wait for the group are to hear of it.
  if (c.db().waited().awaits(Awaited::stream)) c.db().waited().signal(c.args[2]);
}

void create_consumer(Context& c) {
  ConsumerGroup* group = find_group(c);
  if (!group) return;
  if (group->find_consumer(c.args[4])) return c.reply.integer(0);
  streams::meet_consumer(c, c.args[2], *group, c.args[4]);
  c.replicated = Replicated::always;
  c.reply.integer(1);
}

void delete_consumer(Context& c) {
  ConsumerGroup* group = find_group(c);
  if (!group) return;
  const Consumer* consumer = group->find_consumer(c.args[4]);
  if (!consumer) return c.reply.integer(0);
  const auto pending = static_cast<std::int64_t>(consumer->pending.size());
  group->remove_consumer(c.args[4]);
  c.replicated = Replicated::always;
  c.event(EventClass::stream, "xgroup-delconsumer", c.args[2]);
  c.reply.integer(pending);
}

void xgroup_help(Context& c) { write_help(c, help::xgroup()); }

constexpr KeySpec kInsert[] = {{"RW insert", 2}};
constexpr KeySpec kDelete[] = {{"RW delete", 2}};
constexpr KeySpec kUpdate[] = {{"RW update", 2}};

constexpr Command kXgroupSubcommands[] = {
    {"xgroup|create", -5, kWrite | kDenyOom, kAclStream, kInsert, "stream", "5.0.0", create},
    {"xgroup|createconsumer", 5, kWrite | kDenyOom, kAclStream, kInsert, "stream", "6.2.0",
     create_consumer},
    {"xgroup|delconsumer", 5, kWrite, kAclStream, kDelete, "stream", "5.0.0", delete_consumer},
    {"xgroup|destroy", 4, kWrite, kAclStream, kDelete, "stream", "5.0.0", destroy},
    {"xgroup|help", 2, kLoading | kStale, kAclStream, {}, "stream", "5.0.0", xgroup_help},
    {"xgroup|setid", -5, kWrite, kAclStream, kUpdate, "stream", "5.0.0", set_id},
};

constexpr Command kStreamGroupsCommands[] = {
    {"xgroup", -2, 0, 0, {}, "stream", "5.0.0", nullptr, kXgroupSubcommands},
};

}  // namespace

std::span<const Command> commands::stream_groups() { return kStreamGroupsCommands; }

}  // namespace picklock
