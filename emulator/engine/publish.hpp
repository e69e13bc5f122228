// Carries published messages to the sessions that have subscribed.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <string_view>

#include "emulator/engine/cluster.hpp"
#include "emulator/engine/pubsub.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class Engine;
struct Session;

/// Sends `session` what `write` writes, outside of its replies: at once, even in the middle of one,
/// as Redis 7.0 does. A driver that builds replies as values gets it apart from them.
void deliver(Engine& engine, Session& session, const std::function<void(ReplyWriter&)>& write);

/// Publishes to a channel and to the patterns that match it, the channel's subscribers first;
/// returns the number of deliveries.
std::int64_t publish(Engine& engine, std::string_view channel, std::string_view message);
/// Publishes to a shard channel; returns the number of deliveries.
std::int64_t publish_to_shard(Engine& engine, std::string_view channel, std::string_view message);

/// Ends the subscriptions to all channels of these slots, and tells those who had them.
void end_shard_subscriptions(Engine& engine, const std::bitset<kSlots>& slots);

/// Ends all subscriptions of the session, without a word to it.
void unsubscribe_all(Engine& engine, Session& session);

}  // namespace picklock
