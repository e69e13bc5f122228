// Many requests at once, and their replies.
#pragma once

#include <string>
#include <vector>

#include <picklock/reply.hpp>

#include "emulator/resp/reply_parser.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/target.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {

inline std::vector<Reply> pipeline(Channel& channel,
                                   const std::vector<std::vector<std::string>>& requests) {
  std::string bytes;
  for (const auto& request : requests) bytes += encode_request(request);
  ReplyParser parser;
  parser.feed(channel.exchange(bytes));
  std::vector<Reply> replies;
  while (auto reply = parser.next()) replies.push_back(std::move(*reply));
  REQUIRE(replies.size() == requests.size());
  return replies;
}

}  // namespace picklock::test
