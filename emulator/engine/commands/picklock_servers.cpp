// PICKLOCK BLOCKED, NEW and USE: what has to do with other connections and other servers.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/commands/picklock_steps.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMostClients = 1'000'000;
constexpr std::int64_t kMostMs = 3'600'000;

struct Barrier {
  std::int64_t least = 0;
  std::int64_t limit_ms = 5000;
};

std::optional<Barrier> read_barrier(Context& c) {
  Barrier barrier;
  for (std::size_t i = 2; i < c.args.size(); i += 2) {
    const bool is_min = is_word(c.args[i], "min");
    if ((!is_min && !is_word(c.args[i], "timeout")) || i + 1 == c.args.size())
      return c.reply.error("ERR PICKLOCK BLOCKED takes [MIN <clients>] [TIMEOUT <milliseconds>]"),
             std::nullopt;
    const auto number = parse_int64(c.args[i + 1]);
    const std::int64_t most = is_min ? kMostClients : kMostMs;
    if (!number || *number < 0 || *number > most)
      return c.reply.error("ERR PICKLOCK BLOCKED " + std::string{is_min ? "MIN" : "TIMEOUT"} +
                           " takes a whole number from 0 to " + to_text(most)),
             std::nullopt;
    (is_min ? barrier.least : barrier.limit_ms) = *number;
  }
  return barrier;
}

}  // namespace

void commands::picklock_blocked(Context& c) {
  const auto barrier = read_barrier(c);
  if (!barrier) return;
  auto& ec = engine_context(c);
  Control& control = *ec.engine.control;
  const auto blocked = static_cast<std::int64_t>(ec.engine.blocked_count());
  if (blocked >= barrier->least) return c.reply.integer(blocked);
  if (!control.host)
    return c.reply.error("ERR only " + to_text(blocked) + " of " + to_text(barrier->least) +
                         " clients are blocked, and without a server nobody else can come");
  ec.engine.block(ec, std::nullopt, nullptr);
  ec.session.blocked->hold = Blocked::Hold::barrier;
  control.barriers[ec.session.id] = static_cast<std::size_t>(barrier->least);
  control.host->limit_barrier(ec.session.id, std::chrono::milliseconds{barrier->limit_ms});
}

void commands::picklock_new(Context& c) {
  if (!is_picklock_name(c, c.args[2])) return;
  ControlHost* const host = engine_context(c).engine.control->host;
  if (!host)
    return c.reply.error("ERR there is no server here: make another Emulator in the program");
  if (!host->make_server(std::string{c.args[2]}))
    return c.reply.error("ERR there is a server '" + std::string{c.args[2]} +
                         "' already: PICKLOCK USE takes you there");
  c.reply.ok();
}

void commands::picklock_use(Context& c) {
  if (!is_picklock_name(c, c.args[2])) return;
  auto& ec = engine_context(c);
  ControlHost* const host = ec.engine.control->host;
  if (!host)
    return c.reply.error("ERR there is no server here: make another Emulator in the program");
  if (!host->use_server(ec.session.id, std::string{c.args[2]}))
    return c.reply.error("ERR there is no server '" + std::string{c.args[2]} +
                         "': make it with PICKLOCK NEW <name>");
  c.reply.ok();
  // What it has sent behind this is for the other server.
  ec.engine.block(ec, std::nullopt, nullptr);
  ec.session.blocked->hold = Blocked::Hold::barrier;
}

}  // namespace picklock
