#include "emulator/keyspace/rdb/listpack.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/back_length.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"

namespace picklock::rdb {
namespace {

constexpr std::size_t kHeader = 6;  // Four bytes of size, two of the number of elements.
constexpr std::size_t kUncounted = 65535;
constexpr unsigned char kEnd = 0xff;

/// The width behind each of the bytes 0xf1 to 0xf4.
constexpr int kWidths[] = {2, 3, 4, 8};

bool fits(std::int64_t number, int width) {
  const std::int64_t limit = std::int64_t{1} << (8 * width - 1);
  return width == 8 || (number >= -limit && number < limit);
}

std::size_t integer_size(std::int64_t number) {
  if (number >= 0 && number < 128) return 1;
  if (number >= -4096 && number < 4096) return 2;
  for (const int width : kWidths)
    if (fits(number, width)) return 1 + static_cast<std::size_t>(width);
  return 9;
}

std::size_t string_size(std::size_t length) {
  return length + (length < 64 ? 1 : length < 4096 ? 2 : 5);
}

void append_back_length(std::string& out, std::size_t length) {
  const std::size_t size = back_length_size(length);
  for (std::size_t i = size; i-- > 0;) {
    const auto seven = static_cast<unsigned>(length >> (7 * i) & 0x7f);
    out += static_cast<char>(i + 1 == size ? seven : seven | 0x80);
  }
}

}  // namespace

std::size_t listpack_entry_size(std::string_view element) {
  const auto number = parse_int64(element);
  const std::size_t size = number ? integer_size(*number) : string_size(element.size());
  return size + back_length_size(size);
}

ListpackWriter::ListpackWriter() : bytes_(kHeader, '\0') {}

void ListpackWriter::append(std::string_view element) {
  if (const auto number = parse_int64(element)) return append(*number);
  const std::size_t start = bytes_.size();
  append_string(element);
  close_entry(start);
}

void ListpackWriter::append(std::int64_t number) {
  const std::size_t start = bytes_.size();
  append_integer(number);
  close_entry(start);
}

void ListpackWriter::append_score(double score) {
  // Redis 7.0, double2ll: whole numbers up to half of an int64.
  constexpr double kLimit = 4611686018427387904.0;
  if (score >= -kLimit && score <= kLimit &&
      static_cast<double>(static_cast<std::int64_t>(score)) == score)
    return append(static_cast<std::int64_t>(score));
  char buffer[kDoubleChars];
  append(format_double(score, buffer));
}

void ListpackWriter::append_integer(std::int64_t number) {
  const std::size_t size = integer_size(number);
  if (size == 1) {
    bytes_ += static_cast<char>(number);
  } else if (size == 2) {
    bytes_ += static_cast<char>(0xc0 | (number >> 8 & 0x1f));
    bytes_ += static_cast<char>(number & 0xff);
  } else {
    const int width = static_cast<int>(size) - 1;
    bytes_ += static_cast<char>(0xf1 + (std::ranges::find(kWidths, width) - kWidths));
    append_little_endian(bytes_, static_cast<std::uint64_t>(number), width);
  }
}

void ListpackWriter::append_string(std::string_view text) {
  if (text.size() < 64) {
    bytes_ += static_cast<char>(0x80 | text.size());
  } else if (text.size() < 4096) {
    bytes_ += static_cast<char>(0xe0 | text.size() >> 8);
    bytes_ += static_cast<char>(text.size() & 0xff);
  } else {
    bytes_ += '\xf0';
    append_little_endian(bytes_, text.size(), 4);
  }
  bytes_ += text;
}

void ListpackWriter::close_entry(std::size_t start) {
  append_back_length(bytes_, bytes_.size() - start);
  ++count_;
}

std::string ListpackWriter::take() {
  bytes_ += static_cast<char>(kEnd);
  std::string header;
  append_little_endian(header, bytes_.size(), 4);
  append_little_endian(header, std::min(count_, kUncounted), 2);
  bytes_.replace(0, kHeader, header);
  std::string done = std::move(bytes_);
  bytes_.assign(kHeader, '\0');
  count_ = 0;
  return done;
}

namespace {

/// The encoded length of the entry that begins `rest`, its back length not counted, and its text;
/// nullopt if it is none or `rest` is too short.
struct Entry {
  std::size_t size;
  std::string text;
};

std::optional<Entry> integer_entry(std::string_view rest, int width) {
  if (rest.size() <= static_cast<std::size_t>(width)) return std::nullopt;
  return Entry{1 + static_cast<std::size_t>(width),
               to_text(signed_little_endian(rest.substr(1), width))};
}

std::optional<Entry> string_entry(std::string_view rest, std::size_t header, std::size_t length) {
  if (rest.size() - header < length) return std::nullopt;
  return Entry{header + length, std::string{rest.substr(header, length)}};
}

std::optional<Entry> entry(std::string_view rest) {
  const auto first = static_cast<unsigned char>(rest[0]);
  if (first < 0x80) return Entry{1, to_text(first)};
  if (first < 0xc0) return string_entry(rest, 1, first & 0x3f);
  if (first < 0xf0) {
    if (rest.size() < 2) return std::nullopt;
    const auto both = static_cast<unsigned>(big_endian(rest, 2));
    if (first >= 0xe0) return string_entry(rest, 2, both & 0xfff);
    const int number = static_cast<int>(both & 0x1fff);
    return Entry{2, to_text(number < 4096 ? number : number - 8192)};
  }
  if (first == 0xf0)
    return rest.size() < 5 ? std::nullopt : string_entry(rest, 5, little_endian(rest.substr(1), 4));
  if (first > 0xf4) return std::nullopt;
  return integer_entry(rest, kWidths[first - 0xf1]);
}

/// The length that stands at the end of `bytes`, as Redis reads it: backwards, and beyond the bytes
/// that it needs if these say so.
std::size_t back_length(std::string_view bytes) {
  std::size_t length = 0;
  for (int shift = 0; shift <= 28; shift += 7) {
    const auto last = static_cast<unsigned char>(bytes.back());
    bytes.remove_suffix(1);
    length |= std::size_t{last & 0x7fU} << shift;
    if ((last & 0x80) == 0) return length;
  }
  return SIZE_MAX;
}

}  // namespace

std::optional<std::vector<std::string>> read_uncounted_listpack(std::string_view bytes) {
  if (bytes.size() < kListpackFrame || little_endian(bytes, 4) != bytes.size()) return std::nullopt;
  if (static_cast<unsigned char>(bytes.back()) != kEnd) return std::nullopt;
  std::string_view rest = bytes.substr(kHeader, bytes.size() - kListpackFrame);
  std::vector<std::string> elements;
  while (!rest.empty()) {
    auto next = entry(rest);
    if (!next) return std::nullopt;
    const std::size_t size = next->size + back_length_size(next->size);
    if (rest.size() < size) return std::nullopt;
    rest.remove_prefix(size);
    if (back_length(bytes.substr(0, bytes.size() - 1 - rest.size())) != next->size)
      return std::nullopt;
    elements.push_back(std::move(next->text));
  }
  return elements;
}

std::optional<std::vector<std::string>> read_listpack(std::string_view bytes) {
  auto elements = read_uncounted_listpack(bytes);
  if (!elements) return std::nullopt;
  const std::size_t counted = little_endian(bytes.substr(4), 2);
  if (counted != kUncounted && counted != elements->size()) return std::nullopt;
  return elements;
}

}  // namespace picklock::rdb
