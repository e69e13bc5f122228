#include "tests/support/payloads.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "emulator/keyspace/rdb/crc64.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"
#include "emulator/keyspace/rdb/payload.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr std::size_t kFooter = 10;
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
    std::get<SetValue>(value).for_each([&](std::string_view member) { words.emplace_back(member); });
    return sorted("set", std::move(words));
  }
  if (type == rdb::Type::hash) {
    std::get<HashValue>(value).for_each(
        [&](const auto& entry) { words.push_back(quote(entry.key) + "=" + quote(entry.value)); });
    return sorted("hash", std::move(words));
  }
  if (type != rdb::Type::list_quicklist_2) return {};
  for (const std::string& element : std::get<ListValue>(value).elements()) words.push_back(element);
  return joined("list", words);
}

bool is_stream(std::string_view payload) {
  const rdb::Options options;
  const auto type = rdb::Reader{payload, options}.read_type();
  return type == rdb::Type::stream_listpacks || type == rdb::Type::stream_listpacks_2;
}

/// The instant in the eight bytes at `at`, the least significant one first; nothing if it is no
/// instant of the test's own days, which began after 1.5e12 milliseconds.
std::optional<std::int64_t> instant_at(std::string_view bytes, std::size_t at) {
  if (at + kInstantBytes > bytes.size()) return std::nullopt;
  const std::uint64_t value = rdb::little_endian(bytes.substr(at), kInstantBytes);
  if (value < 1'500'000'000'000 || value > 5'000'000'000'000) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

/// The end of a pair of near instants that begin at `first` or later and go over `at`.
std::optional<std::size_t> end_of_instants(std::string_view theirs, std::string_view ours,
                                           std::size_t first, std::size_t at,
                                           std::int64_t tolerance_ms) {
  for (std::size_t begin = std::max(first, at - std::min(at, kInstantBytes - 1)); begin <= at;
       ++begin) {
    const auto a = instant_at(theirs, begin);
    const auto b = instant_at(ours, begin);
    if (a && b && *a - *b <= tolerance_ms && *b - *a <= tolerance_ms) return begin + kInstantBytes;
  }
  return std::nullopt;
}

}  // namespace

bool same_but_instants(std::string_view theirs, std::string_view ours, std::int64_t tolerance_ms) {
  if (theirs.size() != ours.size() || !is_stream(theirs) || !rdb::has_sound_footer(theirs) ||
      !rdb::has_sound_footer(ours))
    return false;
  theirs = without_footer(theirs);
  ours = without_footer(ours);
  std::size_t end = 0;  // Of what is known to be the same.
  while (true) {
    const auto at = static_cast<std::size_t>(
        std::mismatch(theirs.begin() + static_cast<std::ptrdiff_t>(end), theirs.end(),
                      ours.begin() + static_cast<std::ptrdiff_t>(end))
            .first -
        theirs.begin());
    if (at == theirs.size()) return true;
    const auto next = end_of_instants(theirs, ours, end, at, tolerance_ms);
    if (!next) return false;
    end = *next;
  }
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

std::string with_footer(std::string_view body) {
  std::string payload{body};
  rdb::append_little_endian(payload, rdb::kVersion, 2);
  rdb::append_little_endian(payload, rdb::crc64(payload), 8);
  return payload;
}

std::string_view without_footer(std::string_view payload) {
  return payload.substr(0, payload.size() - std::min(payload.size(), kFooter));
}

}  // namespace picklock::test
