// PICKLOCK NODE: several servers in one process, their streams, clocks, crashes and failovers.
#include <algorithm>
#include <utility>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/commands/picklock_steps.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/control/node_order.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/time_travel.hpp"

namespace picklock {
namespace {

using OrderKind = NodeOrder::Kind;

constexpr std::int64_t kMostUnits = 1'000'000'000;
constexpr std::int64_t kSlowestPpm = -900'000;
constexpr std::int64_t kFastestPpm = 1'000'000;

/// Reads the words behind a subcommand's name and the server's; false if it has answered an error.
using Reader = bool (*)(Context& c, Args words, NodeOrder& order);

bool refuse_usage(Context& c, std::string_view usage) {
  c.reply.error("ERR PICKLOCK NODE takes " + std::string{usage});
  return false;
}

bool read_nothing(Context&, Args, NodeOrder&) { return true; }

bool read_port(Context& c, std::string_view word, NodeOrder& order) {
  const auto port = parse_int64(word);
  if (!port || *port < 0 || *port > 65'535) {
    c.reply.error("ERR PICKLOCK NODE ADD PORT takes a port from 1 to 65535, or 0 for a free one");
    return false;
  }
  order.port = static_cast<std::uint16_t>(*port);
  return true;
}

bool read_add(Context& c, Args words, NodeOrder& order) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const bool has_value = i + 1 < words.size();
    if (has_value && is_word(words[i], "port")) {
      if (!read_port(c, words[i + 1], order)) return false;
    } else if (has_value && is_word(words[i], "replicaof")) {
      if (!commands::is_picklock_name(c, words[i + 1])) return false;
      order.other = words[i + 1];
    } else {
      return refuse_usage(c, "ADD <name> [PORT <port>] [REPLICAOF <other>]");
    }
  }
  return true;
}

bool read_units(Context& c, std::string_view what, std::string_view word, NodeOrder& order) {
  if (is_word(word, "all")) return order.count = NodeOrder::kAll, true;
  const auto count = parse_int64(word);
  if (!count || *count < 0 || *count > kMostUnits) {
    c.reply.error("ERR PICKLOCK NODE " + std::string{what} + " takes a number from 0 to " +
                  to_text(kMostUnits) + ", or ALL" + (what == "LAG" ? ", or OFF" : ""));
    return false;
  }
  order.count = static_cast<std::size_t>(*count);
  return true;
}

bool read_lag(Context& c, Args words, NodeOrder& order) {
  if (is_word(words[0], "off")) return true;
  return read_units(c, "LAG", words[0], order);
}

bool read_apply(Context& c, Args words, NodeOrder& order) {
  order.count = NodeOrder::kAll;
  return words.empty() || read_units(c, "APPLY", words[0], order);
}

bool read_connect(Context& c, Args words, NodeOrder& order) {
  if (words.empty()) return true;
  if (words.size() != 2 || !is_word(words[0], "to"))
    return refuse_usage(c, "CONNECT <name> [TO <other>]");
  if (!commands::is_picklock_name(c, words[1])) return false;
  order.other = words[1];
  return true;
}

bool read_kept(Context& c, Args words, NodeOrder& order) {
  if (words.empty()) return true;
  constexpr std::pair<std::string_view, Restart> kWords[] = {{"all", Restart::keeps_all},
                                                             {"synced", Restart::keeps_synced},
                                                             {"nothing", Restart::loses_all}};
  if (words.size() == 2 && is_word(words[0], "keep"))
    for (const auto& [word, kept] : kWords)
      if (is_word(words[1], word)) return order.kept = kept, true;
  return refuse_usage(c, "START or RESTART <name> [KEEP ALL|SYNCED|NOTHING]");
}

bool read_number(Context& c, std::string_view what, std::string_view word, std::int64_t least,
                 std::int64_t most, NodeOrder& order) {
  const auto number = parse_int64(word);
  if (!number || *number < least || *number > most) {
    c.reply.error("ERR PICKLOCK NODE CLOCK " + std::string{what} + " from " + to_text(least) +
                  " to " + to_text(most));
    return false;
  }
  order.number = *number;
  return true;
}

