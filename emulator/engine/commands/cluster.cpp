// The rows of CLUSTER, READONLY, READWRITE and ASKING.
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/cluster_steps.hpp"
#include "emulator/engine/commands/cluster_views.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/help.hpp"

namespace picklock {
namespace {

/// A handler for servers in cluster mode; all others refuse.
template <Handler handler>
void in_cluster(Context& c) {
  if (!engine_context(c).engine.cluster.enabled) return c.reply.error(errors::kClusterDisabled);
  handler(c);
}

void answer_ok(Context& c) { c.reply.ok(); }

template <bool on>
void read_replicas(Context& c) {
  engine_context(c).session.reads_replicas = on;
  c.reply.ok();
}

void ask(Context& c) {
  engine_context(c).session.asks = true;
  c.reply.ok();
}

void myid(Context& c) { c.reply.bulk(cluster_of(c).self.id); }
void links(Context& c) { write_cluster_links(c); }
void cluster_info(Context& c) { write_cluster_info(c); }
void nodes(Context& c) { write_cluster_nodes(c); }
void slots(Context& c) { write_cluster_slots(c); }
void shards(Context& c) { write_cluster_shards(c); }
void help_lines(Context& c) { write_help(c, help::cluster()); }

constexpr std::uint32_t kLook = kStale;
constexpr std::uint32_t kAsk = kAdmin | kStale;
constexpr std::uint32_t kChange = kAdmin | kStale | kNoAsyncLoading;
constexpr std::string_view kVaries = "nondeterministic_output";

constexpr Command row(std::string_view name, int arity, std::uint32_t flags, Handler handler,
                      std::string_view since = "3.0.0", std::string_view tips = {}) {
  return {name, arity, flags, 0, {}, "cluster", since, handler, {}, tips};
}

constexpr Command kClusterSubcommands[] = {
    row("cluster|count-failure-reports", 3, kAsk,
        in_cluster<commands::cluster_count_failure_reports>, "3.0.0", kVaries),
    row("cluster|meet", -4, kChange, in_cluster<commands::cluster_meet>),
    row("cluster|help", 2, kLoading | kStale, in_cluster<help_lines>, "5.0.0"),
    row("cluster|shards", 2, kLook, in_cluster<shards>, "7.0.0", kVaries),
    row("cluster|flushslots", 2, kChange, in_cluster<commands::cluster_flushslots>),
    row("cluster|slots", 2, kLook, in_cluster<slots>, "3.0.0", kVaries),
    row("cluster|info", 2, kLook, in_cluster<cluster_info>, "3.0.0", kVaries),
    row("cluster|saveconfig", 2, kChange, in_cluster<answer_ok>),
    row("cluster|failover", -2, kChange, in_cluster<commands::cluster_failover>),
    row("cluster|addslots", -3, kChange, in_cluster<commands::cluster_addslots>),
    row("cluster|reset", -2, kAdmin | kNoScript | kStale, in_cluster<commands::cluster_reset>),
    row("cluster|delslotsrange", -4, kChange, in_cluster<commands::cluster_delslotsrange>, "7.0.0"),
    row("cluster|nodes", 2, kLook, in_cluster<nodes>, "3.0.0", kVaries),
    row("cluster|bumpepoch", 2, kChange, in_cluster<commands::cluster_bumpepoch>, "3.0.0", kVaries),
    row("cluster|setslot", -4, kChange, in_cluster<commands::cluster_setslot>),
    row("cluster|links", 2, kLook, in_cluster<links>, "7.0.0", kVaries),
    row("cluster|replicas", 3, kAsk, in_cluster<commands::cluster_replicas>, "5.0.0", kVaries),
    row("cluster|slaves", 3, kAsk, in_cluster<commands::cluster_replicas>, "3.0.0", kVaries),
    row("cluster|delslots", -3, kChange, in_cluster<commands::cluster_delslots>),
    row("cluster|myid", 2, kLook, in_cluster<myid>),
    row("cluster|forget", 3, kChange, in_cluster<commands::cluster_forget>),
    row("cluster|addslotsrange", -4, kChange, in_cluster<commands::cluster_addslotsrange>, "7.0.0"),
    row("cluster|set-config-epoch", 3, kChange, in_cluster<commands::cluster_set_config_epoch>),
    row("cluster|getkeysinslot", 4, kLook, in_cluster<commands::cluster_getkeysinslot>, "3.0.0",
        kVaries),
    row("cluster|keyslot", 3, kLook, in_cluster<commands::cluster_keyslot>),
    row("cluster|replicate", 3, kChange, in_cluster<commands::cluster_replicate>),
    row("cluster|countkeysinslot", 3, kLook, in_cluster<commands::cluster_countkeysinslot>),
};

constexpr std::uint32_t kForConnection = kLoading | kStale | kFast;

constexpr Command kClusterCommands[] = {
    {"cluster", -2, 0, 0, {}, "cluster", "3.0.0", nullptr, kClusterSubcommands},
    {"readonly",
     1,
     kForConnection,
     kAclConnection,
     {},
     "cluster",
     "3.0.0",
     in_cluster<read_replicas<true>>},
    {"readwrite",
     1,
     kForConnection,
     kAclConnection,
     {},
     "cluster",
     "3.0.0",
     in_cluster<read_replicas<false>>},
    {"asking", 1, kFast, kAclConnection, {}, "cluster", "3.0.0", in_cluster<ask>},
};

}  // namespace

std::span<const Command> commands::cluster() { return kClusterCommands; }

}  // namespace picklock
