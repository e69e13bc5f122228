#include "emulator/commands/geohash.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace picklock::geo {
namespace {

constexpr double kEarthRadius_m = 6372797.560856;
constexpr double kMercatorMax_m = 20037726.37;
constexpr double kDegree = std::numbers::pi / 180;
constexpr std::uint64_t kOddBits = 0xaaaaaaaaaaaaaaaaULL;  // Those of the longitude.
constexpr std::uint64_t kEvenBits = 0x5555555555555555ULL;

double radians(double degrees) { return degrees * kDegree; }
double degrees(double radians) { return radians / kDegree; }

/// Puts the bits of `value` on the even places.
std::uint64_t spread(std::uint32_t value) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 32; ++i) bits |= std::uint64_t{(value >> i) & 1U} << (2 * i);
  return bits;
}

/// The bits on the even places.
std::uint32_t gather(std::uint64_t bits) {
  std::uint32_t value = 0;
  for (int i = 0; i < 32; ++i) value |= static_cast<std::uint32_t>((bits >> (2 * i)) & 1U) << i;
  return value;
}

/// The lowest bits of a cell of this step.
std::uint64_t within(std::uint64_t mask, int step) { return mask >> (64 - 2 * step); }

/// `moving` bits one cell on or back, wrapping around; the other coordinate stays.
Cell moved(Cell cell, int by, std::uint64_t moving) {
  if (by == 0) return cell;
  const std::uint64_t own = within(moving, cell.step);
  const std::uint64_t others = within(~moving, cell.step);
  std::uint64_t bits = cell.bits & moving;
  // Filled with ones between its bits, the number carries and borrows across them.
  bits = by > 0 ? bits + (others + 1) : (bits | others) - (others + 1);
  return {(bits & own) | (cell.bits & ~moving), cell.step};
}

Cell neighbour(Cell cell, int east, int north) {
  return moved(moved(cell, east, kOddBits), north, kEvenBits);
}

Area bounding_box(const Shape& shape) {
  const double height = shape.unit_m * (shape.is_box ? shape.height / 2 : shape.radius);
  const double width = shape.unit_m * (shape.is_box ? shape.width / 2 : shape.radius);
  const auto [longitude, latitude] = shape.center;
  const double lat_delta = degrees(height / kEarthRadius_m);
  const double top = degrees(width / kEarthRadius_m / std::cos(radians(latitude + lat_delta)));
  const double bottom = degrees(width / kEarthRadius_m / std::cos(radians(latitude - lat_delta)));
  const double delta = latitude < 0 ? bottom : top;
  return {{longitude - delta, latitude - lat_delta}, {longitude + delta, latitude + lat_delta}};
}

int estimate_step(double range_m, double latitude) {
  if (range_m == 0) return kMaxStep;
  int step = 1;
  for (; range_m < kMercatorMax_m; range_m *= 2) ++step;
  step -= 2;
  // Towards the poles a cell is narrower.
  if (std::abs(latitude) > 66) --step;
  if (std::abs(latitude) > 80) --step;
  return std::clamp(step, 1, kMaxStep);
}

/// Whether the cells around `cell` end before the box does.
bool is_too_fine(Cell cell, const Area& box) {
  return decode(neighbour(cell, 0, 1)).max.latitude < box.max.latitude ||
         decode(neighbour(cell, 0, -1)).min.latitude > box.min.latitude ||
         decode(neighbour(cell, 1, 0)).max.longitude < box.max.longitude ||
         decode(neighbour(cell, -1, 0)).min.longitude > box.min.longitude;
}

double latitude_distance_m(double a, double b) {
  return kEarthRadius_m * std::fabs(radians(b) - radians(a));
}

/// How x86 converts a double to an unsigned integer, out of range too, where C++ has no rule.
std::uint64_t as_unsigned(double value) {
  constexpr double kTop = 9223372036854775808.0;
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
  if (!(value >= kTop))  // Negative ones go through a signed integer; NaN cannot be a score.
    return value >= -kTop ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : kTopBit;
  return value < 2 * kTop ? static_cast<std::uint64_t>(value) : 0;
}

}  // namespace

bool is_on_map(Point point) {
  return std::fabs(point.longitude) <= kMaxLongitude && std::fabs(point.latitude) <= kMaxLatitude;
}

