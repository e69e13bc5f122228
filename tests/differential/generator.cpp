#include "tests/differential/generator.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "emulator/base/text.hpp"
#include "tests/differential/blocking_templates.hpp"
#include "tests/differential/message_templates.hpp"
#include "tests/differential/stream_templates.hpp"
#include "tests/differential/templates.hpp"
#include "tests/differential/user_templates.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

constexpr std::array kKeys{"k"sv, "n"sv, "s"sv, "h"sv, "h2"sv, "f"sv, ""sv, "b\0in"sv};
// No two that are equal up to a zero byte: SORT ... ALPHA takes them for equal, and leaves them in
// the random order of a hash table.
constexpr std::array kFields{"f"sv, "g"sv, "n"sv, ""sv, "o\0\xff"sv};
constexpr std::array kValues{"v"sv,          "hello"sv, ""sv,    "10"sv,
                             "-1"sv,         "0"sv,     "1.5"sv, "abc"sv,
                             "\xff\0\r\n"sv, "3.0e3"sv, "007"sv, "9223372036854775807"sv};
// No positive number that is small, for as a relative deadline it would pass during the test, and
// none that is large and valid, for given twice the second might be greater or equal, as a
// millisecond passes or not.
constexpr std::array kIntegers{"0"sv,
                               "-1"sv,
                               "-5"sv,
                               "9223372036854775807"sv,
                               "-9223372036854775808"sv,
                               "9223372036854775808"sv,
                               "abc"sv,
                               "1.5"sv,
                               ""sv,
                               " 1"sv,
                               "+1"sv,
                               "01"sv,
                               "0x10"sv,
                               "1e3"sv};
constexpr std::array kAmounts{"1"sv, "-1"sv, "5"sv, "100"sv, "-7"sv};
constexpr std::array kFloats{"0.1"sv, "-0.5"sv, "1e3"sv,   "3"sv,     "1e-7"sv, "5e20"sv, "nan"sv,
                             "inf"sv, "abc"sv,  "0x1p3"sv, "1e500"sv, ""sv,     " 1"sv,   "-0"sv};
constexpr std::array kPatterns{"*"sv,     "h*"sv, "?"sv,   "[a-k]"sv, "[^h]*"sv,
                               "h[12]"sv, ""sv,   "b*n"sv, "\\k"sv};
constexpr std::array kChannels{"news"sv,
                               "news"sv,
                               "old"sv,
                               "n"sv,
                               ""sv,
                               "b\0in"sv,
                               "__keyspace@0__:k"sv,
                               "__keyevent@0__:set"sv,
                               "__redis__:invalidate"sv};
// No two for keyspace notifications: their order would be left to chance, within other replies too.
constexpr std::array kChannelPatterns{"n*"sv,         "new?"sv, "[^_]*"sv, "__key*__:*"sv,
                                      "__key*__:*"sv, "news"sv, ""sv};
constexpr std::array kUsers{"ann"sv, "ben"sv, "ann"sv, "ben"sv, ""sv, "a b"sv, "b\0"sv};
constexpr std::array kScoreBounds{"-inf"sv, "+inf"sv, "0"sv,  "1"sv,   "(1"sv, "5"sv,
                                  "(5"sv,   "-7"sv,   "(3"sv, "abc"sv, ""sv,   "nan"sv};
constexpr std::array kLexBounds{"-"sv,  "+"sv, "[f"sv, "(f"sv,  "[g"sv,
                                "(g"sv, "["sv, "("sv,  "abc"sv, "[n"sv};
constexpr std::array kRanks{"0"sv,  "1"sv,  "2"sv,   "3"sv,  "7"sv,
                            "-1"sv, "-2"sv, "100"sv, "-3"sv, "abc"sv};
constexpr std::array kHiddenEnds{"\0"sv, "\0x"sv, "\0\0"sv, "\0 1"sv};
constexpr std::array kHits{'\r', '\n', '$', '*', '\0', ':', '9', '-', '"'};
constexpr std::array kExpiryConditions{"NX"sv, "XX"sv, "GT"sv, "LT"sv, "xx"sv, "ZZ"sv};

// They wake those who wait in the random order of a hash table of keys.
constexpr std::array kWakingAtRandom{"SWAPDB"sv, "FLUSHDB"sv, "FLUSHALL"sv};

