// Parts of strings: GETRANGE, SUBSTR and SETRANGE.
#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

/// The bytes from `start` to `end`, both included and counted from the end when negative.
std::string_view part(std::string_view text, std::int64_t start, std::int64_t end) {
  const auto size = static_cast<std::int64_t>(text.size());
  if (start < 0 && end < 0 && start > end) return {};
  if (start < 0) start = std::max<std::int64_t>(start + size, 0);
  if (end < 0) end = std::max<std::int64_t>(end + size, 0);
  end = std::min(end, size - 1);
  if (start > end) return {};
  return text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start + 1));
}

void getrange(Context& c) {
  const auto start = parse_int64(c.args[2]);
  const auto end = start ? parse_int64(c.args[3]) : std::nullopt;
  if (!end) return c.reply.error(errors::kNotInteger);
  const auto* value = c.find_as<StringValue>(c.args[1]);
  if (!c.failed) c.reply.bulk(value ? part(*value, *start, *end) : std::string_view{});
}

void setrange(Context& c) {
  const std::string_view key = c.args[1];
  const std::string_view bytes = c.args[3];
  const auto offset = parse_int64(c.args[2]);
  if (!offset) return c.reply.error(errors::kNotInteger);
  if (*offset < 0) return c.reply.error(errors::kOffsetOutOfRange);
  const auto* old = c.find_as<StringValue>(key);
  if (c.failed) return;
  const auto old_size = static_cast<std::int64_t>(old ? old->size() : 0);
  if (bytes.empty()) return c.reply.integer(old_size);
  std::int64_t end = 0;
  if (__builtin_add_overflow(*offset, static_cast<std::int64_t>(bytes.size()), &end) ||
      end > c.max_string_bytes)
    return c.reply.error(errors::kStringTooLong);
  if (!old) c.db().put(key, StringValue{});
  StringValue& value = *c.edit_as<StringValue>(key);
  value.resize(static_cast<std::size_t>(std::max(old_size, end)));
  std::ranges::copy(bytes, value.begin() + *offset);
  c.event(EventClass::string, "setrange", key);
  c.reply.integer(static_cast<std::int64_t>(value.size()));
}

constexpr Command kStringRangesCommands[] = {
    {"getrange", 4, kReadonly, kAclString, keys::kRead, "string", "2.4.0", getrange},
    {"substr", 4, kReadonly, kAclString, keys::kRead, "string", "1.0.0", getrange},
    {"setrange", 4, kWrite | kDenyOom, kAclString, keys::kUpdate, "string", "2.2.0", setrange},
};

}  // namespace

std::span<const Command> commands::string_ranges() { return kStringRangesCommands; }

}  // namespace picklock
