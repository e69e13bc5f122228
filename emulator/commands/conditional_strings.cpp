// DELEX, DIGEST and MSETEX of Redis 8.4, DELIFEQ of Valkey 9.0: strings that are compared before
// they are changed. By the documentation.
#include <limits>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/newer_errors.hpp"
#include "emulator/commands/string_options.hpp"

namespace picklock {
namespace {

void delete_key(Context& c, std::string_view key) {
  c.db().erase(key);
  c.event(EventClass::generic, "del", key);
  c.reply.integer(1);
}

void delex(Context& c) {
  if (c.args.size() != 2 && c.args.size() != 4) return c.reply.error(errors::wrong_arity("delex"));
  const std::string_view key = c.args[1];
  const KeyEntry* entry = c.find(key);
  if (!entry) return c.reply.integer(0);  // Before the condition is read at all.
  if (c.args.size() == 2) return delete_key(c, key);
  const auto* value = std::get_if<StringValue>(&entry->value);
  if (!value) return c.reply.error(errors::kDelexType);
  const auto kind = Comparison::find(word_number(c.args[2]), *c.profile);
  if (!kind) return c.reply.error(errors::kDelexCondition);
  const Comparison comparison{*kind, c.args[3]};
  if (!comparison.is_complete()) return c.reply.error(errors::kDigestLength);
  if (!comparison.holds(*value)) return c.reply.integer(0);
  delete_key(c, key);
}

void delifeq(Context& c) {
  const auto* value = c.find_as<StringValue>(c.args[1]);
  if (c.failed) return;
  if (!value || *value != c.args[2]) return c.reply.integer(0);
  delete_key(c, c.args[1]);
}

void digest(Context& c) {
  const auto* value = c.find_as<StringValue>(c.args[1]);
  if (c.failed) return;
  if (value)
    c.reply.bulk(digest_of(*value));
  else
    c.reply.null();
}

/// Whether NX or XX forbids to set any of `pairs`.
bool is_forbidden(Context& c, Args pairs, const StringOptions& options) {
  if (!options.nx && !options.xx) return false;
  for (std::size_t i = 0; i < pairs.size(); i += 2)
    if ((c.find(pairs[i]) != nullptr) == options.nx) return true;
  return false;
}

void msetex(Context& c) {
  const auto count = parse_int64(c.args[1]);
  if (!count || *count < 1 || *count > std::numeric_limits<std::int32_t>::max())
    return c.reply.error(errors::kMsetexNumkeys);
  const auto words = 2 * static_cast<std::size_t>(*count);
  if (words > c.args.size() - 2) return c.reply.error(errors::kMsetexPairs);
  const Args pairs = c.args.subspan(2, words);
  const auto options = read_string_options(c, c.args.subspan(2 + words), Dialect::msetex);
  if (!options) return;
  std::int64_t deadline_ms = kNoDeadline;
  if (options->has_time()) {
    const auto deadline = read_set_deadline(c, options->time, options->unit(), options->base());
    if (!deadline) return;
    deadline_ms = *deadline;
  }
  if (is_forbidden(c, pairs, *options)) return c.reply.integer(0);
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    c.find(pairs[i]);  // The TTL of an expired key is not kept.
    c.db().put_text(pairs[i], pairs[i + 1],
                    options->keep_ttl ? std::nullopt : std::optional{deadline_ms});
    c.event(EventClass::string, "set", pairs[i]);
    if (deadline_ms != kNoDeadline) c.event(EventClass::generic, "expire", pairs[i]);
  }
  c.reply.integer(1);
}

constexpr KeySpec kDelexKeys[] = {{"RW delete variable_flags"}};
constexpr KeySpec kDelifeqKeys[] = {{"RM access delete"}};
constexpr KeySpec kMsetexKeys[] = {
    {.flags = "OW update", .find = KeySpec::Find::keynum, .step = 2}};

constexpr Command kConditionalStringsCommands[] = {
    {"delex",
     -2,
     kWrite | kFast,
     kAclString,
     kDelexKeys,
     "string",
     "8.4.0",
     delex,
     {},
     {},
     kRedis84},
    {"delifeq", 3, kWrite, kAclString, kDelifeqKeys, "string", "9.0.0", delifeq, {}, {}, kValkey90},
    {"digest",
     2,
     kReadonly | kFast,
     kAclString,
     keys::kRead,
     "string",
     "8.4.0",
     digest,
     {},
     {},
     kRedis84},
    {"msetex",
     -4,
     kWrite | kDenyOom | kMovableKeys,
     kAclString,
     kMsetexKeys,
     "string",
     "8.4.0",
     msetex,
     {},
     "request_policy:multi_shard response_policy:all_succeeded",
     kRedis84},
};

}  // namespace

std::span<const Command> commands::conditional_strings() { return kConditionalStringsCommands; }

}  // namespace picklock
