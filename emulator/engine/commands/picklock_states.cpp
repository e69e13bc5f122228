// PICKLOCK SEED, SNAPSHOT, RESTORE, RESET and LOAD.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/commands/picklock_steps.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/control/load.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {

bool commands::is_picklock_name(Context& c, std::string_view name) {
  constexpr std::size_t kMost = 64;
  const bool good =
      !name.empty() && name.size() <= kMost && std::ranges::all_of(name, [](char letter) {
        return letter > ' ' && letter < '\x7f' && letter != '"' && letter != '\\';
      });
  if (!good) c.reply.error("ERR a name has 1 to 64 visible ASCII characters, without quotes");
  return good;
}

void commands::picklock_seed(Context& c) {
  const auto seed = parse_uint64(c.args[2]);
  if (!seed)
    return c.reply.error("ERR PICKLOCK SEED takes a whole number from 0 to 18446744073709551615");
  engine_context(c).engine.random.reseed(*seed);
  c.reply.ok();
}

void commands::picklock_snapshot(Context& c) {
  if (!is_picklock_name(c, c.args[2])) return;
  Engine& engine = engine_context(c).engine;
  engine.control->snapshots.insert_or_assign(std::string{c.args[2]},
                                             std::make_shared<const Engine::State>(engine.save()));
  c.reply.ok();
}

void commands::picklock_restore(Context& c) {
  auto& ec = engine_context(c);
  const auto& snapshots = ec.engine.control->snapshots;
  const auto found = snapshots.find(c.args[2]);
  if (found == snapshots.end())
    return c.reply.error("ERR there is no snapshot '" + std::string{c.args[2].substr(0, 64)} +
                         "': take one with PICKLOCK SNAPSHOT <name>");
  if (ec.engine.script) return c.reply.error("ERR a script is running: end it before");
  const auto state = found->second;
  return_to(ec.engine, *state, &ec.session);
  c.reply.ok();
}

void commands::picklock_reset(Context& c) {
  auto& ec = engine_context(c);
  if (ec.engine.script) return c.reply.error("ERR a script is running: end it before");
  start_over(ec.engine, &ec.session);
  c.reply.ok();
}

void commands::picklock_load(Context& c) {
  Engine& engine = engine_context(c).engine;
  const bool has_data = is_word(c.args[2], "data");
  if (c.args.size() != (has_data ? 4 : 3))
    return c.reply.error("ERR PICKLOCK LOAD takes <path>, or DATA <commands or bytes of a .rdb>");
  std::string bytes;
  const std::string path{has_data ? c.args[3] : c.args[2]};
  if (has_data) {
    bytes = path;
  } else {
    ControlHost* const host = engine.control->host;
    if (!host)
      return c.reply.error(
          "ERR only a server reads files: give the text with PICKLOCK LOAD DATA <text>");
    std::string why;
    auto read = host->read_file(path, why);
    if (!read) return c.reply.error("ERR cannot read " + path + ": " + why);
    bytes = *std::move(read);
  }
  const LoadResult result = load_any(engine, bytes);
  if (result.error)
    return c.reply.error("ERR cannot load " + (has_data ? "the data" : path) + ": " +
                         *result.error);
  c.reply.integer(static_cast<std::int64_t>(result.count));
}

}  // namespace picklock
