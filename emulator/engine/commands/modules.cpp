// MODULE, which loads none, and LOLWUT.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"

namespace picklock {
namespace {

void list(Context& c) { c.reply.array(0); }

// Never reached: enable-module-command is off, and cannot be turned on.
void refuse_module(Context& c) { c.reply.error(errors::kModuleNotAllowed); }

void module_help(Context& c) { write_help(c, help::module()); }

void lolwut(Context& c) {
  if (c.args.size() > 2 && is_word(c.args[1], "version") && !parse_int64(c.args[2]))
    return c.reply.error(errors::kNotInteger);
  c.reply.verbatim(
      "txt", "Redis ver. " + std::string{engine_context(c).engine.profile->redis_version} + "\n");
}

constexpr std::uint32_t kLoadFlags = kAdmin | kNoScript | kNoAsyncLoading | kProtected;

constexpr Command kModuleSubcommands[] = {
    {"module|load", -3, kLoadFlags, 0, {}, "server", "4.0.0", refuse_module},
    {"module|unload", 3, kLoadFlags, 0, {}, "server", "4.0.0", refuse_module},
    {"module|list",
     2,
     kAdmin | kNoScript,
     0,
     {},
     "server",
     "4.0.0",
     list,
     {},
     "nondeterministic_output_order"},
    {"module|loadex", -3, kLoadFlags, 0, {}, "server", "7.0.0", refuse_module},
    {"module|help", 2, kLoading | kStale, 0, {}, "server", "5.0.0", module_help},
};

constexpr Command kModulesCommands[] = {
    {"module", -2, 0, 0, {}, "server", "4.0.0", nullptr, kModuleSubcommands},
    {"lolwut", -1, kReadonly | kFast, 0, {}, "server", "5.0.0", lolwut},
};

}  // namespace

std::span<const Command> commands::modules() { return kModulesCommands; }

}  // namespace picklock
