// The fields of a small hash in one row of bytes, in order of insertion.
//
// Each takes the length of its name, the length of its value, the name and the value; a look goes
// through all of them. A copyable value; not thread-safe; what is returned is valid until the next
// change, and what is given must not lie in the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "emulator/keyspace/packed_row.hpp"

namespace picklock {

/// A field of a hash and its value.
struct HashField {
  std::string_view name;
  std::string_view value;
};

class PackedFields {
 public:
  static constexpr std::size_t kMostFields = 128;
  static constexpr std::size_t kLongest = 64;  ///< Bytes of a name or a value.

  std::size_t size() const { return row_.entries; }
  /// Where the field `name` begins, or null.
  const char* find(std::string_view name) const {
    for (const char* at = row_.data(); at != row_.end(); at = next(at)) {
      if (length(at[0]) != name.size()) continue;
      // Names that are alike differ at their ends, most often.
      if (name.empty() || (at[1 + name.size()] == name.back() &&
                           std::memcmp(at + kHeader, name.data(), name.size()) == 0))
        return at;
    }
    return nullptr;
  }
  /// The field that begins there.
  static HashField at(const char* place) {
    const std::size_t name = length(place[0]);
    return {{place + kHeader, name}, {place + kHeader + name, length(place[1])}};
  }
  /// Field number `index`, which must be less than size().
  HashField nth(std::size_t index) const {
    const char* place = row_.data();
    while (index-- > 0) place = next(place);
    return at(place);
  }

  /// Whether another field with such lengths may come.
  bool takes(std::size_t name_size, std::size_t value_size) const {
    return size() < kMostFields && name_size <= kLongest && value_size <= kLongest;
  }
  /// Makes room for `count` more fields with so many bytes in all their words, if it takes them.
  void expect(std::size_t count, std::size_t bytes) {
    if (size() + count <= kMostFields && bytes <= 2 * count * kLongest)
      row_.reserve(row_.size_bytes() + count * kHeader + bytes);
  }
  /// Puts a field that is not there, and that it takes, behind all others.
  void append(std::string_view name, std::string_view value);
  /// Gives the field at `place` another value of at most kLongest bytes.
  void set_value(const char* place, std::string_view value);
  void erase(const char* place);

  /// Calls `visit(name, value)` for each in order of insertion.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const char* place = row_.data(); place != row_.end(); place = next(place)) {
      const HashField field = at(place);
      visit(field.name, field.value);
    }
  }

 private:
  static constexpr std::size_t kHeader = 2;

  static std::size_t length(char byte) { return static_cast<unsigned char>(byte); }
  static std::size_t size_at(const char* place) {
    return kHeader + length(place[0]) + length(place[1]);
  }
  static const char* next(const char* place) { return place + size_at(place); }
  std::size_t offset(const char* place) const {
    return static_cast<std::size_t>(place - row_.data());
  }

  PackedRow row_;
};

}  // namespace picklock
