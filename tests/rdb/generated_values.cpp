#include "tests/rdb/generated_values.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

/// Around the bounds of every encoding of integers.
constexpr std::array<std::int64_t, 12> kBounds{
    0,       127,        4095,       32767,
    8388607, 2147483647, 1LL << 40,  4503599627370496,
    255,     65535,      4294967295, 9223372036854775800};
/// Around the bounds of every encoding of lengths.
constexpr std::array<std::size_t, 12> kLengths{0, 5, 11, 12, 20, 21, 44, 63, 64, 65, 130, 300};
constexpr std::array<std::size_t, 5> kLongLengths{4095, 4096, 8180, 9000, 20000};
constexpr std::array kScores{"0"sv,
                             "-0"sv,
                             "1"sv,
                             "-1"sv,
                             "1.5"sv,
                             "1e17"sv,
                             "inf"sv,
                             "-inf"sv,
                             "4503599627370496"sv,
                             "3e-200"sv,
                             "0.1"sv,
                             "127"sv,
                             "128"sv,
                             "-4503599627370497"sv};

}  // namespace

std::string GeneratedValues::number() {
  const std::int64_t near = pick(kBounds) + static_cast<std::int64_t>(random_.below(5)) - 2;
  return std::to_string(chance(40) ? -near : near);
}

std::string GeneratedValues::text() {
  const std::size_t length = chance(2) ? pick(kLongLengths) : pick(kLengths);
  const std::size_t size = length + random_.below(3) - (length > 0 ? 1 : 0);
  // From what compresses well to what does not at all.
  const std::uint64_t letters = std::array<std::uint64_t, 4>{1, 3, 20, 256}[random_.below(4)];
  const std::string phrase = chance(30) ? number() + ":" + number() : std::string{};
  std::string text;
  while (text.size() < size) {
    if (!phrase.empty() && chance(20)) text += phrase;
    text += static_cast<char>(letters == 256 ? random_.below(256) : 'a' + random_.below(letters));
  }
  return text;
}

std::string GeneratedValues::word() { return chance(40) ? number() : text(); }

std::string GeneratedValues::score() { return chance(50) ? std::string{pick(kScores)} : number(); }

std::size_t GeneratedValues::count() {
  if (chance(4)) return 500 + random_.below(40);
  return chance(10) ? 100 + random_.below(60) : 1 + random_.below(12);
}

std::vector<Words> GeneratedValues::commands(const std::string& key) {
  switch (random_.below(6)) {
    case 0:
      return string(key);
    case 1:
      return list(key);
    case 2:
      return hash(key);
    case 3:
      return set(key);
    case 4:
      return stream(key);
    default:
      return sorted_set(key);
  }
}

std::vector<Words> GeneratedValues::string(const std::string& key) {
  std::vector<Words> commands{{"SET", key, word()}};
  if (chance(10)) commands.push_back({"APPEND", key, word()});
  if (chance(10)) commands.push_back({"SETRANGE", key, "3", word()});
  if (chance(10)) commands.push_back({"EXPIREAT", key, "9999999999"});
  return commands;
}

std::vector<Words> GeneratedValues::list(const std::string& key) {
  Words push{"RPUSH", key};
  for (std::size_t i = count(); i > 0; --i) push.push_back(word());
  std::vector<Words> commands{push};
  if (chance(20)) commands.push_back({"LPUSH", key, number()});
  if (chance(20)) commands.push_back({"LINSERT", key, "BEFORE", push[2], text()});
  if (push.size() > 4 && chance(20)) commands.push_back({"LPOP", key});
  return commands;
}

std::vector<Words> GeneratedValues::hash(const std::string& key) {
  Words fields{"HSET", key};
  for (std::size_t i = count(); i > 0; --i) {
    fields.push_back(word());
    fields.push_back(word());
  }
  std::vector<Words> commands{fields};
  if (chance(20)) commands.push_back({"HSET", key, fields[2], word()});
  if (fields.size() > 4 && chance(20)) {
    commands.push_back({"HSET", key, "kept", "1"});
    commands.push_back({"HDEL", key, fields[4]});
  }
  return commands;
}

std::vector<Words> GeneratedValues::set(const std::string& key) {
  const bool integers = chance(60);
  Words members{"SADD", key};
  for (std::size_t i = count(); i > 0; --i)
    members.push_back(!integers    ? word()
                      : chance(50) ? number()
                                   : std::to_string(random_.below(2000)));
  std::vector<Words> commands{members};
  if (members.size() > 5 && chance(30)) {
    commands.push_back({"SADD", key, "7"});
    commands.push_back({"SREM", key, members[2], members[3]});
  }
  return commands;
}

std::vector<Words> GeneratedValues::stream(const std::string& key) {
  std::vector<Words> commands;
  std::uint64_t ms = random_.below(3);
  std::vector<std::string> ids;
  for (std::size_t i = std::min<std::size_t>(count(), 150); i > 0; --i) {
    ms += 1 + random_.below(chance(10) ? 1'000'000'000 : 3);
    ids.push_back(std::to_string(ms) + "-" + std::to_string(random_.below(300)));
    Words add{"XADD", key, ids.back(), "field", word()};
    if (chance(30)) add.insert(add.end(), {word(), word()});
    commands.push_back(std::move(add));
  }
  if (chance(30)) commands.push_back({"XDEL", key, pick(ids), pick(ids)});
  if (chance(20)) commands.push_back({"XTRIM", key, "MAXLEN", std::to_string(random_.below(9))});
  if (chance(50)) commands.push_back({"XGROUP", "CREATE", key, "group", "0"});
  if (chance(20)) commands.push_back({"XGROUP", "CREATE", key, word(), pick(ids)});
  if (timed_ && chance(50)) {
    commands.push_back({"XGROUP", "CREATECONSUMER", key, "group", word()});
    commands.push_back({"XREADGROUP", "GROUP", "group", word(), "COUNT", "3", "STREAMS", key, ">"});
  }
  return commands;
}

std::vector<Words> GeneratedValues::sorted_set(const std::string& key) {
  Words members{"ZADD", key};
  for (std::size_t i = count(); i > 0; --i) {
    members.push_back(score());
    members.push_back(word());
  }
  std::vector<Words> commands{members};
  if (chance(20)) commands.push_back({"ZADD", key, score(), members[3]});
  if (chance(20)) commands.push_back({"ZINCRBY", key, "1.25", "more"});
  return commands;
}

}  // namespace picklock::test
