// A generated session: what several clients send, in order. A value; printed in transcript
// notation.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::test {

using Words = std::vector<std::string>;

/// What stays together when a sequence is shrunk: commands of one client, sent in one go, perhaps a
/// wait, and more.
struct Action {
  int client = 0;
  std::vector<Words> commands;
  std::string raw;  // Bytes for a connection of its own, instead of commands.
  std::chrono::milliseconds wait{0};
  std::vector<Words> afterwards;  // Sent when the wait is over.
  bool may_block = false;         // Nothing of the same client is sent in one go with it.
};

using Sequence = std::vector<Action>;

/// Commands and raw sends, for counting.
std::size_t count_steps(const Sequence& sequence);
std::string_view client_name(int client);
std::string print_sequence(const Sequence& sequence);

}  // namespace picklock::test