Cell encode(Point point, int step, double max_latitude) {
  const double cells = static_cast<double>(std::uint64_t{1} << step);
  const double north = (point.latitude + max_latitude) / (max_latitude + max_latitude) * cells;
  const double east = (point.longitude + kMaxLongitude) / (kMaxLongitude + kMaxLongitude) * cells;
  return {spread(static_cast<std::uint32_t>(north)) | spread(static_cast<std::uint32_t>(east)) << 1,
          step};
}

Area decode(Cell cell) {
  const double cells = static_cast<double>(std::uint64_t{1} << cell.step);
  const auto north = gather(cell.bits);
  const auto east = gather(cell.bits >> 1);
  const auto latitude = [&](std::uint32_t at) {
    return -kMaxLatitude + (at * 1.0 / cells) * (kMaxLatitude + kMaxLatitude);
  };
  const auto longitude = [&](std::uint32_t at) {
    return -kMaxLongitude + (at * 1.0 / cells) * (kMaxLongitude + kMaxLongitude);
  };
  return {{longitude(east), latitude(north)}, {longitude(east + 1), latitude(north + 1)}};
}

Point decode_score(double score) {
  const Area area = decode({as_unsigned(score), kMaxStep});
  return {std::clamp((area.min.longitude + area.max.longitude) / 2, -kMaxLongitude, kMaxLongitude),
          std::clamp((area.min.latitude + area.max.latitude) / 2, -kMaxLatitude, kMaxLatitude)};
}

std::int64_t score_bits(double score) {
  constexpr double kTop = 9223372036854775808.0;
  if (score >= -kTop && score < kTop) return static_cast<std::int64_t>(score);
  return static_cast<std::int64_t>(std::uint64_t{1} << 63);
}

std::pair<std::uint64_t, std::uint64_t> score_range(Cell cell) {
  const int shift = 52 - 2 * cell.step;
  return {cell.bits << shift, (cell.bits + 1) << shift};
}

double distance_m(Point a, Point b) {
  const double v = std::sin((radians(b.longitude) - radians(a.longitude)) / 2);
  if (v == 0.0) return latitude_distance_m(a.latitude, b.latitude);  // Redis: to the last bit.
  const double u = std::sin((radians(b.latitude) - radians(a.latitude)) / 2);
  return 2.0 * kEarthRadius_m *
         std::asin(std::sqrt(u * u + std::cos(radians(a.latitude)) * std::cos(radians(b.latitude)) *
                                         v * v));
}

std::optional<double> Shape::distance_within(Point point) const {
  if (is_box) {
    if (latitude_distance_m(point.latitude, center.latitude) > height * unit_m / 2)
      return std::nullopt;
    if (distance_m(point, {center.longitude, point.latitude}) > width * unit_m / 2)
      return std::nullopt;
    return distance_m(center, point);
  }
  const double distance = distance_m(center, point);
  if (distance > radius * unit_m) return std::nullopt;
  return distance;
}

std::array<Cell, 9> covering_cells(const Shape& shape) {
  const Area box = bounding_box(shape);
  double radius_m = shape.radius;
  if (shape.is_box)
    radius_m =
        std::sqrt((shape.width / 2) * (shape.width / 2) + (shape.height / 2) * (shape.height / 2));
  radius_m *= shape.unit_m;
  int step = estimate_step(radius_m, shape.center.latitude);
  Cell middle = encode(shape.center, step);
  if (step > 1 && is_too_fine(middle, box)) middle = encode(shape.center, --step);
  // East and north of the middle one, as Redis goes around it.
  constexpr std::pair<int, int> kAround[] = {{0, 0}, {0, 1},  {0, -1}, {1, 0},  {-1, 0},
                                             {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
  const Area area = decode(middle);
  const bool prunes = step >= 2;
  std::array<Cell, 9> cells;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [east, north] = kAround[i];
    const bool useless = prunes && ((north < 0 && area.min.latitude < box.min.latitude) ||
                                    (north > 0 && area.max.latitude > box.max.latitude) ||
                                    (east < 0 && area.min.longitude < box.min.longitude) ||
                                    (east > 0 && area.max.longitude > box.max.longitude));
    if (!useless) cells[i] = neighbour(middle, east, north);
  }
  return cells;
}

}  // namespace picklock::geo
