// REPLICAOF, ROLE, FAILOVER, SYNC, PSYNC, REPLCONF.
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/replica_feed.hpp"
#include "emulator/resp/inline_words.hpp"

namespace picklock {
namespace {

void replicaof(Context& c) {
  Engine& engine = engine_context(c).engine;
  if (engine.cluster.enabled) return c.reply.error(errors::kReplicaofInCluster);
  if (is_word(c.args[1], "no") && is_word(c.args[2], "one")) {
    engine.promote();
    return c.reply.ok();
  }
  const auto port = parse_int64(c.args[2]);
  if (!port || *port < 0 || *port > 65535) return c.reply.error(errors::kInvalidMasterPort);
  const Replication::Primary primary{std::string{c.args[1]}, static_cast<int>(*port)};
  if (engine.replication.primary == primary)
    return c.reply.status("OK Already connected to specified master");
  engine.follow(primary, /*over_network=*/true);
  c.reply.ok();
}

std::string_view link_word(Replication::Link link) {
  switch (link) {
    case Replication::Link::connect:
      return "connect";
    case Replication::Link::connecting:
      return "connecting";
    case Replication::Link::handshake:
      return "handshake";
    case Replication::Link::sync:
      return "sync";
    case Replication::Link::connected:
      break;
  }
  return "connected";
}

void role(Context& c) {
  const Replication& replication = engine_context(c).engine.replication;
  if (const auto& primary = replication.primary) {
    c.reply.array(5);
    c.reply.bulk("slave");
    c.reply.bulk(primary->host);
    c.reply.integer(primary->port);
    c.reply.bulk(link_word(replication.link));
    const bool connected = replication.link == Replication::Link::connected;
    return c.reply.integer(connected ? replication.offset : -1);
  }
  c.reply.array(3);
  c.reply.bulk("master");
  c.reply.integer(replication.offset);
  c.reply.array(replication.replicas.size());
  for (const Replication::Replica& replica : replication.replicas) {
    c.reply.array(3);
    c.reply.bulk(replica.host);
    c.reply.bulk(to_text(replica.port));
    c.reply.bulk(to_text(replica.acknowledged));
  }
}

/// Reads FAILOVER's options; false if it has answered an error.
bool read_failover(Context& c) {
  bool has_timeout = false;
  bool has_host = false;
  bool forced = false;
  for (std::size_t i = 1; i < c.args.size(); ++i) {
    const std::size_t left = c.args.size() - i - 1;
    if (is_word(c.args[i], "timeout") && left >= 1 && !has_timeout) {
      const auto timeout = parse_int64(c.args[++i]);
      if (!timeout) return c.reply.error(errors::kNotInteger), false;
      if (*timeout <= 0) return c.reply.error(errors::kFailoverTimeout), false;
      has_timeout = true;
    } else if (is_word(c.args[i], "to") && left >= 2 && !has_host) {
      if (!parse_int64(c.args[i + 2])) return c.reply.error(errors::kNotInteger), false;
      has_host = true;
      i += 2;
    } else if (is_word(c.args[i], "force") && !forced) {
      forced = true;
    } else {
      return c.reply.error(errors::kSyntax), false;
    }
  }
  return true;
}

void failover(Context& c) {
  const Engine& engine = engine_context(c).engine;
  if (engine.cluster.enabled) return c.reply.error(errors::kFailoverInCluster);
  if (c.args.size() == 2 && is_word(c.args[1], "abort")) return c.reply.error(errors::kNoFailover);
  if (!read_failover(c)) return;
  c.reply.error(engine.replication.primary ? errors::kFailoverOnReplica
                                           : errors::kFailoverWithoutReplicas);
}

/// PSYNC ... FAILOVER, which a primary that steps down sends to its successor. False if it has
/// answered an error.
bool take_office(EngineContext& c) {
  Engine& engine = c.engine;
  if (!engine.replication.primary) return c.reply.error(errors::kPsyncFailoverOnMaster), false;
  if (!is_word(c.args[1], engine.replication.ids->first))
    return c.reply.error(errors::kPsyncFailoverReplid), false;
  engine.promote();
  return true;
}

// Redis: syncCommand. Where a client has no bytes, or there is no server around the engine, it is
// as if no process could be made that would send the data.
void sync(Context& c) {
  auto& ec = engine_context(c);
  Engine& engine = ec.engine;
  Session& session = ec.session;
  const bool partial = c.command->name == "psync";
  if (session.is_replica || session.monitors) return;
  if (partial && c.args.size() > 3 && is_word(c.args[3], "failover") && !take_office(ec)) return;
  if (engine.replication.primary && engine.replication.link != Replication::Link::connected)
    return c.reply.error(errors::kNoMasterLink);
  const bool can = engine.control->host != nullptr && ReplicaFeed::takes(session);
  if (can && !session.events->byte_output()->empty())
    return c.reply.error(errors::kSyncWithPendingOutput);
  if (session.traits.is_filtered && !session.traits.reads_to_mark)
    return c.reply.error(errors::kFilteredWithoutEof);
  const auto offset = partial ? parse_int64(c.args[2]) : 0;
  if (!offset) return c.reply.error(errors::kNotInteger);
  if (!can) return c.reply.error(errors::kNoBackgroundSave);
  ReplicaFeed& feed = engine.network_feed();
  if (partial && feed.resume(session, c.args[1], *offset)) return;
  if (partial && !c.args[1].starts_with('?')) ++engine.stats.refused_partial_syncs;
  feed.synchronise(session, /*old_style=*/!partial);
}

constexpr std::size_t kHostBytes = 256;

/// The error for one of REPLCONF's options, empty if it is fine.
std::string option_error(std::string_view option, std::string_view value) {
  if (is_word(option, "listening-port"))
    return parse_int64(value) ? "" : std::string{errors::kNotInteger};
  if (is_word(option, "ip-address"))
    return value.size() < kHostBytes ? "" : errors::ip_address_too_long(value.size());
  if (is_word(option, "capa")) return {};
  if (is_word(option, "rdb-only")) {
    const auto number = parse_int64(value);
    if (!number) return std::string{errors::kNotInteger};
    return *number == 0 || *number == 1 ? "" : std::string{errors::kReplconfRdbOnly};
  }
  if (!is_word(option, "rdb-filter-only"))
    return "ERR Unrecognized REPLCONF option: " + errors::printed(option);
  std::string text;
  std::vector<std::size_t> ends;
  if (!split_inline_words(value, text, ends)) return std::string{errors::kReplconfFilter};
  std::size_t from = 0;
  for (const std::size_t end : ends) {
    const std::string_view word = std::string_view{text}.substr(from, end - from);
    from = end;
    if (!is_word(word, "functions"))
      return "ERR Unsupported rdb-filter-only option: " + std::string{word};
  }
  return {};
}

/// Remembers an option that is fine.
void take_option(ReplicaTraits& traits, std::string_view option, std::string_view value) {
  if (is_word(option, "listening-port")) traits.port = static_cast<int>(*parse_int64(value));
  if (is_word(option, "ip-address")) traits.host = value;
  if (is_word(option, "capa") && is_word(value, "eof")) traits.reads_to_mark = true;
  if (is_word(option, "capa") && is_word(value, "psync2")) traits.follows_ids = true;
  if (is_word(option, "rdb-only")) traits.wants_data_only = value == "1";
  if (!is_word(option, "rdb-filter-only")) return;
  traits.is_filtered = true;
  traits.wants_functions = !value.empty();
}

void replconf(Context& c) {
  auto& ec = engine_context(c);
  if (c.args.size() % 2 == 0) return c.reply.error(errors::kSyntax);
  for (std::size_t i = 1; i < c.args.size(); i += 2) {
    if (is_word(c.args[i], "ack")) {  // Never answered.
      const auto offset = parse_int64(c.args[i + 1]);
      if (offset && ec.session.is_replica) ec.engine.feed->acknowledge(ec.session, *offset);
      return;
    }
    if (is_word(c.args[i], "getack")) return;  // Its answer goes the other way: PrimaryLink.
    if (const auto error = option_error(c.args[i], c.args[i + 1]); !error.empty())
      return c.reply.error(error);
    take_option(ec.session.traits, c.args[i], c.args[i + 1]);
  }
  c.reply.ok();
}

constexpr std::uint32_t kTurn = kAdmin | kNoScript | kStale | kNoAsyncLoading;
constexpr std::uint32_t kSync = kAdmin | kNoScript | kNoAsyncLoading | kNoMulti;

constexpr Command kReplicationCommands[] = {
    {"replicaof", 3, kTurn, 0, {}, "server", "5.0.0", replicaof},
    {"slaveof", 3, kTurn, 0, {}, "server", "1.0.0", replicaof},
    {"role",
     1,
     kNoScript | kLoading | kStale | kFast,
     kAclAdmin | kAclDangerous,
     {},
     "server",
     "2.8.12",
     role},
    {"failover", -1, kAdmin | kNoScript | kStale, 0, {}, "server", "6.2.0", failover},
    {"psync", -3, kSync, 0, {}, "server", "2.8.0", sync},
    {"sync", 1, kSync, 0, {}, "server", "1.0.0", sync},
    {"replconf",
     -1,
     kAdmin | kNoScript | kLoading | kStale | kAllowBusy,
     0,
     {},
     "server",
     "3.0.0",
     replconf},
};

}  // namespace

std::span<const Command> commands::replication() { return kReplicationCommands; }

}  // namespace picklock
