// What the tests of the command table share: one request to a server, one reply.
#pragma once

#include <string>
#include <vector>

#include "emulator/resp/reply_parser.hpp"
#include "tests/support/target.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {

/// Asks on a new connection, in RESP3 if `protocol` is 3.
inline Reply ask(Target& server, const std::vector<std::string>& words, int protocol = 2) {
  const auto channel = server.connect();
  if (protocol == 3) channel->exchange(encode_request({"HELLO", "3"}));
  ReplyParser parser;
  parser.feed(channel->exchange(encode_request(words)));
  return parser.next().value();
}

}  // namespace picklock::test