constexpr std::array kThemes{
    Theme{"all", 3, 0, 12, kTemplates, {}},
    Theme{"streams", 1, 75, 12, kStreamTemplates, {}},
    Theme{"blocking", 1, 85, 3, kBlockingTemplates, kWakingAtRandom},
    Theme{"messages", 1, 65, 4, kMessageTemplates, {}, true},
    Theme{"users", 1, 70, 4, kUserTemplates, {}},
};

// A theme of such turns has long pipelines too.
constexpr std::uint64_t kPipeline = 12;

bool may_block(const Words& words) {
  const std::string name = lower(words[0]);
  return name == "wait" || name == "xread" || name == "xreadgroup" || name == "brpoplpush" ||
         name == "blmove" || name.ends_with("pop") || name == "bzpopmin" || name == "bzpopmax";
}

const Theme& choose_theme(std::string_view name, Random& random) {
  if (!name.empty()) {
    const auto* found = std::ranges::find(kThemes, name, &Theme::name);
    if (found == kThemes.end()) throw std::invalid_argument("unknown theme: " + std::string{name});
    return *found;
  }
  std::uint64_t sum = 0;
  for (const Theme& theme : kThemes) sum += theme.weight;
  std::uint64_t at = random.below(sum);
  const Theme* theme = kThemes.begin();
  while (at >= theme->weight) at -= (theme++)->weight;
  return *theme;
}

// A command's name, or the word behind such a one, with something behind a NUL is the command where
// both happen to fall into one bucket of a hash table that has a random seed.
bool is_container(const std::string& name) {
  static constexpr std::array kContainers{"ACL"sv,     "CLIENT"sv,   "CLUSTER"sv, "COMMAND"sv,
                                          "CONFIG"sv,  "FUNCTION"sv, "LATENCY"sv, "MEMORY"sv,
                                          "MODULE"sv,  "OBJECT"sv,   "PUBSUB"sv,  "SCRIPT"sv,
                                          "SLOWLOG"sv, "XGROUP"sv,   "XINFO"sv};
  return std::ranges::any_of(kContainers, [&](auto container) { return iequals(name, container); });
}

std::string text(std::uint64_t number) { return std::to_string(number); }

}  // namespace

Generator::Generator(std::uint64_t seed, std::string_view theme)
    : random_(seed), theme_(choose_theme(theme, random_)) {}

std::vector<std::string_view> Generator::themes() {
  std::vector<std::string_view> names;
  for (const Theme& theme : kThemes) names.push_back(theme.name);
  return names;
}

Sequence Generator::sequence(std::size_t steps) {
  Sequence actions;
  std::size_t made = 0;
  while (made < steps) {
    // Turns of one client: often a few commands, sometimes a long pipeline.
    client_ = static_cast<int>(random_.below(kClients));
    const bool is_short = theme_.turn < kPipeline || chance(70);
    const std::size_t turn = is_short ? 1 + random_.below(theme_.turn) : 50 + random_.below(150);
    for (std::size_t i = 0; i < turn && made < steps; ++i) {
      actions.push_back(action());
      actions.back().client = client_;
      made += actions.back().raw.empty() ? actions.back().commands.size() : 1;
    }
    if (!theme_.watches || !chance(3)) continue;
    for (Action& paused : this->paused()) {
      made += paused.commands.size();
      actions.push_back(std::move(paused));
    }
  }
  return actions;
}

Action Generator::action() {
  const auto dice = random_.below(1000);
  if (dice == 0) return short_deadline();
  if (dice < 20) return deadline_in_the_past();
  if (dice < 30) return raw_bytes();
  if (dice < 60) return transaction();
  if (dice < 65) return present_stream();
  if (dice < 67) return short_wait();
  if (dice < 70) return few_replies();
  if (dice < 71 && theme_.watches) return short_pause();
  if (dice < 76 && theme_.watches) return monitoring();
  Action action;
  action.commands.push_back(dice < 280 ? script_command() : command());
  action.may_block = may_block(action.commands[0]);
  // It has any number of replies; this one tells their end.
  if (action.commands[0].size() == 1 && lower(action.commands[0][0]).ends_with("unsubscribe"))
    action.commands.push_back({"PING"});
  return action;
}

