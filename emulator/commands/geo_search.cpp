// Geo searches: the members of a geo index within a circle or a box.
#include <algorithm>
#include <string>
#include <vector>

#include "emulator/commands/geo.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/partial_quicksort.hpp"
#include "emulator/commands/sorted_set_range.hpp"

namespace picklock {
namespace {

/// What the four families of commands differ in.
enum class Family : std::uint8_t { radius, radius_by_member, search, search_store };

enum class Sorting : std::uint8_t { none, ascending, descending };

struct Request {
  Family family = Family::radius;
  const SortedSet* zset = nullptr;  ///< Null for a missing key, though the words are still read.
  geo::Shape shape;
  bool has_member = false;
  bool has_point = false;
  bool has_radius = false;
  bool has_box = false;
  bool with_distance = false;
  bool with_hash = false;
  bool with_point = false;
  bool any = false;
  Sorting sorting = Sorting::none;
  std::int64_t count = 0;  ///< 0 for all.
  std::optional<std::string_view> store;
  bool store_distance = false;

  bool is_search() const { return family >= Family::search; }
};

bool read_radius(Context& c, std::size_t at, geo::Shape& shape) {
  const auto radius = parse_double(c.args[at]);
  if (!radius) return c.reply.error(errors::kGeoRadiusNotNumeric), false;
  if (*radius < 0) return c.reply.error(errors::kGeoRadiusNegative), false;
  const auto unit_m = geo::read_unit(c, c.args[at + 1]);
  if (!unit_m) return false;
  shape.is_box = false;
  shape.radius = *radius;
  shape.unit_m = *unit_m;
  return true;
}

bool read_box(Context& c, std::size_t at, geo::Shape& shape) {
  const auto width = parse_double(c.args[at]);
  if (!width) return c.reply.error(errors::kGeoWidthNotNumeric), false;
  const auto height = parse_double(c.args[at + 1]);
  if (!height) return c.reply.error(errors::kGeoHeightNotNumeric), false;
  if (*width < 0 || *height < 0) return c.reply.error(errors::kGeoBoxNegative), false;
  const auto unit_m = geo::read_unit(c, c.args[at + 2]);
  if (!unit_m) return false;
  shape.is_box = true;
  shape.width = *width;
  shape.height = *height;
  shape.unit_m = *unit_m;
  return true;
}

bool read_member(Context& c, std::size_t at, Request& request) {
  const auto score = request.zset->score(c.args[at]);
  if (!score) return c.reply.error(errors::kGeoNoMember), false;
  request.shape.center = geo::decode_score(*score);
  return true;
}

bool read_center(Context& c, std::size_t at, Request& request) {
  const auto point = geo::read_point(c, at);
  if (!point) return false;
  request.shape.center = *point;
  return true;
}

/// What GEORADIUS and GEORADIUSBYMEMBER want in front of the options.
bool read_fixed_words(Context& c, Request& request) {
  if (request.family == Family::radius)
    return read_center(c, 2, request) && read_radius(c, 4, request.shape);
  if (request.family != Family::radius_by_member || !request.zset) return true;
  return read_member(c, 2, request) && read_radius(c, 3, request.shape);
}

/// Options of one word.
bool take_flag(std::string_view word, Request& request) {
  if (is_word(word, "withdist")) return request.with_distance = true;
  if (is_word(word, "withhash")) return request.with_hash = true;
  if (is_word(word, "withcoord")) return request.with_point = true;
  if (is_word(word, "any")) return request.any = true;
  if (is_word(word, "asc")) return request.sorting = Sorting::ascending, true;
  if (is_word(word, "desc")) return request.sorting = Sorting::descending, true;
  if (request.family == Family::search_store && is_word(word, "storedist"))
    return request.store_distance = true;
  return false;
}

bool read_count(Context& c, std::size_t at, Request& request) {
  const auto count = parse_int64(c.args[at]);
  if (!count) return c.reply.error(errors::kNotInteger), false;
  if (*count <= 0) return c.reply.error(errors::kGeoCount), false;
  request.count = *count;
  return true;
}

/// Reads an option of GEOSEARCH at word `at` that has operands, and moves `at` to its last word.
bool read_search_option(Context& c, std::size_t& at, Request& request) {
  const std::string_view word = c.args[at];
  const std::size_t operands = c.args.size() - at - 1;
  const std::size_t first = at + 1;
  if (is_word(word, "frommember") && operands >= 1 && !request.has_point) {
    at += 1;
    request.has_member = true;
    return !request.zset || read_member(c, first, request);
  }
  if (is_word(word, "fromlonlat") && operands >= 2 && !request.has_member) {
    at += 2;
    request.has_point = true;
    return read_center(c, first, request);
  }
  if (is_word(word, "byradius") && operands >= 2 && !request.has_box) {
    at += 2;
    request.has_radius = true;
    return read_radius(c, first, request.shape);
  }
  if (is_word(word, "bybox") && operands >= 3 && !request.has_radius) {
    at += 3;
    request.has_box = true;
    return read_box(c, first, request.shape);
  }
  return c.reply.error(errors::kSyntax), false;
}

bool read_options(Context& c, std::size_t at, Request& request) {
  for (; at < c.args.size(); ++at) {
    const std::string_view word = c.args[at];
    const bool has_operand = at + 1 < c.args.size();
    const bool may_store = !request.is_search() && c.command->has(kWrite);
    if (take_flag(word, request)) continue;
    if (is_word(word, "count") && has_operand) {
      if (!read_count(c, ++at, request)) return false;
    } else if (may_store && has_operand && (is_word(word, "store") || is_word(word, "storedist"))) {
      request.store_distance = is_word(word, "storedist");
      request.store = c.args[++at];
    } else if (!request.is_search()) {
      return c.reply.error(errors::kSyntax), false;
    } else if (!read_search_option(c, at, request)) {
      return false;
    }
  }
  return true;
}

/// Whether the options fit together; answers the error if not.
bool is_consistent(Context& c, const Request& request) {
  if (request.store && (request.with_distance || request.with_hash || request.with_point))
    return c.reply.error(errors::geo_store_conflict(request.is_search())), false;
  if (request.is_search() && !request.has_member && !request.has_point)
    return c.reply.error(errors::geo_needs_center(c.args[0])), false;
  if (request.is_search() && !request.has_radius && !request.has_box)
    return c.reply.error(errors::geo_needs_shape(c.args[0])), false;
  if (request.any && request.count == 0) return c.reply.error(errors::kGeoAny), false;
  return true;
}

struct Found {
  std::string_view member;
  double score;
  geo::Point point;
  double distance_m;
};

/// Adds the members of `cell` that lie within the shape, until there are `limit`.
void search_cell(const Request& request, geo::Cell cell, std::size_t limit,
                 std::vector<Found>& found) {
  const auto [min, max] = geo::score_range(cell);
  const RankSpan span =
      ScoreRange{static_cast<double>(min), static_cast<double>(max), false, true}.within(
          *request.zset);
  request.zset->for_each(span.first, span.size(), [&](const SortedSet::Item& item) {
    if (limit > 0 && found.size() == limit) return;
    const geo::Point point = geo::decode_score(item.score);
    if (const auto distance_m = request.shape.distance_within(point))
      found.push_back({item.member, item.score, point, *distance_m});
  });
}

/// All members found, in the order of the cells and of their scores in each.
std::vector<Found> search(const Request& request) {
  const auto limit = request.any ? static_cast<std::size_t>(request.count) : 0;
  std::vector<Found> found;
  // Around the whole earth a cell may be its own neighbour. Redis compares with the one before,
  // if that was not the first of all.
  const auto cells = geo::covering_cells(request.shape);
  std::size_t last = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] == geo::Cell{}) continue;
    if (last != 0 && cells[i] == cells[last]) continue;
    if (limit > 0 && found.size() >= limit) break;
    search_cell(request, cells[i], limit, found);
    last = i;
  }
  return found;
}