bool read_clock(Context& c, Args words, NodeOrder& order) {
  if (words.size() == 1 && is_word(words[0], "freeze"))
    return order.kind = OrderKind::clock_freeze, true;
  if (words.size() == 1 && is_word(words[0], "thaw"))
    return order.kind = OrderKind::clock_thaw, true;
  if (words.size() == 2 && is_word(words[0], "drift")) {
    order.kind = OrderKind::clock_drift;
    return read_number(c, "DRIFT takes parts in a million", words[1], kSlowestPpm, kFastestPpm,
                       order);
  }
  if (words.size() == 2 && is_word(words[0], "step")) {
    order.kind = OrderKind::clock_step;
    return read_number(c, "STEP takes milliseconds", words[1], -kMaxAdvance.count(),
                       kMaxAdvance.count(), order);
  }
  return refuse_usage(c, "CLOCK <name> DRIFT <ppm>|STEP <ms>|FREEZE|THAW");
}

struct NodeCommand {
  std::string_view word;
  std::string_view usage;
  std::size_t least;  ///< Words behind it, the server's name among them.
  std::size_t most;
  OrderKind kind;
  Reader read;
};

constexpr NodeCommand kNodeCommands[] = {
    {"add", "ADD <name> [PORT <port>] [REPLICAOF <other>]", 1, 5, OrderKind::add, read_add},
    {"apply", "APPLY <name> [<count>|ALL]", 1, 2, OrderKind::apply, read_apply},
    {"clock", "CLOCK <name> DRIFT <ppm>|STEP <ms>|FREEZE|THAW", 2, 3, OrderKind::clock_thaw,
     read_clock},
    {"connect", "CONNECT <name> [TO <other>]", 1, 3, OrderKind::connect, read_connect},
    {"cut", "CUT <name>", 1, 1, OrderKind::cut, read_nothing},
    {"lag", "LAG <name> <count>|ALL|OFF", 2, 2, OrderKind::lag, read_lag},
    {"list", "LIST", 0, 0, OrderKind::list, read_nothing},
    {"pending", "PENDING <name>", 1, 1, OrderKind::pending, read_nothing},
    {"promote", "PROMOTE <name>", 1, 1, OrderKind::promote, read_nothing},
    {"restart", "RESTART <name> [KEEP ALL|SYNCED|NOTHING]", 1, 3, OrderKind::restart, read_kept},
    {"start", "START <name> [KEEP ALL|SYNCED|NOTHING]", 1, 3, OrderKind::start, read_kept},
    {"stop", "STOP <name>", 1, 1, OrderKind::stop, read_nothing},
};

}  // namespace

void commands::picklock_node(Context& c) {
  const auto found = std::ranges::find_if(
      kNodeCommands, [&](const auto& each) { return is_word(c.args[2], each.word); });
  if (found == std::end(kNodeCommands)) {
    refuse_usage(c,
                 "ADD, APPLY, CLOCK, CONNECT, CUT, LAG, LIST, PENDING, PROMOTE, RESTART, START or "
                 "STOP; see PICKLOCK HELP");
    return;
  }
  const Args words = c.args.subspan(3);
  if (words.size() < found->least || words.size() > found->most) {
    refuse_usage(c, found->usage);
    return;
  }
  NodeOrder order{.kind = found->kind};
  if (!words.empty()) {
    if (!is_picklock_name(c, words[0])) return;
    order.name = words[0];
    if (!found->read(c, words.subspan(1), order)) return;
  }
  auto& ec = engine_context(c);
  ControlHost* const host = ec.engine.control->host;
  if (!host)
    return c.reply.error("ERR there is no server here: make Emulators and Replicas in the program");
  // It waits until its own request has ended, since that may be what its server ends in the midst
  // of.
  ec.session.steers = true;
  ec.engine.block(ec, std::nullopt, nullptr);
  ec.session.blocked->hold = Blocked::Hold::barrier;
  host->carry_out(ec.session.id, std::move(order));
}

}  // namespace picklock
