// SUBSCRIBE, PUBLISH and their kin, PUBSUB.
#include <optional>
#include <string>
#include <vector>

#include "emulator/base/glob.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/publish.hpp"

namespace picklock {
namespace {

/// Answers one of several confirmations: the first takes the reply's place, the others follow as
/// messages do. Who has turned replies off hears all of them (Redis: CLIENT_PUSHING).
void confirm(EngineContext& c, bool first, std::string_view verb, Topic topic,
             std::optional<std::string_view> name) {
  const auto write = [&](ReplyWriter& out) {
    out.push(3);
    out.bulk(verb);
    if (name)
      out.bulk(*name);
    else
      out.null();
    out.integer(static_cast<std::int64_t>(c.session.subscriptions.shown_count(topic)));
  };
  if (first && !c.session.is_muted())
    write(c.reply);
  else
    deliver(c.engine, c.session, write);
}

void subscribe_to(Context& c, Topic topic) {
  auto& ec = engine_context(c);
  for (std::size_t i = 1; i < c.args.size(); ++i) {
    if (ec.session.subscriptions.add(topic, c.args[i]))
      ec.engine.pubsub.add(topic, c.args[i], ec.session.id);
    confirm(ec, i == 1, c.command->name, topic, c.args[i]);
  }
}

void unsubscribe_from(Context& c, Topic topic) {
  auto& ec = engine_context(c);
  std::vector<std::string> names(c.args.begin() + 1, c.args.end());
  if (names.empty()) names = ec.session.subscriptions.names(topic);
  if (names.empty()) return confirm(ec, true, c.command->name, topic, std::nullopt);
  for (const std::string& name : names) {
    if (ec.session.subscriptions.remove(topic, name))
      ec.engine.pubsub.remove(topic, name, ec.session.id);
    confirm(ec, &name == &names.front(), c.command->name, topic, name);
  }
}

void subscribe(Context& c) { subscribe_to(c, Topic::channel); }
void psubscribe(Context& c) { subscribe_to(c, Topic::pattern); }
// Redis refuses it in a transaction too, unlike the others.
void ssubscribe(Context& c) {
  const auto& transaction = engine_context(c).session.transaction;
  if (transaction && transaction->executing) return c.reply.error(errors::kSsubscribeMayNotBlock);
  subscribe_to(c, Topic::shard_channel);
}
void unsubscribe(Context& c) { unsubscribe_from(c, Topic::channel); }
void punsubscribe(Context& c) { unsubscribe_from(c, Topic::pattern); }
void sunsubscribe(Context& c) { unsubscribe_from(c, Topic::shard_channel); }

// Redis: only those who heard it here are counted, but a cluster's other nodes publish it, too.
void publish_message(Context& c) {
  const auto& elsewhere = engine_context(c).engine.control->on_publish;
  if (elsewhere) elsewhere(c.args[1], c.args[2]);
  c.reply.integer(publish(engine_context(c).engine, c.args[1], c.args[2]));
  if (!c.in_cluster) c.replicated = Replicated::always;  // There the cluster's bus carries it.
}

void spublish(Context& c) {
  c.reply.integer(publish_to_shard(engine_context(c).engine, c.args[1], c.args[2]));
  c.replicated = Replicated::always;
}

void list_channels(Context& c, Topic topic) {
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "PUBSUB"));
  std::vector<std::string_view> found;
  engine_context(c).engine.pubsub.all(topic).for_each([&](const auto& entry) {
    if (c.args.size() == 2 || glob_match(c.args[2], entry.key)) found.push_back(entry.key);
  });
  c.reply.array(found.size());
  for (const std::string_view name : found) c.reply.bulk(name);
}

void count_subscribers(Context& c, Topic topic) {
  const Args names = c.args.subspan(2);
  c.reply.array(2 * names.size());
  for (const std::string_view name : names) {
    const auto* subscribers = engine_context(c).engine.pubsub.find(topic, name);
    c.reply.bulk(name);
    c.reply.integer(subscribers ? static_cast<std::int64_t>(subscribers->size()) : 0);
  }
}

void pubsub_channels(Context& c) { list_channels(c, Topic::channel); }
void pubsub_shardchannels(Context& c) { list_channels(c, Topic::shard_channel); }
void pubsub_numsub(Context& c) { count_subscribers(c, Topic::channel); }
void pubsub_shardnumsub(Context& c) { count_subscribers(c, Topic::shard_channel); }

void pubsub_numpat(Context& c) {
  c.reply.integer(
      static_cast<std::int64_t>(engine_context(c).engine.pubsub.all(Topic::pattern).size()));
}

void pubsub_help(Context& c) { write_help(c, help::pubsub()); }

constexpr std::uint32_t kSubscribe = kPubsub | kNoScript | kLoading | kStale;
constexpr std::uint32_t kPublish = kMayReplicate | kPubsub | kLoading | kStale | kFast;
constexpr std::uint32_t kLookAt = kPubsub | kLoading | kStale;

constexpr KeySpec kShardChannels[] = {{.flags = "not_key", .last = -1}};
constexpr KeySpec kShardChannel[] = {{.flags = "not_key"}};

constexpr Command kPubsubSubcommands[] = {
    {"pubsub|channels", -2, kLookAt, 0, {}, "pubsub", "2.8.0", pubsub_channels},
    {"pubsub|numpat", 2, kLookAt, 0, {}, "pubsub", "2.8.0", pubsub_numpat},
    {"pubsub|numsub", -2, kLookAt, 0, {}, "pubsub", "2.8.0", pubsub_numsub},
    {"pubsub|help", 2, kLoading | kStale, 0, {}, "pubsub", "6.2.0", pubsub_help},
    {"pubsub|shardchannels", -2, kLookAt, 0, {}, "pubsub", "7.0.0", pubsub_shardchannels},
    {"pubsub|shardnumsub", -2, kLookAt, 0, {}, "pubsub", "7.0.0", pubsub_shardnumsub},
};

constexpr Command kPubsubCommands[] = {
    {"subscribe", -2, kSubscribe, 0, {}, "pubsub", "2.0.0", subscribe},
    {"unsubscribe", -1, kSubscribe, 0, {}, "pubsub", "2.0.0", unsubscribe},
    {"psubscribe", -2, kSubscribe, 0, {}, "pubsub", "2.0.0", psubscribe},
    {"punsubscribe", -1, kSubscribe, 0, {}, "pubsub", "2.0.0", punsubscribe},
    {"ssubscribe", -2, kSubscribe, 0, kShardChannels, "pubsub", "7.0.0", ssubscribe},
    {"sunsubscribe", -1, kSubscribe, 0, kShardChannels, "pubsub", "7.0.0", sunsubscribe},
    {"publish", 3, kPublish, 0, {}, "pubsub", "2.0.0", publish_message},
    {"spublish", 3, kPublish, 0, kShardChannel, "pubsub", "7.0.0", spublish},
    {"pubsub", -2, 0, 0, {}, "pubsub", "2.8.0", nullptr, kPubsubSubcommands},
};

}  // namespace

std::span<const Command> commands::pubsub() { return kPubsubCommands; }

}  // namespace picklock
