// PICKLOCK FAULT and PICKLOCK TRACE.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/commands/picklock_steps.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kMostLines = 1'000'000;

void add_fault(Context& c) {
  Engine& engine = engine_context(c).engine;
  auto parsed = parse_fault(c.args.subspan(3), *engine.profile);
  if (const auto* why = std::get_if<std::string>(&parsed)) return c.reply.error("ERR " + *why);
  engine.steered = true;
  c.reply.integer(static_cast<std::int64_t>(
      engine.control->faults.add(std::get<RequestFault>(std::move(parsed)))));
}

void list_faults(Context& c) {
  const auto& faults = engine_context(c).engine.control->faults.all();
  c.reply.array(faults.size());
  for (const FaultState& state : faults) {
    c.reply.map(4);
    c.reply.bulk("id");
    c.reply.integer(static_cast<std::int64_t>(state.id));
    c.reply.bulk("fault");
    c.reply.bulk(to_words(state.fault));
    c.reply.bulk("matched");
    c.reply.integer(static_cast<std::int64_t>(state.matched));
    c.reply.bulk("struck");
    c.reply.integer(static_cast<std::int64_t>(state.struck));
  }
}

void clear_faults(Context& c) {
  Faults& faults = engine_context(c).engine.control->faults;
  if (c.args.size() == 3) return faults.clear(), c.reply.ok();
  const auto id = parse_int64(c.args[3]);
  if (!id || *id < 1 || !faults.remove(static_cast<std::uint64_t>(*id)))
    return c.reply.error("ERR there is no fault '" + std::string{c.args[3].substr(0, 32)} +
                         "': PICKLOCK FAULT LIST shows their ids");
  c.reply.ok();
}

}  // namespace

void commands::picklock_fault(Context& c) {
  const std::string_view what = c.args[2];
  if (is_word(what, "add") && c.args.size() >= 4) return add_fault(c);
  if (is_word(what, "list") && c.args.size() == 3) return list_faults(c);
  if (is_word(what, "clear") && c.args.size() <= 4) return clear_faults(c);
  c.reply.error(
      "ERR PICKLOCK FAULT wants ADD <fault> [<condition> ...], LIST or CLEAR [<id>]; see PICKLOCK "
      "HELP");
}

void commands::picklock_trace(Context& c) {
  Engine& engine = engine_context(c).engine;
  Trace& trace = engine.control->trace;
  if (c.args.size() > 4)
    return c.reply.error("ERR PICKLOCK TRACE takes [<lines>], or KEEP <lines>");
  const bool keeps = c.args.size() > 2 && is_word(c.args[2], "keep");
  if (c.args.size() == 4 && !keeps)
    return c.reply.error("ERR PICKLOCK TRACE takes [<lines>], or KEEP <lines>");
  std::int64_t lines = static_cast<std::int64_t>(trace.size());
  if (c.args.size() > 2) {
    const auto number = parse_int64(c.args.back());
    if (!number || *number < 0 || *number > kMostLines)
      return c.reply.error("ERR PICKLOCK TRACE takes a number of lines from 0 to " +
                           to_text(kMostLines));
    if (keeps) {
      keep_trace(engine, static_cast<std::size_t>(*number));
      return c.reply.ok();
    }
    lines = std::min(lines, *number);
  }
  if (!trace.is_on())
    return c.reply.error("ERR the trace is off: PICKLOCK TRACE KEEP <lines> turns it on");
  c.reply.array(static_cast<std::size_t>(lines));
  for (const TraceLine& line : trace.last(static_cast<std::size_t>(lines)))
    c.reply.bulk(to_text(line));
}

}  // namespace picklock
