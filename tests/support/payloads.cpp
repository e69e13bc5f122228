#include "tests/support/payloads.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "emulator/keyspace/rdb/crc64.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"
#include "emulator/keyspace/rdb/payload.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr std::size_t kFooter = 10;

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

}  // namespace

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