Action Generator::transaction() {
  Action action;
  action.commands = {{"MULTI"}};
  for (auto count = random_.below(5); count > 0;) {
    Words words = queued_command();
    // With one channel each: more would be as many replies within those of EXEC.
    if (words[0].ends_with("SUBSCRIBE") && words.size() != 2) continue;
    action.commands.push_back(std::move(words));
    --count;
  }
  action.commands.push_back({chance(85) ? "EXEC" : "DISCARD"});
  return action;
}

// One whose reply no normaliser excuses.
Words Generator::queued_command() {
  for (;;) {
    Words words = command();
    if (std::ranges::find(kQueued, words[0]) != kQueued.end()) return words;
  }
}

// One that never waits, and whose reply no normaliser excuses.
Words Generator::prompt_command() {
  for (;;) {
    Words words = queued_command();
    // Without words, UNSUBSCRIBE and its kin answer in a random order.
    if (!may_block(words) && !(words.size() == 1 && words[0].ends_with("SUBSCRIBE"))) return words;
  }
}

// A deadline that is given as past. The key is touched at once: until then DBSIZE still counts it,
// or no longer, as the server's active expiry happens to run.
Action Generator::deadline_in_the_past() {
  const std::string key{pick(kKeys)};
  Action action;
  action.commands = {from_template(pick(kPastDeadlines))};
  action.commands[0][1] = key;
  action.commands.push_back({"EXISTS", key});
  return action;
}

// A deadline that does pass, with all that the key went through asked afterwards.
Action Generator::short_deadline() {
  const std::string key{pick(kKeys)};
  Action action;
  action.commands = {{"SET", key, std::string{pick(kValues)}, "PX", "2"}};
  if (chance(50)) action.commands = {{"DEL", key}, {"HSET", key, "f", "1"}, {"PEXPIRE", key, "2"}};
  action.wait = std::chrono::milliseconds{5};
  action.afterwards = {{"EXISTS", key}};
  return action;
}

// A wait whose time passes.
Action Generator::short_wait() {
  Action action;
  action.commands = {from_template(pick(kShortWaits))};
  action.wait = std::chrono::milliseconds{8};
  return action;
}

Action Generator::raw_bytes() {
  Action action;
  action.raw = pick(kRawRequests);
  if (chance(60)) return action;
  const std::string bytes = encode_request(command());
  // A byte that is hit must not make a deadline short or a sleep long, nor a random choice another.
  const std::string text = lower(bytes);
  for (const auto word :
       {"ex"sv, "px"sv, "wait"sv, "sleep"sv, "hello"sv, "client"sv, "command"sv, "acl"sv, "zx"sv,
        "info"sv, "time"sv, "ttl"sv, "spop"sv, "rand"sv, "scan"sv})
    if (text.find(word) != std::string::npos) return action;
  action.raw = bytes.substr(0, 1 + random_.below(bytes.size()));
  if (chance(30)) action.raw[random_.below(action.raw.size())] = pick(kHits);
  return action;
}

Words Generator::command() {
  Words words;
  do {
    words = from_template(chance(theme_.percent) ? pick(theme_.templates) : pick(kTemplates));
  } while (std::ranges::find(theme_.never, words[0]) != theme_.never.end());
  // Spoilt, these might wait for ever, change the server beyond the sequence, or ask for what only
  // a complete table of commands answers.
  static constexpr std::array kDelicate{
      "ACL"sv,        "DEBUG"sv,  "WAIT"sv,     "COMMAND"sv,  "INFO"sv,  "CONFIG"sv, "SPOP"sv,
      "SCAN"sv,       "HSCAN"sv,  "SSCAN"sv,    "ZSCAN"sv,    "BLPOP"sv, "BRPOP"sv,  "BLMOVE"sv,
      "BRPOPLPUSH"sv, "BLMPOP"sv, "BZPOPMIN"sv, "BZPOPMAX"sv, "BZMPOP"sv};
  const bool delicate = std::ranges::find(kDelicate, words[0]) != kDelicate.end() ||
                        words[0].find("LEX") != words[0].npos ||
                        std::ranges::any_of(words, [](const auto& word) {
                          return word.starts_with("{id:") || word == "zx" || word == "BYLEX";
                        });
  if (!delicate && chance(6)) spoil(words);
  if (chance(5)) words[0] = lower(words[0]);
  return words;
}

