#include "emulator/keyspace/rdb/payload.hpp"

#include <algorithm>

#include "emulator/keyspace/rdb/crc64.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"

namespace picklock::rdb {

namespace {
constexpr std::size_t kCrc = 8;
constexpr std::size_t kFooter = 2 + kCrc;
}  // namespace

std::string write_payload(const KeyEntry& entry, const Options& options) {
  Writer writer{options};
  writer.write_type(Writer::type_of(entry));
  writer.write_value(entry);
  return with_footer(writer.take());
}

std::string with_footer(std::string body) {
  append_little_endian(body, kVersion, 2);
  append_little_endian(body, crc64(body), kCrc);
  return body;
}

std::string_view without_footer(std::string_view payload) {
  return payload.substr(0, payload.size() - std::min(payload.size(), kFooter));
}

bool has_sound_footer(std::string_view payload, bool check_crc) {
  if (payload.size() < kFooter) return false;
  const std::string_view footer = payload.substr(payload.size() - kFooter);
  if (little_endian(footer, 2) > kVersion) return false;
  return !check_crc ||
         crc64(payload.substr(0, payload.size() - kCrc)) == little_endian(footer.substr(2), kCrc);
}

std::optional<Reader::Loaded> read_payload(std::string_view payload, const Options& options) {
  Reader reader{payload, options};
  const auto type = reader.read_type();
  return type ? reader.read_value(*type) : std::nullopt;
}

}  // namespace picklock::rdb
