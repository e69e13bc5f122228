#include "emulator/keyspace/rdb/old_encodings.hpp"

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"

namespace picklock::rdb {
namespace {

constexpr unsigned char kZipEnd = 0xff;
constexpr unsigned char kLongLength = 254;  // A length of four more bytes follows.

unsigned first_byte(std::string_view bytes) { return static_cast<unsigned char>(bytes[0]); }

/// What an entry of a ziplist holds, and how many bytes it takes from its encoding byte on.
struct ZiplistEntry {
  std::size_t size;
  std::string text;
};

std::optional<ZiplistEntry> ziplist_string(std::string_view rest, std::size_t header,
                                           std::size_t length) {
  if (rest.size() < header || rest.size() - header < length) return std::nullopt;
  return ZiplistEntry{header + length, std::string{rest.substr(header, length)}};
}

std::optional<ZiplistEntry> ziplist_integer(std::string_view rest) {
  const unsigned kind = first_byte(rest);
  if (kind > 0xf0 && kind < 0xfe) return ZiplistEntry{1, to_text(kind - 0xf1)};
  const int width = kind == 0xc0   ? 2
                    : kind == 0xd0 ? 4
                    : kind == 0xe0 ? 8
                    : kind == 0xf0 ? 3
                    : kind == 0xfe ? 1
                                   : 0;
  if (width == 0 || rest.size() <= static_cast<std::size_t>(width)) return std::nullopt;
  return ZiplistEntry{1 + static_cast<std::size_t>(width),
                      to_text(signed_little_endian(rest.substr(1), width))};
}

std::optional<ZiplistEntry> ziplist_entry(std::string_view rest) {
  if (rest.empty()) return std::nullopt;
  const unsigned first = first_byte(rest);
  if (first >= 0xc0) return ziplist_integer(rest);
  if (first < 0x40) return ziplist_string(rest, 1, first);
  if (first < 0x80)
    return rest.size() < 2 ? std::nullopt : ziplist_string(rest, 2, big_endian(rest, 2) & 0x3fff);
  return rest.size() < 5 ? std::nullopt : ziplist_string(rest, 5, big_endian(rest.substr(1), 4));
}

/// The length of the entry before, with which each entry begins, and how many bytes that takes.
struct Previous {
  std::size_t size;
  std::size_t length;
};
std::optional<Previous> previous_length(std::string_view rest) {
  if (first_byte(rest) < kLongLength) return Previous{1, first_byte(rest)};
  if (rest.size() < 5) return std::nullopt;
  return Previous{5, little_endian(rest.substr(1), 4)};
}

}  // namespace

std::optional<std::vector<std::string>> read_ziplist(std::string_view bytes) {
  constexpr std::size_t kZipHeader = 10;  // Size, place of the last entry, number of entries.
  constexpr std::size_t kManyElements = 65535;
  if (bytes.size() <= kZipHeader || little_endian(bytes, 4) != bytes.size() ||
      static_cast<unsigned char>(bytes.back()) != kZipEnd)
    return std::nullopt;
  const std::size_t tail = little_endian(bytes.substr(4), 4);
  const std::size_t counted = little_endian(bytes.substr(8), 2);
  if (tail > bytes.size() - 1) return std::nullopt;
  std::size_t at = kZipHeader;
  std::size_t last = 0;
  std::size_t last_size = 0;
  std::vector<std::string> elements;
  while (at + 1 < bytes.size() && first_byte(bytes.substr(at)) != kZipEnd) {
    const std::string_view rest = bytes.substr(at, bytes.size() - 1 - at);
    const auto previous = previous_length(rest);
    if (!previous || previous->length != last_size) return std::nullopt;
    auto entry = ziplist_entry(rest.substr(previous->size));
    if (!entry) return std::nullopt;
    last = at;
    last_size = previous->size + entry->size;
    at += last_size;
    elements.push_back(std::move(entry->text));
  }
  if (at != bytes.size() - 1 || (!elements.empty() && last != tail)) return std::nullopt;
  if (counted != kManyElements && counted != elements.size()) return std::nullopt;
  return elements;
}

std::optional<std::vector<std::string>> read_zipmap(std::string_view bytes) {
  if (bytes.size() < 2 || static_cast<unsigned char>(bytes.back()) != kZipEnd) return std::nullopt;
  const unsigned counted = first_byte(bytes);
  std::string_view rest = bytes.substr(1, bytes.size() - 2);
  std::vector<std::string> words;
  while (!rest.empty()) {
    if (first_byte(rest) == kZipEnd) return std::nullopt;
    const auto length = previous_length(rest);
    if (!length || first_byte(rest) == kZipEnd) return std::nullopt;
    rest.remove_prefix(length->size);
    std::size_t unused = 0;
    if (words.size() % 2 != 0) {  // Behind a value there may be room that nobody uses.
      if (rest.empty()) return std::nullopt;
      unused = first_byte(rest);
      rest.remove_prefix(1);
    }
    if (rest.size() < length->length || rest.size() - length->length < unused) return std::nullopt;
    words.emplace_back(rest.substr(0, length->length));
    rest.remove_prefix(length->length + unused);
  }
  if (words.empty() || words.size() % 2 != 0) return std::nullopt;
  if (counted < kLongLength && counted != words.size() / 2) return std::nullopt;
  return words;
}

std::optional<Intset> read_intset(std::string_view bytes) {
  if (bytes.size() < 8) return std::nullopt;
  const std::uint64_t width = little_endian(bytes, 4);
  const std::uint64_t count = little_endian(bytes.substr(4), 4);
  if ((width != 2 && width != 4 && width != 8) || count == 0 || bytes.size() - 8 != count * width)
    return std::nullopt;
  Intset set{static_cast<int>(width), {}};
  for (std::size_t at = 8; at < bytes.size(); at += width) {
    const std::int64_t number = signed_little_endian(bytes.substr(at), set.width);
    if (!set.numbers.empty() && number <= set.numbers.back()) return std::nullopt;
    set.numbers.push_back(number);
  }
  return set;
}

std::string write_intset(int width, const std::vector<std::int64_t>& numbers) {
  std::string bytes;
  append_little_endian(bytes, static_cast<std::uint64_t>(width), 4);
  append_little_endian(bytes, numbers.size(), 4);
  for (const std::int64_t number : numbers)
    append_little_endian(bytes, static_cast<std::uint64_t>(number), width);
  return bytes;
}

}  // namespace picklock::rdb
