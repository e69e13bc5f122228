// What a sentinel has instead of a server's commands: SENTINEL, and its own ROLE, INFO and PUBLISH.
#include "emulator/base/glob.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/commands/sentinel_steps.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/info.hpp"

namespace picklock {

Sentinel* commands::sentinel_of(Context& c) { return engine_context(c).engine.control->sentinel; }

Sentinel::Master* commands::find_master(Context& c, std::string_view name) {
  Sentinel* const sentinel = sentinel_of(c);
  Sentinel::Master* const master = sentinel ? sentinel->find(name) : nullptr;
  if (!master) c.reply.error("ERR No such master with that name");
  return master;
}

namespace {

constexpr std::string_view kHello = "__sentinel__:hello";

void sentinel_role(Context& c) {
  c.reply.array(2);
  c.reply.bulk("sentinel");
  Sentinel* const sentinel = commands::sentinel_of(c);
  c.reply.array(sentinel ? sentinel->masters().size() : 0);
  if (!sentinel) return;
  for (const auto& [name, master] : sentinel->masters()) c.reply.bulk(name);
}

void sentinel_info(Context& c) {
  c.reply.bulk(info_text(engine_context(c).engine, c.args.subspan(1)));
}

void sentinel_publish(Context& c) {
  if (c.args[1] != kHello)
    return c.reply.error("ERR Only HELLO messages are accepted by Sentinel instances.");
  c.reply.integer(1);
}

void sentinel_myid(Context& c) { c.reply.bulk(engine_context(c).engine.cluster.self.id); }

// Redis begins it at once, too; what follows takes it seconds.
void sentinel_failover(Context& c) {
  Sentinel::Master* const master = commands::find_master(c, c.args[2]);
  if (!master) return;
  if (master->fails_over) return c.reply.error("INPROG Failover already in progress");
  Sentinel& sentinel = *commands::sentinel_of(c);
  if (!sentinel.has_candidate(*master))
    return c.reply.error("NOGOODSLAVE No suitable replica to promote");
  sentinel.begin_failover(*master, /*forced=*/true);
  c.reply.ok();
}

void sentinel_reset(Context& c) {
  std::int64_t count = 0;
  if (Sentinel* const sentinel = commands::sentinel_of(c))
    for (auto& [name, master] : sentinel->masters()) {
      if (!glob_match(c.args[2], name)) continue;
      sentinel->reset(master);
      ++count;
    }
  c.reply.integer(count);
}

void sentinel_remove(Context& c) {
  Sentinel::Master* const master = commands::find_master(c, c.args[2]);
  if (!master) return;
  commands::sentinel_of(c)->remove(std::string{master->name});
  c.reply.ok();
}

void sentinel_pending_scripts(Context& c) { c.reply.array(0); }
void sentinel_flushconfig(Context& c) { c.reply.ok(); }

void sentinel_simulate_failure(Context& c) {
  constexpr std::string_view kModes[] = {"crash-after-election", "crash-after-promotion"};
  for (const std::string_view word : c.args.subspan(2)) {
    if (is_word(word, "help")) {
      c.reply.array(std::size(kModes));
      for (const std::string_view mode : kModes) c.reply.bulk(mode);
      return;
    }
    if (!is_word(word, kModes[0]) && !is_word(word, kModes[1]))
      return c.reply.error("ERR Unknown failure simulation specified");
  }
  c.reply.error("ERR this sentinel's failovers have no middle: stop it with SHUTDOWN");
}

void sentinel_help(Context& c) { write_help(c, help::sentinel()); }

constexpr std::string_view kShared[] = {"acl",      "auth",      "client",     "command",
                                        "hello",    "ping",      "psubscribe", "punsubscribe",
                                        "shutdown", "subscribe", "unsubscribe"};

constexpr Command kSentinelSubcommands[] = {
    {"sentinel|ckquorum", 3, kAdmin, 0, {}, "sentinel", "2.8.4", commands::sentinel_ckquorum},
    {"sentinel|config", -3, kAdmin, 0, {}, "sentinel", "6.2.0", commands::sentinel_config},
    {"sentinel|debug", -2, kAdmin, 0, {}, "sentinel", "7.0.0", commands::sentinel_debug},
    {"sentinel|failover", 3, kAdmin, 0, {}, "sentinel", "2.8.4", sentinel_failover},
    {"sentinel|flushconfig", 2, kAdmin, 0, {}, "sentinel", "2.8.4", sentinel_flushconfig},
    {"sentinel|get-master-addr-by-name",
     3,
     kAdmin,
     0,
     {},
     "sentinel",
     "2.8.4",
     commands::sentinel_address},
    {"sentinel|help", 2, kLoading | kStale, 0, {}, "sentinel", "6.2.0", sentinel_help},
    {"sentinel|info-cache", -3, kAdmin, 0, {}, "sentinel", "3.2.0", commands::sentinel_info_cache},
    {"sentinel|is-master-down-by-addr",
     6,
     kAdmin,
     0,
     {},
     "sentinel",
     "2.8.4",
     commands::sentinel_is_down},
    {"sentinel|master", 3, kAdmin, 0, {}, "sentinel", "2.8.4", commands::sentinel_master},
    {"sentinel|masters", 2, kAdmin, 0, {}, "sentinel", "2.8.4", commands::sentinel_masters},
    {"sentinel|monitor", 6, kAdmin, 0, {}, "sentinel", "2.8.4", commands::sentinel_monitor},
    {"sentinel|myid", 2, kAdmin, 0, {}, "sentinel", "6.2.0", sentinel_myid},
    {"sentinel|pending-scripts", 2, kAdmin, 0, {}, "sentinel", "2.8.4", sentinel_pending_scripts},
    {"sentinel|remove", 3, kAdmin, 0, {}, "sentinel", "2.8.4", sentinel_remove},
    {"sentinel|replicas", 3, kAdmin, 0, {}, "sentinel", "5.0.0", commands::sentinel_replicas},
    {"sentinel|reset", 3, kAdmin, 0, {}, "sentinel", "2.8.4", sentinel_reset},
    {"sentinel|sentinels", 3, kAdmin, 0, {}, "sentinel", "2.8.4", commands::sentinel_sentinels},
    {"sentinel|set", -5, kAdmin, 0, {}, "sentinel", "2.8.4", commands::sentinel_set},
    {"sentinel|simulate-failure",
     -3,
     kAdmin,
     0,
     {},
     "sentinel",
     "3.2.0",
     sentinel_simulate_failure},
    {"sentinel|slaves", 3, kAdmin, 0, {}, "sentinel", "2.8.0", commands::sentinel_replicas},
};

constexpr Command kSentinelCommands[] = {
    {"info",
     -1,
     kLoading | kStale,
     kAclDangerous,
     {},
     "server",
     "1.0.0",
     sentinel_info,
     {},
     "nondeterministic_output request_policy:all_shards response_policy:special"},
    {"publish", 3, kPubsub | kLoading | kStale | kFast, 0, {}, "pubsub", "2.0.0", sentinel_publish},
    {"role",
     1,
     kNoScript | kLoading | kStale | kFast,
     kAclAdmin | kAclDangerous,
     {},
     "server",
     "2.8.12",
     sentinel_role},
    {"sentinel", -2, kAdmin, 0, {}, "sentinel", "2.8.4", nullptr, kSentinelSubcommands},
};

}  // namespace

std::span<const Command> commands::sentinel() { return kSentinelCommands; }
std::span<const std::string_view> commands::shared_with_sentinel() { return kShared; }

}  // namespace picklock
