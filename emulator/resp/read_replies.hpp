// Replies that RespWriter has written, told to another writer.
#pragma once

#include <string_view>

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// Tells `out` of the replies in `bytes`, of which the last may be cut off: of a string that is, it
/// tells what there is. Messages in between, which RESP3 pushes, are left out. Only for what
/// RespWriter has made; a server's bytes are for ReplyParser.
void read_replies(std::string_view bytes, ReplyWriter& out);

/// `bytes` without the messages before the first reply.
std::string_view behind_messages(std::string_view bytes);

}  // namespace picklock
