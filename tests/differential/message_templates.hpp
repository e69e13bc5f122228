// What the generator makes commands from that send and receive messages: data only. Subscriptions,
// keyspace notifications, client tracking.
//
// As in templates.hpp; besides, %u is a channel, %P a pattern of channels, %I the id of a client.
// Nobody broadcasts by redirection: Redis tells those who do in the order of their addresses. Who
// begins to monitor does so elsewhere.
#pragma once

#include <array>
#include <string_view>

namespace picklock::test {

inline constexpr auto kMessageTemplates = std::to_array<std::string_view>({
    "SUBSCRIBE %u [%u]",
    "PSUBSCRIBE %P [%P]",
    "PSUBSCRIBE __key*__:*",
    "SSUBSCRIBE %u [%u]",
    "UNSUBSCRIBE [%u] [%u]",
    "UNSUBSCRIBE",
    "PUNSUBSCRIBE [%P]",
    "PUNSUBSCRIBE",
    "SUNSUBSCRIBE [%u]",
    "SUNSUBSCRIBE",
    "RESET",
    "RESET",
    "PUBLISH %u %v",
    "PUBLISH %u %v",
    "PUBLISH %u %v [%v]",
    "SPUBLISH %u %v",
    "PUBSUB CHANNELS [%P]",
    "PUBSUB NUMSUB [%u] [%u]",
    "PUBSUB NUMPAT [%v]",
    "PUBSUB SHARDCHANNELS [%P]",
    "PUBSUB SHARDNUMSUB %u [%u]",
    "PUBSUB ZZ|NUMPAT",
    "EVAL \"return redis.call('publish', KEYS[1], ARGV[1])\" 1 %u %v",
    "EVAL \"return redis.call('spublish', KEYS[1], ARGV[1])\" 1 %u %v",
    "EVAL \"redis.call('set', KEYS[1], '1') return redis.call('publish', ARGV[1], '1')\" 1 %k %u",
    "EVAL \"redis.call('incr', KEYS[1]) redis.call('del', KEYS[1]) return {}\" 1 %k",
    "PING [%v]",
    "HELLO 2|3",
    "HELLO 3",
    "QUIT",
    "CONFIG SET notify-keyspace-events KEA",
    "CONFIG SET notify-keyspace-events KA|EA|KEA|AKEmn|zz",
    "CONFIG SET notify-keyspace-events K|KEg$|KElshzxet|KEd||KEn|Ex",
    "CONFIG GET notify-keyspace-events",
    "CLIENT TRACKING ON",
    "CLIENT TRACKING ON [NOLOOP]",
    "CLIENT TRACKING ON BCAST [PREFIX k|h] [PREFIX l|z] [NOLOOP]",
    "CLIENT TRACKING ON OPTIN|OPTOUT [NOLOOP]",
    "CLIENT TRACKING ON REDIRECT %I [NOLOOP]",
    "CLIENT TRACKING ON [BCAST] [OPTIN] [OPTOUT] [NOLOOP] [PREFIX k] [ZZ]",
    "CLIENT TRACKING OFF",
    "CLIENT CACHING YES|NO|ZZ",
    "CLIENT CACHING YES",
    "CLIENT TRACKINGINFO",
    "CLIENT GETREDIR",
    "CLIENT KILL ID %I",
    "GET %k",
    "MGET %k %k",
    "HGET h|%k %f",
    "LRANGE l 0 -1",
    "ZSCORE z %f",
    "SET %k %v",
    "DEL %k [%k]",
    "EXPIRE %k %s",
    "HSET h|%k %f %v",
    "LPUSH l %v",
    "ZADD z %i %f",
    "SETEX %k %s %v",
    "RENAME %k %k",
    "FLUSHDB",
});

}  // namespace picklock::test
