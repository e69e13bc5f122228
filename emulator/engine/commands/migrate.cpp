// MIGRATE: read as Redis reads it, though there is nobody at the other end.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

/// The keys to move; nullopt if the error was answered.
std::optional<Args> read_migrate(EngineContext& c) {
  const auto error = [&c](std::string_view text) { return c.reply.error(text), std::nullopt; };
  Args keys = c.args.subspan(3, 1);
  for (std::size_t i = 6; i < c.args.size(); ++i) {
    const std::size_t more = c.args.size() - 1 - i;
    const std::string_view option = c.args[i];
    if (is_word(option, "copy") || is_word(option, "replace")) continue;
    if (is_word(option, "auth") || is_word(option, "auth2")) {
      const std::size_t operands = is_word(option, "auth") ? 1 : 2;
      if (more < operands) return error(errors::kSyntax);
      for (std::size_t n = 0; n < operands; ++n) c.redacted.push_back(++i);
    } else if (is_word(option, "keys")) {
      if (!c.args[3].empty()) return error(errors::kMigrateKeys);
      keys = c.args.subspan(i + 1);
      break;
    } else {
      return error(errors::kSyntax);
    }
  }
  if (!parse_int64(c.args[5]) || !parse_int64(c.args[4])) return error(errors::kNotInteger);
  return keys;
}

void migrate(Context& c) {
  const auto keys = read_migrate(engine_context(c));
  if (!keys) return;
  bool any = false;
  for (const std::string_view key : *keys) any = c.find_to_read(key) != nullptr || any;
  if (!any) return c.reply.status("NOKEY");
  c.reply.error(errors::kMigrateUnreachable);
}

constexpr KeySpec kKeys[] = {
    {.flags = "RW access delete", .first = 3},
    {.flags = "RW access delete incomplete", .first = -2, .last = -1, .keyword = "KEYS"}};
constexpr Command kMigrateCommands[] = {
    {"migrate",
     -6,
     kWrite | kMovableKeys,
     kAclKeyspace | kAclDangerous,
     kKeys,
     "generic",
     "2.6.0",
     migrate,
     {},
     "nondeterministic_output"},
};

}  // namespace

std::span<const Command> commands::migrate() { return kMigrateCommands; }

}  // namespace picklock
