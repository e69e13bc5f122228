#include "tests/differential/message_runs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <picklock/reply.hpp>

#include "emulator/resp/reply_parser.hpp"
#include "tests/differential/claims.hpp"

namespace picklock::test {
namespace {

Reply parsed(std::string_view bytes) {
  ReplyParser parser;
  parser.feed(bytes);
  return parser.next().value_or(Reply{});
}

std::vector<std::string> sorted(const std::vector<std::string>& lines) {
  std::vector<std::string> copy = lines;
  std::ranges::sort(copy);
  return copy;
}

// What UNSUBSCRIBE and its kin answer without words: the channels in any order, the numbers that
// are left in theirs.
std::size_t same_unsubscribed(const Words* request, Replies theirs, Replies ours) {
  const std::string_view kind = first_word(theirs[0]);
  if (!request || request->size() != 1 || !is_confirmation(theirs[0])) return 0;
  std::vector<std::string> their_channels;
  std::vector<std::string> our_channels;
  std::size_t length = 0;
  for (; length < std::min(theirs.size(), ours.size()); ++length) {
    if (first_word(theirs[length]) != kind || first_word(ours[length]) != kind) break;
    const Reply a = parsed(theirs[length]);
    const Reply b = parsed(ours[length]);
    if (a.size() != 3 || b.size() != 3 || !(a[2] == b[2])) return 0;
    their_channels.push_back(a[1].to_string());
    our_channels.push_back(b[1].to_string());
  }
  return sorted(their_channels) == sorted(our_channels) ? length : 0;
}

// One message that reaches a client by several of its patterns.
std::size_t same_but_patterns(const Words*, Replies theirs, Replies ours) {
  const auto is_same_message = [](std::string_view one, std::string_view other) {
    const Reply a = parsed(one);
    const Reply b = parsed(other);
    return first_word(one) == "pmessage" && first_word(other) == "pmessage" && a.size() == 4 &&
           b.size() == 4 && a[2] == b[2] && a[3] == b[3];
  };
  std::vector<std::string> a;
  std::vector<std::string> b;
  for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i) {
    if (!is_same_message(theirs[0], theirs[i]) || !is_same_message(theirs[0], ours[i])) break;
    a.emplace_back(theirs[i]);
    b.emplace_back(ours[i]);
    if (sorted(a) == sorted(b)) return a.size();
  }
  return 0;
}

std::size_t same_but_redirection(const Words*, Replies theirs, Replies ours) {
  const auto tells = [](std::string_view reply) {
    return first_word(reply) == "tracking-redir-broken" && parsed(reply).size() == 2 &&
           parsed(reply)[1].type() == Reply::Type::integer;
  };
  return tells(theirs[0]) && tells(ours[0]) ? 1 : 0;
}

constexpr std::array kTable{
    RunNormaliser{"unsubscribed", "channels stand in a hash table with a random seed",
                  same_unsubscribed},
    RunNormaliser{"patterns", "patterns stand in a hash table with a random seed",
                  same_but_patterns},
    RunNormaliser{"broken id", "counts the server's connections since its start",
                  same_but_redirection},
};

}  // namespace

std::span<const RunNormaliser> run_normalisers() { return kTable; }

}  // namespace picklock::test