// A template's words are taken as they are, but for: %x a placeholder, a|b one of them, a word
// ending in ? in half of the cases, and [...] a group that is there in half of the cases.
Words Generator::from_template(std::string_view text) {
  Words words;
  bool skipping = false;
  const auto parts = split_words(text).value_or(Words{});
  for (std::string part : parts) {
    if (part.starts_with('[')) {
      skipping = chance(50);
      part.erase(0, 1);
    }
    const bool group_ends = part.ends_with(']');
    if (group_ends) part.pop_back();
    if (!skipping) {
      while (part.find('|') != std::string::npos) {
        const auto bar = part.find('|');
        part = chance(50) ? part.substr(0, bar) : part.substr(bar + 1);
      }
      words.push_back(part.size() == 2 && part[0] == '%' ? placeholder(part[1]) : part);
    }
    if (group_ends) skipping = false;
  }
  return words;
}

std::string Generator::placeholder(char kind) {
  switch (kind) {
    case 'k':
      return std::string{pick(kKeys)};
    case 'f':
      return std::string{pick(kFields)};
    case 'v':
      return chance(3) ? std::string(70, 'x') : std::string{pick(kValues)};
    case 'i':
      return std::string{chance(75) ? pick(kAmounts) : pick(kIntegers)};
    case 'F':
      return std::string{pick(kFloats)};
    case 'p':
      return std::string{pick(kPatterns)};
    case 'c':
      return std::string{pick(kExpiryConditions)};
    case 'b':
      return std::string{pick(kScoreBounds)};
    case 'l':
      return std::string{pick(kLexBounds)};
    case 'r':
      return std::string{pick(kRanks)};
    case 'd':
      return text(random_.below(kDatabaseBound));
    // Deadlines: so many different ones, ten seconds apart, that GT and LT never meet an equal or a
    // near one.
    case 's':
      return chance(90) ? text(1000 + 10 * random_.below(1'000'000)) : std::string{pick(kIntegers)};
    case 'm':
      return chance(90) ? text(1'000'000 + 10'000 * random_.below(1'000'000))
                        : std::string{pick(kIntegers)};
    case 'S':
      return chance(90) ? text(4'102'444'800 + random_.below(4)) : absolute_edge();
    case 'M':
      return chance(90) ? text(4'102'444'800'000 + random_.below(4)) : absolute_edge();
    case 'D':
      return with_footer(std::string{pick(kPayloads)});
    case 'I':
      return "{id:" + text(random_.below(kClients)) + "}";
    case 'U':
      return std::string{pick(kUsers)};
    case 'R':
      return std::string{pick(kUserRules)};
    case 'u':
      return std::string{pick(kChannels)};
    case 'P':
      return std::string{pick(kChannelPatterns)};
    case 'n':
    case 'x':
    case 'X':
    case 'g':
    case 'C':
      return stream_placeholder(kind);
    default:
      return std::string{pick(kIntegers)};
  }
}

std::string Generator::absolute_edge() {
  return chance(30) ? "9223372036854775" : std::string{pick(kIntegers)};
}

// Drops, doubles or replaces a word.
void Generator::spoil(Words& words) {
  const auto at = static_cast<std::ptrdiff_t>(random_.below(words.size()));
  switch (random_.below(4)) {
    case 0:
      if (words.size() > 1) words.erase(words.begin() + std::max<std::ptrdiff_t>(at, 1));
      break;
    case 1:
      words.insert(words.begin() + at, std::string{words[static_cast<std::size_t>(at)]});
      break;
    case 2:  // What Redis reads as a C string ends here.
      if (at > 0 && !is_container(words[static_cast<std::size_t>(at - 1)]) &&
          std::ranges::find(kFields, words[static_cast<std::size_t>(at)]) == kFields.end())
        words[static_cast<std::size_t>(at)] += pick(kHiddenEnds);
      break;
    default:
      if (at > 0) words[static_cast<std::size_t>(at)] = pick(kIntegers);
  }
}

}  // namespace picklock::test
