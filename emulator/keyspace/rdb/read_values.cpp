// Reader's part that makes values: one function for each way in which a type may be written.
#include <algorithm>
#include <cmath>

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/rdb/listpack.hpp"
#include "emulator/keyspace/rdb/old_encodings.hpp"
#include "emulator/keyspace/rdb/reader.hpp"

namespace picklock::rdb {
namespace {

std::int64_t signed_size(std::size_t size) { return static_cast<std::int64_t>(size); }

struct ScoredMember {
  std::string member;
  double score;
};

/// The sorted set of `items`; nullopt for a member that comes twice or a score that is no number.
std::optional<SortedSet> make_zset(const std::vector<ScoredMember>& items, bool compact) {
  // The limits only decide the encoding, which is known already.
  constexpr EncodingLimits kAlways{.zset_max_listpack_entries = INT64_MAX,
                                   .zset_max_listpack_value = INT64_MAX};
  constexpr EncodingLimits kNever{.zset_max_listpack_entries = 0};
  SortedSet zset;
  for (const auto& [member, score] : items) {
    if (std::isnan(score) || zset.score(member)) return std::nullopt;
    zset.set(member, score, compact ? kAlways : kNever);
  }
  return zset;
}

}  // namespace

std::optional<Reader::Loaded> Reader::read_value(Type type) {
  was_empty_ = false;
  switch (type) {
    case Type::string: {
      auto text = read_string();
      if (!text) return std::nullopt;
      return Loaded{std::move(*text)};
    }
    case Type::list:
      return read_list();
    case Type::set:
      return read_set();
    case Type::zset:
      return read_zset(/*binary=*/false);
    case Type::zset_2:
      return read_zset(/*binary=*/true);
    case Type::hash:
      return read_hash();
    case Type::hash_zipmap:
      return hash_of(read_packed(read_zipmap), /*look_at_sizes=*/true);
    case Type::list_ziplist:
      return list_of(read_packed(read_ziplist));
    case Type::set_intset:
      return read_intset_value();
    case Type::zset_ziplist:
      return zset_of(read_packed(read_ziplist));
    case Type::zset_listpack:
      return zset_of(read_packed(read_listpack));
    case Type::hash_ziplist:
      return hash_of(read_packed(read_ziplist), /*look_at_sizes=*/false);
    case Type::hash_listpack:
      return hash_of(read_packed(read_listpack), /*look_at_sizes=*/false);
    case Type::list_quicklist:
      return read_quicklist(/*of_listpacks=*/false);
    case Type::list_quicklist_2:
      return read_quicklist(/*of_listpacks=*/true);
    case Type::stream_listpacks:
      return read_stream(/*has_counters=*/false);
    case Type::stream_listpacks_2:
      return read_stream(/*has_counters=*/true);
  }
  return std::nullopt;
}

std::optional<Reader::Words> Reader::read_packed(std::optional<Words> (*unpack)(std::string_view)) {
  const auto bytes = read_string();
  return bytes ? unpack(*bytes) : std::nullopt;
}

std::optional<Reader::Loaded> Reader::read_list() {
  const auto count = read_length();
  if (!count) return std::nullopt;
  Words words;
  for (std::uint64_t i = 0; i < *count; ++i) {
    auto element = read_string();
    if (!element) return std::nullopt;
    words.push_back(std::move(*element));
  }
  return list_of(words);
}

std::optional<Reader::Loaded> Reader::read_quicklist(bool of_listpacks) {
  const auto count = read_length();
  if (!count) return std::nullopt;
  Words words;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto container = of_listpacks ? read_length() : kPackedNode;
    if (container != kPlainNode && container != kPackedNode) return std::nullopt;
    auto node = read_string();
    if (!node || node->empty()) return std::nullopt;
    if (container == kPlainNode) {
      words.push_back(std::move(*node));
      continue;
    }
    auto elements = of_listpacks ? read_listpack(*node) : read_ziplist(*node);
    if (!elements) return std::nullopt;
    std::ranges::move(*elements, std::back_inserter(words));
  }
  return list_of(words);
}

