#include "emulator/keyspace/packed_fields.hpp"

namespace picklock {
namespace {

void copy_to(char* to, std::string_view text) {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
}

}  // namespace

void PackedFields::append(std::string_view name, std::string_view value) {
  char* const place = row_.resize_part(row_.size_bytes(), 0, kHeader + name.size() + value.size());
  place[0] = static_cast<char>(name.size());
  place[1] = static_cast<char>(value.size());
  copy_to(place + kHeader, name);
  copy_to(place + kHeader + name.size(), value);
  ++row_.entries;
}

void PackedFields::set_value(const char* place, std::string_view value) {
  const HashField field = at(place);
  const std::size_t start = offset(field.value.data());
  char* to = row_.data() + start;
  if (value.size() != field.value.size()) {
    const std::size_t header = offset(place);
    to = row_.resize_part(start, field.value.size(), value.size());
    row_.data()[header + 1] = static_cast<char>(value.size());
  }
  copy_to(to, value);
}

void PackedFields::erase(const char* place) {
  row_.resize_part(offset(place), size_at(place), 0);
  --row_.entries;
}

}  // namespace picklock
