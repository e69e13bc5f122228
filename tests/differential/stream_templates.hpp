// What the generator makes its stream commands from: data only.
//
// As in templates.hpp; besides, %n is a new ID that is mostly greater than all before, %x the ID of
// an entry, %X a bound of a range, %g a group, %C a consumer. Where a command compares idle times,
// it asks for 0 or for more than a test takes.
#pragma once

#include <array>
#include <string_view>

namespace picklock::test {

inline constexpr auto kStreamTemplates = std::to_array<std::string_view>({
    "XADD x %n %f %v",
    "XADD x %n %f %v",
    "XADD x|y %n g v [h %i] [%f]",
    "XADD x|y|%k %n %f %v [%f %v]",
    "XADD x|y %x|%n %f %v",
    "XADD x [NOMKSTREAM] MAXLEN [~|=] %r %n g v",
    "XADD x|y|%k [NOMKSTREAM] [MAXLEN ~ %r] [LIMIT %r] %n g v",
    "XADD x [MINID %x] [MINID ~|= %x] %n g v",
    "XADD x|y MINID ~|= %x LIMIT %r %n g v",
    "XDEL x|y|%k %x [%x] [%x]",
    "XDEL x %x %x",
    "XLEN x|y|%k",
    "XRANGE x|y|%k - + [COUNT %r]",
    "XRANGE x|y %X %X [COUNT %r]",
    "XREVRANGE x|y|%k + - [COUNT %r]",
    "XREVRANGE x %X %X [COUNT %r]",
    "XREAD [COUNT %r] STREAMS x|y|%k %x|$",
    "XREAD [COUNT %r] STREAMS x y|%k 0 %x|0",
    "XREAD STREAMS x y %x",
    "XREAD [COUNT %r] [NOACK] [GROUP %g %C] STREAMS x %x|>",
    "XGROUP CREATE x|y|%k %g 0|%x|$ [MKSTREAM] [ENTRIESREAD %i]",
    "XGROUP CREATE x|y %g 0|$ [MKSTREAM]",
    "XGROUP CREATE x g 0 MKSTREAM",
    "XGROUP CREATE x g 0 MKSTREAM",
    "XGROUP CREATE x g 0 MKSTREAM",
    "XGROUP CREATE x|y g 0|$ MKSTREAM",
    "XGROUP SETID x|y|%k %g 0|%x|$ [ENTRIESREAD %i]",
    "XGROUP DESTROY x|y|%k %g",
    "XGROUP CREATECONSUMER x|y|%k %g %C",
    "XGROUP DELCONSUMER x|y|%k %g %C",
    "XGROUP ZZ|CREATE x %g",
    "XREADGROUP GROUP %g %C [COUNT %r] [NOACK] STREAMS x|y|%k >|%x",
    "XREADGROUP GROUP g %C COUNT 1|2 STREAMS x >",
    "XREADGROUP GROUP g %C COUNT 1|2 STREAMS x|y >",
    "XREADGROUP GROUP g %C [COUNT 1] STREAMS x y > >|0",
    "XREADGROUP GROUP g %C STREAMS x 0",
    "XREADGROUP GROUP g %C STREAMS x|%k x|y > $|>|%x",
    "XACK x|y|%k %g %x [%x]",
    "XACK x g %x %x %x",
    "XPENDING x|y|%k %g",
    "XPENDING x|y %g [IDLE 0|1000000000|-1|abc] - + 10|%r [%C]",
    "XPENDING x g %X %X %r [%C]",
    "XCLAIM x|y|%k %g %C 0|1000000000|-1|abc %x [%x] [JUSTID]",
    "XCLAIM x g %C 0 %x %x [IDLE 0|500000|-1|abc] [RETRYCOUNT %r] [FORCE] [JUSTID] [LASTID %x]",
    "XCLAIM x|y g %C 0 %x [TIME 1000|0|-1|abc] [FORCE] [LASTID %x] [ZZ]",
    "XAUTOCLAIM x|y|%k %g %C 0|1000000000|-1 %X [COUNT %r] [JUSTID]",
    "XAUTOCLAIM x g %C 0 0-0 [COUNT 1|2] [JUSTID]",
    "XINFO STREAM x|y|%k",
    "XINFO STREAM x|y FULL [COUNT %r]",
    "XINFO GROUPS x|y|%k",
    "XINFO CONSUMERS x|y|%k %g",
    "XINFO ZZ|STREAM x|y [ZZ]",
    "XTRIM x|y|%k MAXLEN [~|=] %r [LIMIT %r]",
    "XTRIM x|y MAXLEN ~ %r",
    "XTRIM x|y|%k MINID [~|=] %x [LIMIT %r]",
    "XSETID x|y|%k %x|%n [ENTRIESADDED %i] [MAXDELETEDID %x]",
    "XSETID x %n ENTRIESADDED 100 MAXDELETEDID %x",
    "CONFIG SET stream-node-max-entries 3|4|100",
    "COPY x y [REPLACE]",
    "RENAME x|y x|y",
    "DEL x|y",
    "DUMP x",
    "TYPE x",
    "OBJECT ENCODING x",
    "EXPIRE x %s",
});

/// All of them write at the present instant; their key is gone before anybody else asks.
inline constexpr auto kPresentStreams = std::to_array<std::string_view>({
    "XADD now * %f %v",
    "XADD now MAXLEN 1 * %f %v [%f]",
    "XADD now NOMKSTREAM * %f %v",
});

}  // namespace picklock::test
