// Replies that RespWriter has written, told to another writer.
#pragma once

#include <string_view>

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// Tells `out` of the replies in `bytes`, of which the last may be cut off: of a string that is, it
/// tells what there is. Only for what RespWriter has made; a server's bytes are for ReplyParser.
void read_replies(std::string_view bytes, ReplyWriter& out);

}  // namespace picklock