/// Sorts if asked to and cuts off what is too much.
void sort_and_cut(const Request& request, std::vector<Found>& found) {
  const std::size_t wanted = request.count == 0
                                 ? found.size()
                                 : std::min(found.size(), static_cast<std::size_t>(request.count));
  // Without ANY, COUNT means the nearest.
  const bool sorts = request.sorting != Sorting::none || (request.count > 0 && !request.any);
  const bool descending = request.sorting == Sorting::descending;
  const auto order = [descending](const Found& a, const Found& b) {
    const int sign = int{a.distance_m > b.distance_m} - int{a.distance_m < b.distance_m};
    return descending ? -sign : sign;
  };
  if (sorts && wanted == found.size())
    std::stable_sort(found.begin(), found.end(),
                     [&](const Found& a, const Found& b) { return order(a, b) < 0; });
  else if (sorts)
    PartialQuicksort{std::span{found}, 0, wanted - 1, order};
  found.resize(wanted);
}

void answer(Context& c, const Request& request, const std::vector<Found>& found) {
  const int options = request.with_distance + request.with_hash + request.with_point;
  c.reply.array(found.size());
  for (const Found& item : found) {
    if (options > 0) c.reply.array(static_cast<std::size_t>(options) + 1);
    c.reply.bulk(item.member);
    if (request.with_distance) geo::write_distance(c, item.distance_m / request.shape.unit_m);
    if (request.with_hash) c.reply.integer(geo::score_bits(item.score));
    if (request.with_point) geo::write_point(c, item.point);
  }
}

