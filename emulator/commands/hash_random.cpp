// HRANDFIELD: fields of a hash, drawn by the seeded generator.
#include <algorithm>
#include <limits>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/draws.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max();

HashField draw(Context& c, const HashValue& hash) {
  return hash.pick([&](std::uint64_t bound) { return c.random.below(bound); });
}

/// `count` different fields in their order within the hash: each is taken with the chance that it
/// has among those that are left.
std::vector<HashField> draw_different(Context& c, const HashValue& hash, std::size_t count) {
  std::vector<HashField> drawn;
  std::size_t left = hash.size();
  hash.for_each([&](std::string_view field, std::string_view value) {
    const std::size_t missing = count - drawn.size();
    if (missing > 0 && (missing == left || c.random.below(left) < missing))
      drawn.push_back({field, value});
    --left;
  });
  return drawn;
}

void write_field(Context& c, const HashField& field, bool values) {
  if (values && c.reply.version() >= 3) c.reply.array(2);
  c.reply.bulk(field.name);
  if (values) c.reply.bulk(field.value);
}

void write_fields(Context& c, const HashValue& hash, std::int64_t count, bool values) {
  const std::size_t words = values && c.reply.version() < 3 ? 2 : 1;
  if (count < 0) {
    c.reply.array(static_cast<std::size_t>(-count) * words);
    for (std::int64_t i = count; i < 0; ++i) write_field(c, draw(c, hash), values);
    return;
  }
  const auto drawn =
      draw_different(c, hash, std::min(static_cast<std::size_t>(count), hash.size()));
  c.reply.array(drawn.size() * words);
  for (const HashField& field : drawn) write_field(c, field, values);
}

void hrandfield(Context& c) {
  if (c.args.size() == 2) {
    const auto* hash = c.find_as<HashValue>(c.args[1]);
    if (c.failed) return;
    return hash ? c.reply.bulk(draw(c, *hash).name) : c.reply.null();
  }
  const auto count = parse_int64(c.args[2]);
  if (!count) return c.reply.error(errors::kNotInteger);
  if (*count < -kMaxCount) return c.reply.error(errors::kCountOutOfRange);
  const bool values = c.args.size() > 3;
  if (values && (c.args.size() > 4 || !is_word(c.args[3], "withvalues")))
    return c.reply.error(errors::kSyntax);
  if (values && (*count < -kMaxCount / 2 || *count > kMaxCount / 2))
    return c.reply.error(errors::kOutOfRange);
  const auto* hash = c.find_as<HashValue>(c.args[1]);
  if (c.failed) return;
  if (!hash) return c.reply.array(0);
  if (*count < -kMostDraws) return c.reply.error(errors::kTooManyDraws);
  write_fields(c, *hash, *count, values);
}

constexpr Command kHashRandomCommands[] = {
    {"hrandfield",
     -2,
     kReadonly,
     kAclHash,
     keys::kRead,
     "hash",
     "6.2.0",
     hrandfield,
     {},
     "nondeterministic_output"},
};

}  // namespace

std::span<const Command> commands::hash_random() { return kHashRandomCommands; }

}  // namespace picklock
