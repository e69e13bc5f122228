// Readers of what older servers wrote: ziplists and zipmaps; and of intsets.
//
// They believe nothing: every length is checked before it is used. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::rdb {

/// The elements of a ziplist (Redis up to 6.2), integers in decimal; nullopt if it is not sound.
std::optional<std::vector<std::string>> read_ziplist(std::string_view bytes);
/// Fields and values in turn of a zipmap (Redis up to 2.4); nullopt if it is not sound.
std::optional<std::vector<std::string>> read_zipmap(std::string_view bytes);

struct Intset {
  int width;                          ///< Bytes a number takes: 2, 4 or 8.
  std::vector<std::int64_t> numbers;  ///< At least one, rising.
};
std::optional<Intset> read_intset(std::string_view bytes);
std::string write_intset(int width, const std::vector<std::int64_t>& numbers);

}  // namespace picklock::rdb
