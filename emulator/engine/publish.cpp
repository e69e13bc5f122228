#include "emulator/engine/publish.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "emulator/base/glob.hpp"
#include "emulator/engine/engine.hpp"

namespace picklock {

void deliver(Engine& engine, Session& session, const std::function<void(ReplyWriter&)>& write) {
  if (session.closing || session.silenced) return;
  ReplyWriter* apart = session.events ? session.events->message_writer() : nullptr;
  ReplyWriter* writer = apart ? apart : session.writer;
  if (!writer) return;  // Restored from a snapshot, and no driver has it open.
  if (apart) apart->set_version(session.resp_version);
  write(*writer);
  session.last_used_at = engine.now();  // As Engine::release() does.
  if (session.events) session.events->output_appeared();
}

namespace {

std::int64_t deliver_to(Engine& engine, const PubSub::Subscribers& subscribers,
                        std::initializer_list<std::string_view> message) {
  std::int64_t receivers = 0;
  for (const std::uint64_t id : subscribers) {
    const auto found = engine.sessions().find(id);
    if (found == engine.sessions().end()) continue;
    ++receivers;
    deliver(engine, *found->second, [&](ReplyWriter& out) {
      out.push(message.size());
      for (const std::string_view word : message) out.bulk(word);
    });
  }
  return receivers;
}

}  // namespace

std::int64_t publish(Engine& engine, std::string_view channel, std::string_view message) {
  std::int64_t receivers = 0;
  if (const auto* subscribers = engine.pubsub.find(Topic::channel, channel))
    receivers += deliver_to(engine, *subscribers, {"message", channel, message});
  engine.pubsub.all(Topic::pattern).for_each([&](const auto& entry) {
    if (glob_match(entry.key, channel))
      receivers += deliver_to(engine, entry.value, {"pmessage", entry.key, channel, message});
  });
  return receivers;
}

std::int64_t publish_to_shard(Engine& engine, std::string_view channel, std::string_view message) {
  const auto* subscribers = engine.pubsub.find(Topic::shard_channel, channel);
  return subscribers ? deliver_to(engine, *subscribers, {"smessage", channel, message}) : 0;
}

// Redis: removeChannelsInSlot, slot by slot, the channels of a slot in the order of their bytes.
void end_shard_subscriptions(Engine& engine, const std::bitset<kSlots>& slots) {
  std::vector<std::pair<int, std::string>> channels;
  engine.pubsub.all(Topic::shard_channel).for_each([&](const auto& entry) {
    const int slot = key_slot(entry.key);
    if (slots.test(static_cast<std::size_t>(slot))) channels.emplace_back(slot, entry.key);
  });
  std::ranges::sort(channels);
  for (const auto& [slot, channel] : channels) {
    const PubSub::Subscribers subscribers = *engine.pubsub.find(Topic::shard_channel, channel);
    for (const std::uint64_t id : subscribers) {
      engine.pubsub.remove(Topic::shard_channel, channel, id);
      const auto found = engine.sessions().find(id);
      if (found == engine.sessions().end()) continue;
      Session& session = *found->second;
      session.subscriptions.remove(Topic::shard_channel, channel);
      deliver(engine, session, [&](ReplyWriter& out) {
        out.push(3);
        out.bulk("sunsubscribe");
        out.bulk(channel);
        out.integer(static_cast<std::int64_t>(session.subscriptions.count(Topic::shard_channel)));
      });
    }
  }
}

void unsubscribe_all(Engine& engine, Session& session) {
  if (!session.subscriptions.any()) return;
  for (const Topic topic : kTopics)
    for (const std::string& name : session.subscriptions.names(topic)) {
      session.subscriptions.remove(topic, name);
      engine.pubsub.remove(topic, name, session.id);
    }
}

}  // namespace picklock
