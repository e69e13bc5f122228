// CLIENT: what a session is called, and who else is there.
#include <utility>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/client_info.hpp"
#include "emulator/engine/client_kill.hpp"
#include "emulator/engine/client_newer.hpp"
#include "emulator/engine/client_pause.hpp"
#include "emulator/engine/client_tracking.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"

namespace picklock {
namespace {

void client_id(Context& c) {
  c.reply.integer(static_cast<std::int64_t>(engine_context(c).session.id));
}

void client_getname(Context& c) {
  const std::string& name = engine_context(c).session.identity->name;
  if (name.empty())
    c.reply.null();
  else
    c.reply.bulk(name);
}

void client_setname(Context& c) {
  if (!is_client_name(c.args[2])) return c.reply.error(errors::kClientName);
  engine_context(c).session.identity.edit().name = c.args[2];
  c.reply.ok();
}

/// Only remembered: no client is ever evicted here.
void client_no_evict(Context& c) {
  const bool on = is_word(c.args[2], "on");
  if (!on && !is_word(c.args[2], "off")) return c.reply.error(errors::kSyntax);
  engine_context(c).session.no_evict = on;
  c.reply.ok();
}

void client_help(Context& c) { write_help(c, help::client()); }

void client_info(Context& c) {
  auto& ec = engine_context(c);
  c.reply.verbatim("txt", client_line(ec.session, c.keyspace, c.clock.now(), *c.profile) + "\n");
}

template <class Chooses>
void list_those(EngineContext& c, Chooses&& chooses) {
  std::string text;
  for (const auto& [id, session] : c.engine.sessions())
    if (chooses(*session))
      text += client_line(*session, c.keyspace, c.clock.now(), *c.profile) + "\n";
  c.reply.verbatim("txt", text);
}

void list_type(EngineContext& c, std::string_view type) {
  using Named = std::pair<std::string_view, ClientClass>;
  for (const auto& [name, which] : {Named{"normal", ClientClass::normal},
                                    {"pubsub", ClientClass::pubsub},
                                    {"slave", ClientClass::replica},
                                    {"replica", ClientClass::replica}})
    if (is_word(type, name))
      return list_those(c, [&](const Session& s) { return s.output_class() == which; });
  if (is_word(type, "master")) return c.reply.verbatim("txt", "");
  c.reply.error(errors::unknown_client_type(type));
}

void list_ids(EngineContext& c, Args ids) {
  std::string text;
  for (const std::string_view word : ids) {
    const auto id = parse_int64(word);
    if (!id) return c.reply.error(errors::kInvalidClientId);
    const auto found = c.engine.sessions().find(static_cast<std::uint64_t>(*id));
    if (found != c.engine.sessions().end())
      text += client_line(*found->second, c.keyspace, c.clock.now(), *c.profile) + "\n";
  }
  c.reply.verbatim("txt", text);
}

void client_list(Context& c) {
  auto& ec = engine_context(c);
  if (c.args.size() == 2) return list_those(ec, [](const Session&) { return true; });
  if (is_word(c.args[2], "type") && c.args.size() == 4) return list_type(ec, c.args[3]);
  if (is_word(c.args[2], "id") && c.args.size() > 3) return list_ids(ec, c.args.subspan(3));
  c.reply.error(errors::kSyntax);
}

void client_unblock(Context& c) {
  auto& ec = engine_context(c);
  if (c.args.size() > 4) return c.reply.error(errors::wrong_subcommand(c.args[1], "CLIENT"));
  bool with_error = false;
  if (c.args.size() == 4) {
    with_error = is_word(c.args[3], "error");
    if (!with_error && !is_word(c.args[3], "timeout")) return c.reply.error(errors::kUnblockReason);
  }
  const auto id = parse_int64(c.args[2]);
  if (!id) return c.reply.error(errors::kNotInteger);
  const auto found = ec.engine.sessions().find(static_cast<std::uint64_t>(*id));
  // A client that waits for the end of a pause, on which Redis 7.0.15 crashes here, goes on
  // waiting.
  if (found == ec.engine.sessions().end() || !found->second->is_blocked() ||
      found->second->blocked->postponed || found->second->blocked->hold != Blocked::Hold::command)
    return c.reply.integer(0);
  Session& target = *found->second;
  if (with_error)
    ec.engine.interrupt(target, [](ReplyWriter& reply) { reply.error(errors::kUnblocked); });
  else
    ec.engine.interrupt(target);
  c.reply.integer(1);
}

constexpr Command kClientSubcommands[] = {
    {"client|pause",
     -3,
     kAdmin | kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "2.9.50",
     client_pause},
    {"client|unpause",
     2,
     kAdmin | kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "6.2.0",
     client_unpause},
    {"client|reply",
     3,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "3.2.0",
     client_reply},
    {"client|tracking",
     -3,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "6.0.0",
     client_tracking},
    {"client|caching",
     3,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "6.0.0",
     client_caching},
    {"client|unblock",
     -3,
     kAdmin | kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "5.0.0",
     client_unblock},
    {"client|getname",
     2,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "2.6.9",
     client_getname},
    {"client|kill",
     -3,
     kAdmin | kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "2.4.0",
     client_kill},
    {"client|no-evict",
     3,
     kAdmin | kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "7.0.0",
     client_no_evict},
    {"client|no-touch",
     3,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "7.2.0",
     client_no_touch,
     {},
     {},
     kNewer},
    {"client|setinfo",
     4,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "7.2.0",
     client_setinfo,
     {},
     "request_policy:all_nodes response_policy:all_succeeded",
     kNewer},
    {"client|getredir",
     2,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "6.0.0",
     client_getredir},
    {"client|trackinginfo",
     2,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "6.2.0",
     client_trackinginfo},
    {"client|help", 2, kLoading | kStale, kAclConnection, {}, "connection", "5.0.0", client_help},
    {"client|list",
     -2,
     kAdmin | kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "2.4.0",
     client_list,
     {},
     "nondeterministic_output"},
    {"client|setname",
     3,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "2.6.9",
     client_setname},
    {"client|id",
     2,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "5.0.0",
     client_id},
    {"client|info",
     2,
     kNoScript | kLoading | kStale,
     kAclConnection,
     {},
     "connection",
     "6.2.0",
     client_info,
     {},
     "nondeterministic_output"},
};

constexpr Command kClientCommands[] = {
    {"client", -2, 0, 0, {}, "connection", "2.4.0", nullptr, kClientSubcommands},
};

}  // namespace

std::span<const Command> commands::client() { return kClientCommands; }

}  // namespace picklock
