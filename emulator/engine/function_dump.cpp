#include "emulator/engine/function_dump.hpp"

#include <cstdint>

#include "emulator/commands/errors.hpp"

namespace picklock {
namespace {

constexpr unsigned char kLibraryOpcode = 245;
constexpr unsigned char kOldLibraryOpcode = 246;
constexpr unsigned kRdbVersion = 10;
constexpr std::size_t kFooterBytes = 10;  // Two of the version, eight of the checksum.

unsigned char byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

/// CRC-64 of Redis: the reflected polynomial of Jones, without inversions.
std::uint64_t checksum(std::string_view bytes) {
  constexpr std::uint64_t kPolynomial = 0x95ac9329ac4bc9b5;
  std::uint64_t crc = 0;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ kPolynomial : crc >> 1;
  }
  return crc;
}

void add_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (; bytes > 0; --bytes, value >>= 8) out += static_cast<char>(value & 0xff);
}

void add_length(std::string& out, std::size_t length) {
  if (length < 64) {
    out += static_cast<char>(length);
  } else if (length < 16384) {
    out += static_cast<char>(0x40 | length >> 8);
    out += static_cast<char>(length & 0xff);
  } else {
    out += static_cast<char>(0x80);
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(length >> shift & 0xff);
  }
}

/// Reads the strings of a payload; `failed` is set at the first damage.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool at_end() const { return rest_.empty(); }
  bool failed() const { return failed_; }

  unsigned char byte() { return static_cast<unsigned char>(number(1)); }

  std::string text() {
    const unsigned char first = byte();
    switch (first >> 6) {
      case 0:
        return plain(first & 0x3f);
      case 1:
        return plain((first & 0x3f) << 8 | byte());
      case 2:
        return plain(number(first == 0x80 ? 4 : 8));
      default:
        return first == 0xc3 ? compressed() : fail();
    }
  }

 private:
  std::string fail() {
    failed_ = true;
    return {};
  }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    if (rest_.size() < bytes) failed_ = true;
    for (std::size_t i = 0; !failed_ && i < bytes; ++i) value = value << 8 | byte_at(rest_, i);
    if (!failed_) rest_.remove_prefix(bytes);
    return value;
  }
  std::uint64_t length() {
    const unsigned char first = byte();
    if (first >> 6 == 0) return first & 0x3f;
    if (first >> 6 == 1) return std::uint64_t{first & 0x3fU} << 8 | byte();
    return number(first == 0x80 ? 4 : 8);
  }
  std::string plain(std::uint64_t size) {
    if (failed_ || size > rest_.size()) return fail();
    std::string result{rest_.substr(0, size)};
    rest_.remove_prefix(size);
    return result;
  }

  /// LZF: literal runs, and references to what came before.
  std::string compressed() {
    const std::uint64_t packed_size = length();
    const std::uint64_t size = length();
    const std::string packed = plain(packed_size);
    std::string out;
    for (std::size_t i = 0; i < packed.size() && !failed_ && out.size() <= size;) {
      const unsigned control = byte_at(packed, i++);
      if (control < 32) {
        if (i + control + 1 > packed.size()) return fail();
        out.append(packed, i, control + 1);
        i += control + 1;
        continue;
      }
      std::size_t count = control >> 5;
      if (count == 7) count += i < packed.size() ? byte_at(packed, i++) : 0;
      if (i >= packed.size()) return fail();
      const std::size_t back = ((control & 0x1fU) << 8 | byte_at(packed, i++)) + 1;
      if (back > out.size()) return fail();
      for (count += 2; count > 0; --count) out += out[out.size() - back];
    }
    return out.size() == size ? out : fail();
  }

  std::string_view rest_;
  bool failed_ = false;
};

bool has_valid_footer(std::string_view payload) {
  if (payload.size() < kFooterBytes) return false;
  const std::size_t end = payload.size() - kFooterBytes;
  const unsigned version = byte_at(payload, end) | byte_at(payload, end + 1) << 8;
  std::string expected;
  add_little_endian(expected, checksum(payload.substr(0, end + 2)), 8);
  return version <= kRdbVersion && payload.substr(end + 2) == expected;
}

}  // namespace

std::string dump_libraries(const Libraries& libraries) {
  std::string out;
  libraries.for_each([&out](const auto& entry) {
    out += static_cast<char>(kLibraryOpcode);
    add_length(out, entry.value.code.size());
    out += entry.value.code;
  });
  add_little_endian(out, kRdbVersion, 2);
  add_little_endian(out, checksum(out), 8);
  return out;
}

std::optional<std::vector<std::string>> read_library_dump(std::string_view payload,
                                                          std::string& error) {
  const auto refuse = [&error](std::string_view text) {
    error = text;
    return std::nullopt;
  };
  if (!has_valid_footer(payload)) return refuse(errors::kDumpPayload);
  Reader reader{payload.substr(0, payload.size() - kFooterBytes)};
  std::vector<std::string> codes;
  while (!reader.at_end()) {
    const unsigned char type = reader.byte();
    if (type == kOldLibraryOpcode) return refuse(errors::kOldFunctionFormat);
    if (type != kLibraryOpcode) return refuse(errors::kNotAFunction);
    codes.push_back(reader.text());
    if (reader.failed()) return refuse(errors::kFunctionPayload);
  }
  return codes;
}

}  // namespace picklock
