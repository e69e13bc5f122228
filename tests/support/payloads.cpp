#include "tests/support/payloads.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>
#include <vector>

#include "emulator/keyspace/rdb/crc64.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"
#include "emulator/keyspace/rdb/payload.hpp"
#include "tests/support/stream_instants.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr std::size_t kInstantBytes = 8;

std::string joined(std::string_view title, const std::vector<std::string>& words) {
  std::string text{title};
  for (const std::string& word : words) text += " " + quote(word);
  return text;
}

std::string sorted(std::string_view title, std::vector<std::string> words) {
  std::ranges::sort(words);
  return joined(title, words);
}

/// The contents where their order or their nodes are left open; nothing for any other type.
std::string open_contents(rdb::Type type, const Value& value) {
  std::vector<std::string> words;
  if (type == rdb::Type::set) {
    std::get<SetValue>(value).for_each(
        [&](std::string_view member) { words.emplace_back(member); });
    return sorted("set", std::move(words));
  }
  if (type == rdb::Type::hash) {
    std::get<HashValue>(value).for_each([&](std::string_view field, std::string_view text) {
      words.push_back(quote(field) + "=" + quote(text));
    });
    return sorted("hash", std::move(words));
  }
  if (type != rdb::Type::list_quicklist_2) return {};
  for (const std::string_view element : std::get<ListValue>(value)) words.emplace_back(element);
  return joined("list", words);
}

}  // namespace

bool same_but_instants(std::string_view theirs, std::string_view ours, std::int64_t tolerance_ms) {
  const std::vector<std::size_t> instants = stream_instants(theirs);
  if (instants != stream_instants(ours) || !rdb::has_sound_footer(theirs) ||
      !rdb::has_sound_footer(ours))
    return false;
  const std::string a{without_footer(theirs)};
  std::string b{without_footer(ours)};
  for (const std::size_t at : instants) {
    const auto instant = [at](std::string_view payload) {
      return rdb::signed_little_endian(payload.substr(at, kInstantBytes), kInstantBytes);
    };
    if (!is_near(instant(a), instant(b), tolerance_ms)) return false;
    b.replace(at, kInstantBytes, a, at, kInstantBytes);
  }
  return a == b;
}

bool is_near(std::int64_t theirs, std::int64_t ours, std::int64_t tolerance) {
  const auto later = static_cast<std::uint64_t>(std::max(theirs, ours));
  const auto earlier = static_cast<std::uint64_t>(std::min(theirs, ours));
  return later - earlier <= static_cast<std::uint64_t>(tolerance);
}

std::string canonical_payload(std::string_view payload) {
  const rdb::Options options;
  rdb::Reader reader{payload, options};
  const auto type = reader.read_type();
  const auto loaded = type ? reader.read_value(*type) : std::nullopt;
  if (!loaded) return std::string{payload};
  constexpr std::string_view kOneNode{"\x12\x01", 2};
  if (payload.starts_with(kOneNode)) return std::string{payload};
  std::string contents = open_contents(*type, loaded->value);
  return contents.empty() ? std::string{payload} : contents;
}

bool same_libraries(std::string_view theirs, std::string_view ours) {
  const auto libraries_of = [](std::string_view payload) {
    constexpr std::uint8_t kLibrary = 245;
    const rdb::Options options;
    rdb::Reader reader{without_footer(payload), options};
    std::vector<std::string> libraries;
    while (reader.left() > 0 && reader.read_byte() == kLibrary)
      libraries.push_back(reader.read_string().value_or(""));
    std::ranges::sort(libraries);
    return libraries;
  };
  return theirs.size() == ours.size() && rdb::has_sound_footer(theirs) &&
         rdb::has_sound_footer(ours) && libraries_of(theirs) == libraries_of(ours);
}

}  // namespace picklock::test
