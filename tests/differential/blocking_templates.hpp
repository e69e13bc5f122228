// What the generator makes commands from that wait, and those that end a wait: data only.
//
// As in templates.hpp and stream_templates.hpp; besides, %I is the id of a client. What waits does
// so for ever or for longer than a test takes; the short waits stand apart. Nothing but a list
// becomes l: the order of its elements is known when it is sorted.
#pragma once

#include <array>
#include <string_view>

namespace picklock::test {

inline constexpr auto kBlockingTemplates = std::to_array<std::string_view>({
    "BLPOP l 0",
    "BLPOP l|l2|%k [l] [l2] 0|1000",
    "BRPOP l2|%k [l] 0|1000.5",
    "BLMOVE l|l2|%k l|l2|%k LEFT|RIGHT LEFT|RIGHT 0|1000",
    "BLMOVE l l2 LEFT RIGHT 0",
    "BRPOPLPUSH l|l2 l|l2 0|1e3",
    "BLMPOP 0 1 l|%k LEFT|RIGHT [COUNT 2]",
    "BLMPOP 1000 2 l2|%k l LEFT|RIGHT [COUNT 1]",
    "BZPOPMIN z|z2|%k [z2] 0|1000",
    "BZPOPMAX z2|%k [z] 0",
    "BZMPOP 0 1 z|z2|%k MIN|MAX [COUNT 2]",
    "BZMPOP 0 2 z2|%k z MIN|MAX",
    "XREAD [COUNT 1] BLOCK 0|1000000 STREAMS x|%k $|%x",
    "XREAD BLOCK 0 STREAMS x y $ $|%x",
    "XREADGROUP GROUP %g %C [COUNT 1] BLOCK 0|1000000 STREAMS x|%k >|%x",
    "XREADGROUP GROUP g %C BLOCK 0 [NOACK] STREAMS x y > >",
    "WAIT 1 0",
    "LPUSH l|l2 %v [%f] [%v]",
    "RPUSH l|l2 %v",
    "RPUSH l|l2|%k a b c",
    "LPUSHX l %v",
    "LMOVE l|l2 l|l2|%k LEFT|RIGHT LEFT|RIGHT",
    "RPOPLPUSH l|l2 l|l2",
    "ZADD z|z2 %i %f [%i %f]",
    "ZADD z|z2|%k 1 a 2 b 3 c",
    "ZINCRBY z|z2 %i %f",
    "ZUNIONSTORE z|z2 2 z|%k z2",
    "ZRANGESTORE z|z2 z|z2 0 %r",
    "GEOADD z2 13.361389 38.115556 %f",
    "SADD t %i %f",
    "SORT t|l|l2 ALPHA STORE l|l2",
    "XADD x %n %f %v",
    "XADD x|y %n g v",
    "XADD x MAXLEN 1 %n g v",
    "XGROUP CREATE x g 0|$ MKSTREAM",
    "XGROUP CREATE x|y|%k %g $ MKSTREAM",
    "XGROUP DESTROY x %g",
    "XGROUP DELCONSUMER x g %C",
    "XACK x g %x",
    "DEL l|z|x",
    "DEL x",
    "DEL l2|z2|y",
    "DEL l2|z2|y",
    "SET l|z|x %v",
    "RENAME l l2|%k",
    "RENAME z|l2|%k l2|z2|y",
    "RENAME y x",
    "COPY l l2|z2|%k [REPLACE]",
    "COPY l2|z|%k l2|z2 [REPLACE]",
    "MOVE l|z|%k %d",
    "CLIENT UNBLOCK %I",
    "CLIENT UNBLOCK %I TIMEOUT|ERROR|ZZ",
    "CLIENT UNBLOCK %I [ERROR]",
    "CLIENT KILL ID %I",
    "CLIENT NO-EVICT ON|OFF",
    "EVAL \"redis.call('lpush', 'l', 's') redis.call('del', 'l') return 1\" 0",
    "EVAL \"redis.call('del', 'l') return redis.call('rpush', 'l', 's', 't', 'u')\" 0",
    "EVAL \"redis.call('zadd', 'z', 1, 's') return redis.call('lpush', 'l2', 's')\" 0",
    "EVAL \"redis.call('lpush', 'l', 's') return redis.call('blpop', 'l', 0)\" 0",
    "EVAL \"return redis.call('xread', 'block', 0, 'streams', 'x', '$')\" 0",
});

/// Their time is up before anybody else has a turn.
inline constexpr auto kShortWaits = std::to_array<std::string_view>({
    "BLPOP none [l] 0.003",
    "BRPOP l none 0.003",
    "BLMOVE none l LEFT RIGHT 0.002",
    "BRPOPLPUSH l l2 0.003",
    "BLMPOP 0.003 1 l LEFT",
    "BZPOPMIN none [z] 0.003",
    "BZPOPMAX z 0.003",
    "BZMPOP 0.003 2 none z MAX",
    "XREAD BLOCK 3 STREAMS x $",
    "XREADGROUP GROUP g alice BLOCK 3 STREAMS x >",
    "WAIT 1 3",
});

}  // namespace picklock::test
