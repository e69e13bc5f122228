// Geo commands on single members: a geo index is a sorted set whose scores are geohashes.
#include "emulator/commands/geo.hpp"

#include <string>
#include <vector>

#include "emulator/commands/groups.hpp"
#include "emulator/commands/sorted_set_replies.hpp"

namespace picklock {
namespace {

bool is_add_option(std::string_view word) {
  return is_word(word, "nx") || is_word(word, "xx") || is_word(word, "ch");
}

/// Turns the request into one of ZADD.
void geoadd(Context& c) {
  const Args words = c.args;
  std::size_t at = 2;
  bool nx = false;
  bool xx = false;
  for (; at < words.size() && is_add_option(words[at]); ++at) {
    nx |= is_word(words[at], "nx");
    xx |= is_word(words[at], "xx");
  }
  if ((words.size() - at) % 3 != 0 || (nx && xx)) return c.reply.error(errors::kSyntax);
  std::vector<std::string> scores;
  for (std::size_t i = at; i < words.size(); i += 3) {
    const auto point = geo::read_point(c, i);
    if (!point) return;
    const geo::Cell cell = geo::encode(*point, geo::kMaxStep);
    scores.push_back(to_text(static_cast<std::int64_t>(cell.bits)));
  }
  std::vector<std::string_view> request{words.begin(),
                                        words.begin() + static_cast<std::ptrdiff_t>(at)};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    request.push_back(scores[i]);
    request.push_back(words[at + 3 * i + 2]);
  }
  request[0] = "zadd";
  const auto dirty = [&c] { return c.db().changes() - c.db().expired(); };
  const std::uint64_t before = dirty();
  c.args = request;
  sorted_sets::add(c);
  c.args = words;
  if (dirty() != before) c.replicate_as(request);  // Redis, geoaddCommand: as the ZADD that it is.
}

/// Calls `write` with the place of each member from word 2 on, or nullopt for one that is missing.
template <class Write>
void for_each_place(Context& c, Write&& write) {
  const auto* zset = c.find_as<SortedSet>(c.args[1]);
  if (c.failed) return;
  c.reply.array(c.args.size() - 2);
  for (const std::string_view member : c.args.subspan(2)) {
    const auto score = zset ? zset->score(member) : std::nullopt;
    write(score ? std::optional{geo::decode_score(*score)} : std::nullopt);
  }
}

/// The usual text of a geohash, for which latitudes reach up to 90 degrees.
std::string geohash_text(geo::Point point) {
  constexpr std::string_view kLetters = "0123456789bcdefghjkmnpqrstuvwxyz";
  const geo::Cell cell = geo::encode(point, geo::kMaxStep, 90);
  std::string text;
  for (int shift = 47; shift > 0; shift -= 5) text += kLetters[(cell.bits >> shift) & 31];
  return text + '0';  // 52 bits do not reach for the eleventh letter.
}

void geohash(Context& c) {
  for_each_place(c, [&](std::optional<geo::Point> point) {
    if (point)
      c.reply.bulk(geohash_text(*point));
    else
      c.reply.null();
  });
}

void geopos(Context& c) {
  for_each_place(c, [&](std::optional<geo::Point> point) {
    if (point)
      geo::write_point(c, *point);
    else
      c.reply.null_array();
  });
}

void geodist(Context& c) {
  if (c.args.size() > 5) return c.reply.error(errors::kSyntax);
  const auto unit_m = c.args.size() == 5 ? geo::read_unit(c, c.args[4]) : 1;
  if (!unit_m) return;
  const auto* zset = c.find_as<SortedSet>(c.args[1]);
  if (c.failed) return;
  const auto from = zset ? zset->score(c.args[2]) : std::nullopt;
  const auto to = zset ? zset->score(c.args[3]) : std::nullopt;
  if (!from || !to) return c.reply.null();
  geo::write_distance(c,
                      geo::distance_m(geo::decode_score(*from), geo::decode_score(*to)) / *unit_m);
}

constexpr Command kGeoCommands[] = {
    {"geoadd", -5, kWrite | kDenyOom, kAclGeo, keys::kUpdate, "geo", "3.2.0", geoadd},
    {"geohash", -2, kReadonly, kAclGeo, keys::kRead, "geo", "3.2.0", geohash},
    {"geopos", -2, kReadonly, kAclGeo, keys::kRead, "geo", "3.2.0", geopos},
    {"geodist", -4, kReadonly, kAclGeo, keys::kRead, "geo", "3.2.0", geodist},
};

}  // namespace

std::span<const Command> commands::geo() { return kGeoCommands; }

}  // namespace picklock
