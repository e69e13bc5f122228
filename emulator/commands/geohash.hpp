// Geohashes as Redis uses them: a place on earth as the 52 bits of a sorted set's score.
//
// The bits of longitude and latitude take turns, the coarsest first; a cell of `step` bits for each
// is a range of scores. Distances are great circles on a sphere. Redis 7.0: geohash.c and
// geohash_helper.c, whose order of floating-point operations this keeps, for it shows in the last
// digits. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace picklock::geo {

inline constexpr double kMaxLatitude = 85.05112878;
inline constexpr double kMaxLongitude = 180;
inline constexpr int kMaxStep = 26;

struct Point {
  double longitude = 0;
  double latitude = 0;
};

struct Cell {
  std::uint64_t bits = 0;
  int step = 0;  ///< 0 for no cell at all.

  bool operator==(const Cell&) const = default;
};

struct Area {
  Point min;
  Point max;
};

/// Whether a sorted set can hold the place.
bool is_on_map(Point point);
/// The cell of `point`, which must be on the map; latitudes reach up to `max_latitude`.
Cell encode(Point point, int step, double max_latitude = kMaxLatitude);
Area decode(Cell cell);
/// The middle of the finest cell that `score` stands for; any double has one.
Point decode_score(double score);
/// What decode_score() makes of a score, and WITHHASH shows: as x86 converts it.
std::int64_t score_bits(double score);
/// The scores of the places in `cell`: from first to before second.
std::pair<std::uint64_t, std::uint64_t> score_range(Cell cell);
double distance_m(Point a, Point b);

/// The area of a search.
struct Shape {
  Point center;
  bool is_box = false;
  double radius = 0;
  double width = 0;
  double height = 0;
  double unit_m = 1;  ///< Metres in the unit of the sizes.

  /// The distance in metres of `point` from the centre if it lies within.
  std::optional<double> distance_within(Point point) const;
};

/// The cells that cover the shape, in the order in which Redis looks at them.
std::array<Cell, 9> covering_cells(const Shape& shape);

}  // namespace picklock::geo