std::optional<Reader::Loaded> Reader::list_of(const std::optional<Words>& words) {
  if (!words || words->empty()) return no_value(words.has_value());
  ListValue list;
  for (const std::string& word : *words) list.push_back(word);
  return Loaded{std::move(list)};
}

std::optional<Reader::Loaded> Reader::read_set() {
  const auto count = read_length();
  if (!count || *count == 0) return no_value(count.has_value());
  EncodingLimits limits = options_.limits;
  // Redis 7.0: too many for an intset are never looked at as numbers.
  if (*count > static_cast<std::uint64_t>(limits.set_max_intset_entries))
    limits.set_max_intset_entries = 0;
  SetValue set;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto member = read_string();
    if (!member) return std::nullopt;
    if (!set.add(*member, limits)) return std::nullopt;
  }
  return Loaded{std::move(set)};
}

std::optional<Reader::Loaded> Reader::read_intset_value() {
  const auto bytes = read_string();
  const auto intset = bytes ? read_intset(*bytes) : std::nullopt;
  if (!intset) return std::nullopt;
  SetValue set;
  char buffer[kInt64Chars];
  for (const std::int64_t number : intset->numbers)
    set.add(format_int64(number, buffer), options_.limits);
  set.widen_intset(intset->width);
  return Loaded{std::move(set)};
}

std::optional<Reader::Loaded> Reader::read_hash() {
  const auto count = read_length();
  if (!count || *count == 0) return no_value(count.has_value());
  Words words;
  for (std::uint64_t i = 0; i < *count; ++i) {
    auto field = read_string();
    auto value = field ? read_string() : std::nullopt;
    if (!value) return std::nullopt;
    words.push_back(std::move(*field));
    words.push_back(std::move(*value));
  }
  return hash_of(words, /*look_at_sizes=*/true);
}

std::optional<Reader::Loaded> Reader::hash_of(const std::optional<Words>& words,
                                              bool look_at_sizes) {
  if (!words || words->empty()) return no_value(words.has_value());
  if (words->size() % 2 != 0) return std::nullopt;
  const EncodingLimits& limits = options_.limits;
  HashValue hash;
  bool large = signed_size(words->size() / 2) > limits.hash_max_listpack_entries;
  for (std::size_t i = 0; i < words->size(); i += 2) {
    if (!hash.set((*words)[i], (*words)[i + 1])) return std::nullopt;
    const std::size_t longest = std::max((*words)[i].size(), (*words)[i + 1].size());
    large |= look_at_sizes && signed_size(longest) > limits.hash_max_listpack_value;
  }
  if (large) hash.use_dict();
  return Loaded{std::move(hash), large ? Form::grown : Form::fresh};
}

std::optional<Reader::Loaded> Reader::read_zset(bool binary) {
  const auto count = read_length();
  if (!count || *count == 0) return no_value(count.has_value());
  const EncodingLimits& limits = options_.limits;
  std::vector<ScoredMember> items;
  bool compact = *count <= static_cast<std::uint64_t>(limits.zset_max_listpack_entries);
  for (std::uint64_t i = 0; i < *count; ++i) {
    auto member = read_string();
    if (!member) return std::nullopt;
    const auto score = binary ? read_double() : read_text_double();
    if (!score) return std::nullopt;
    compact &= signed_size(member->size()) <= limits.zset_max_listpack_value;
    items.push_back({std::move(*member), *score});
  }
  auto zset = make_zset(items, compact);
  if (!zset) return std::nullopt;
  return Loaded{std::move(*zset)};
}

std::optional<Reader::Loaded> Reader::zset_of(const std::optional<Words>& words) {
  if (!words || words->empty()) return no_value(words.has_value());
  if (words->size() % 2 != 0) return std::nullopt;
  std::vector<ScoredMember> items;
  for (std::size_t i = 0; i < words->size(); i += 2)
    // Redis 7.0 reads the score with strtod, which takes nonsense for 0.
    items.push_back({(*words)[i], parse_double_prefix((*words)[i + 1]).value_or(0)});
  const bool compact = signed_size(items.size()) <= options_.limits.zset_max_listpack_entries;
  auto zset = make_zset(items, compact);
  if (!zset) return std::nullopt;
  return Loaded{std::move(*zset)};
}

}  // namespace picklock::rdb
