// What the geo commands share: reading places and units, answering places and distances.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/geohash.hpp"

namespace picklock::geo {

/// Metres in the unit; nullopt with the error answered.
inline std::optional<double> read_unit(Context& c, std::string_view word) {
  if (is_word(word, "m")) return 1;
  if (is_word(word, "km")) return 1000;
  if (is_word(word, "ft")) return 0.3048;
  if (is_word(word, "mi")) return 1609.34;
  return c.reply.error(errors::kGeoUnit), std::nullopt;
}

/// The place that words `at` and `at + 1` name; nullopt with the error answered.
inline std::optional<Point> read_point(Context& c, std::size_t at) {
  const auto longitude = parse_double(c.args[at]);
  const auto latitude = longitude ? parse_double(c.args[at + 1]) : std::nullopt;
  if (!latitude) return c.reply.error(errors::kNotFloat), std::nullopt;
  const Point point{*longitude, *latitude};
  if (!is_on_map(point))
    return c.reply.error(errors::not_on_map(point.longitude, point.latitude)), std::nullopt;
  return point;
}

inline void write_point(Context& c, Point point) {
  c.reply.array(2);
  c.reply.human_real(point.longitude);
  c.reply.human_real(point.latitude);
}

inline void write_distance(Context& c, double distance) {
  const std::int64_t scaled = std::llrint(distance * 10'000);  // Redis: fixedpoint_d2string.
  std::string decimals = to_text(scaled % 10'000);
  decimals.insert(0, 4 - decimals.size(), '0');
  c.reply.bulk(to_text(scaled / 10'000) + '.' + decimals);
}

}  // namespace picklock::geo