void store(Context& c, const Request& request, const std::vector<Found>& found) {
  const std::string_view key = *request.store;
  SortedSet result;
  for (const Found& item : found)
    result.set(item.member,
               request.store_distance ? item.distance_m / request.shape.unit_m : item.score,
               c.limits);
  if (!found.empty()) {
    c.about_to_overwrite(key);
    c.db().put(key, std::move(result));
    c.event(EventClass::sorted_set,
            request.family == Family::search_store ? "geosearchstore" : "georadiusstore", key);
  } else if (c.db().erase(key)) {
    c.event(EventClass::generic, "del", key);
  }
  c.reply.integer(static_cast<std::int64_t>(found.size()));
}

/// `options_at` is the word at which the options begin.
void run(Context& c, Family family, std::size_t options_at) {
  const bool stores = family == Family::search_store;
  const KeyEntry* entry = c.find_to_read(c.args[stores ? 2 : 1]);
  Request request;
  request.family = family;
  if (entry) request.zset = std::get_if<SortedSet>(&entry->value);
  if (entry && !request.zset) return c.reply.error(errors::kWrongType);
  if (stores) request.store = c.args[1];
  if (!read_fixed_words(c, request) || !read_options(c, options_at, request) ||
      !is_consistent(c, request))
    return;
  std::vector<Found> found;
  if (request.zset) found = search(request);
  sort_and_cut(request, found);
  if (request.store)
    store(c, request, found);
  else
    answer(c, request, found);
}

void georadius(Context& c) { run(c, Family::radius, 6); }
void georadiusbymember(Context& c) { run(c, Family::radius_by_member, 5); }
void geosearch(Context& c) { run(c, Family::search, 2); }
void geosearchstore(Context& c) { run(c, Family::search_store, 3); }

constexpr KeySpec kRadiusKeys[] = {{"RO access"},
                                   {.flags = "OW update", .first = 6, .keyword = "STORE"},
                                   {.flags = "OW update", .first = 6, .keyword = "STOREDIST"}};
constexpr KeySpec kMemberKeys[] = {{"RO access"},
                                   {.flags = "OW update", .first = 5, .keyword = "STORE"},
                                   {.flags = "OW update", .first = 5, .keyword = "STOREDIST"}};
constexpr KeySpec kStoreKeys[] = {{"OW update"}, {.flags = "RO access", .first = 2}};
constexpr std::uint32_t kStores = kWrite | kDenyOom;
constexpr std::uint32_t kMovable = kStores | kMovableKeys;
constexpr Command kGeoSearchCommands[] = {
    {"georadius", -6, kMovable, kAclGeo, kRadiusKeys, "geo", "3.2.0", georadius},
    {"georadius_ro", -6, kReadonly, kAclGeo, keys::kRead, "geo", "3.2.10", georadius},
    {"georadiusbymember", -5, kMovable, kAclGeo, kMemberKeys, "geo", "3.2.0", georadiusbymember},
    {"georadiusbymember_ro", -5, kReadonly, kAclGeo, keys::kRead, "geo", "3.2.10",
     georadiusbymember},
    {"geosearch", -7, kReadonly, kAclGeo, keys::kRead, "geo", "6.2.0", geosearch},
    {"geosearchstore", -8, kStores, kAclGeo, kStoreKeys, "geo", "6.2.0", geosearchstore},
};

}  // namespace

std::span<const Command> commands::geo_search() { return kGeoSearchCommands; }

}  // namespace picklock
