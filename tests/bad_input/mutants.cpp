#include "tests/bad_input/mutants.hpp"

#include <algorithm>
#include <array>

#include "emulator/base/text.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

// No small positive number: as a relative deadline it would pass, or not, during the test.
constexpr std::array kStandIns{""sv,
                               "abc"sv,
                               "0"sv,
                               "-1"sv,
                               "1.5"sv,
                               "nan"sv,
                               "inf"sv,
                               "-inf"sv,
                               "1e400"sv,
                               "9223372036854775807"sv,
                               "-9223372036854775808"sv,
                               "9223372036854775808"sv,
                               " 1"sv,
                               "\0\xff\r\n"sv,
                               "a:string"sv,
                               "a:list"sv,
                               "a:hash"sv,
                               "a:set"sv,
                               "a:zset"sv,
                               "a:stream"sv};

// Containers of subcommands of which only some harm: these are left out one by one.
struct Harm {
  std::string_view command;
  std::string_view subcommand;  // Empty for all of them.
};
constexpr std::array kHarmful{Harm{"shutdown", ""},
                              Harm{"debug", ""},
                              Harm{"replicaof", ""},
                              Harm{"slaveof", ""},
                              Harm{"sync", ""},
                              Harm{"psync", ""},
                              Harm{"failover", ""},
                              Harm{"monitor", ""},
                              Harm{"migrate", ""},
                              Harm{"save", ""},
                              Harm{"bgsave", ""},
                              Harm{"bgrewriteaof", ""},
                              Harm{"replconf", ""},
                              Harm{"config", "set"},
                              Harm{"config", "rewrite"},
                              Harm{"client", "pause"},
                              Harm{"client", "kill"},
                              Harm{"acl", "setuser"},
                              Harm{"acl", "deluser"},
                              Harm{"acl", "load"},
                              Harm{"acl", "save"},
                              Harm{"acl", "log"},
                              Harm{"acl", "genpass"},
                              Harm{"module", ""},
                              Harm{"lolwut", ""},
                              Harm{"client", "no-evict"},
                              Harm{"script", "debug"},
                              Harm{"function", "stats"},
                              Harm{"memory", ""},
                              Harm{"latency", ""},
                              Harm{"slowlog", "get"},
                              Harm{"info", ""},
                              Harm{"function", "restore"},
                              Harm{"command", ""},
                              Harm{"spop", ""}};

// A negative count asks for so many elements, be they the same: a large one keeps the server busy
// for years, and the least one sends it into memory that is not its own.
constexpr std::array kDrawing{"hrandfield"sv, "zrandmember"sv, "srandmember"sv};

constexpr std::array kChanging{
    "multi"sv,      "exec"sv,       "discard"sv,     "watch"sv,        "subscribe"sv,
    "psubscribe"sv, "ssubscribe"sv, "unsubscribe"sv, "punsubscribe"sv, "sunsubscribe"sv,
    "client"sv,     "quit"sv,       "reset"sv,       "hello"sv,        "select"sv,
    "auth"sv,       "blpop"sv,      "brpop"sv,       "blmove"sv,       "brpoplpush"sv,
    "blmpop"sv,     "bzpopmin"sv,   "bzpopmax"sv,    "bzmpop"sv,       "xread"sv,
    "xreadgroup"sv, "wait"sv,       "readonly"sv,    "readwrite"sv,    "asking"sv,
    "swapdb"sv,     "publish"sv,    "spublish"sv,    "exec"sv};

// In a sorted set of different scores, what these find hangs on the heights of a skip list, which
// are drawn by chance; and spoilt requests make the scores different.
bool asks_lexically(const Words& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    const std::string name = lower(word);
    return name.ends_with("bylex") || name == "zlexcount";
  });
}

}  // namespace

std::vector<Words> set_up() {
  return {{"SET", "a:string", "text"},
          {"RPUSH", "a:list", "x", "y", "z"},
          {"HSET", "a:hash", "f", "v", "n", "7"},
          {"SADD", "a:set", "m", "3"},
          {"ZADD", "a:zset", "1", "m", "2.5", "n"},
          {"XADD", "a:stream", "1-1", "f", "v"}};
}

std::vector<Words> mutants(const Words& words) {
  std::vector<Words> all;
  for (std::size_t length = 1; length < words.size(); ++length)
    all.emplace_back(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
  for (const auto extra : {"extra"sv, ""sv}) {
    all.push_back(words);
    all.back().emplace_back(extra);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    all.push_back(words);
    all.back().erase(all.back().begin() + at);
    all.push_back(words);
    all.back().insert(all.back().begin() + at, std::string{words[i]});
    for (const auto stand_in : kStandIns) {
      all.push_back(words);
      all.back()[i] = stand_in;
    }
  }
  return all;
}

bool is_dangerous(const Words& words) {
  if (asks_lexically(words)) return true;
  if (std::ranges::any_of(kDrawing, [&](auto name) { return iequals(words[0], name); }) &&
      std::ranges::any_of(words, [](const auto& w) { return w.starts_with('-') && w.size() > 6; }))
    return true;
  return std::ranges::any_of(kHarmful, [&](const Harm& harm) {
    return iequals(words[0], harm.command) &&
           (harm.subcommand.empty() || words.size() < 2 || iequals(words[1], harm.subcommand));
  });
}

bool changes_connection(const Words& words) {
  return std::ranges::any_of(kChanging, [&](auto name) { return iequals(words[0], name); });
}

}  // namespace picklock::test
