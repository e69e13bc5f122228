// SENTINEL MASTERS, REPLICAS and their like: what a sentinel believes of the servers.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/commands/sentinel_steps.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/info.hpp"

namespace picklock {
namespace {

using Facts = std::vector<std::pair<std::string_view, std::string>>;

void write_facts(ReplyWriter& reply, const Facts& facts) {
  reply.map(facts.size());
  for (const auto& [name, value] : facts) {
    reply.bulk(name);
    reply.bulk(value);
  }
}

std::string milliseconds_since(const Context& c, std::optional<Instant> instant) {
  return instant ? to_text(to_unix_ms(c.clock.now()) - to_unix_ms(*instant)) : "0";
}

/// What masters and replicas have in common, in two parts: `flags` of what it is, s_down before it.
Facts common_facts(const Context& c, const Sentinel::Master& master, const Sentinel::Seen& seen,
                   const ServerAddress& address, const Engine* engine, std::string flags,
                   bool is_master) {
  const bool fails_over = is_master && master.fails_over;
  if (is_master && master.objectively_down_since) flags = "o_down," + flags;
  if (seen.down_since) flags = "s_down," + flags;
  if (seen.silent_since) flags += ",disconnected";
  if (fails_over) flags += ",failover_in_progress";
  if (fails_over && master.forced) flags += ",force_failover";
  Facts facts{{"name", is_master ? master.name : to_text(address)},
              {"ip", address.host},
              {"port", to_text(address.port)},
              {"runid", engine ? engine->run_id : ""},
              {"flags", std::move(flags)},
              {"link-pending-commands", "0"},
              {"link-refcount", "1"}};
  if (fails_over) facts.emplace_back("failover-state", "select_slave");
  const std::string silent = milliseconds_since(c, seen.silent_since);
  for (const char* name : {"last-ping-sent", "last-ok-ping-reply", "last-ping-reply"})
    facts.emplace_back(name, silent);
  if (seen.down_since) facts.emplace_back("s-down-time", milliseconds_since(c, seen.down_since));
  if (is_master && master.objectively_down_since)
    facts.emplace_back("o-down-time", milliseconds_since(c, master.objectively_down_since));
  facts.emplace_back("down-after-milliseconds", to_text(master.down_after_ms));
  facts.emplace_back("info-refresh", silent);
  facts.emplace_back("role-reported", seen.is_primary ? "master" : "slave");
  facts.emplace_back("role-reported-time", milliseconds_since(c, seen.role_since));
  return facts;
}

void write_master(Context& c, const Sentinel& sentinel, const Sentinel::Master& master) {
  const auto server = sentinel.world().find(master.address);
  Facts facts = common_facts(c, master, master.seen, master.address,
                             server ? server->engine : nullptr, "master", /*is_master=*/true);
  facts.emplace_back("config-epoch", to_text(master.config_epoch));
  facts.emplace_back("num-slaves", to_text(static_cast<std::int64_t>(master.replicas.size())));
  facts.emplace_back("num-other-sentinels", "0");
  facts.emplace_back("quorum", to_text(master.quorum));
  facts.emplace_back("failover-timeout", to_text(master.failover_timeout_ms));
  facts.emplace_back("parallel-syncs", to_text(master.parallel_syncs));
  write_facts(c.reply, facts);
}

void write_replica(Context& c, const Sentinel::Master& master,
                   const SentinelWorld::Server& server) {
  const auto seen = master.replicas.find(to_text(server.address));
  const Replication& replication = server.engine->replication;
  const bool linked = server.runs && replication.link == Replication::Link::connected;
  // Whole seconds, as INFO has them; it says -1 if there was no link ever.
  const auto down_seconds = [&]() -> std::int64_t {
    if (!replication.primary || linked) return 0;
    if (!replication.down_since) return -1;
    return (to_unix_ms(server.engine->clock.now()) - to_unix_ms(*replication.down_since)) / 1000;
  };
  Facts facts =
      common_facts(c, master, seen == master.replicas.end() ? Sentinel::Seen{} : seen->second,
                   server.address, server.engine, "slave", /*is_master=*/false);
  facts.emplace_back("master-link-down-time", to_text(down_seconds() * 1000));
  facts.emplace_back("master-link-status", linked ? "ok" : "err");
  facts.emplace_back("master-host", replication.primary ? replication.primary->host : "?");
  facts.emplace_back("master-port", to_text(replication.primary ? replication.primary->port : 0));
  facts.emplace_back("slave-priority", to_text(server.engine->config.number("replica-priority")));
  facts.emplace_back("slave-repl-offset", to_text(replication.offset));
  facts.emplace_back("replica-announced",
                     server.engine->config.get("replica-announced") == "yes" ? "1" : "0");
  write_facts(c.reply, facts);
}

/// Those that the sentinel has announced.
std::vector<SentinelWorld::Server> replicas_of(const Sentinel& sentinel,
                                               const Sentinel::Master& master) {
  auto replicas = sentinel.world().replicas_of(master.address);
  std::erase_if(replicas, [&](const auto& server) {
    return !master.replicas.contains(to_text(server.address));
  });
  return replicas;
}

}  // namespace

void commands::sentinel_masters(Context& c) {
  Sentinel* const sentinel = sentinel_of(c);
  c.reply.array(sentinel ? sentinel->masters().size() : 0);
  if (!sentinel) return;
  for (const auto& [name, master] : sentinel->masters()) write_master(c, *sentinel, master);
}

void commands::sentinel_master(Context& c) {
  if (const auto* master = find_master(c, c.args[2])) write_master(c, *sentinel_of(c), *master);
}

void commands::sentinel_replicas(Context& c) {
  const auto* master = find_master(c, c.args[2]);
  if (!master) return;
  const auto replicas = replicas_of(*sentinel_of(c), *master);
  c.reply.array(replicas.size());
  for (const auto& server : replicas) write_replica(c, *master, server);
}

void commands::sentinel_sentinels(Context& c) {
  if (find_master(c, c.args[2])) c.reply.array(0);  // It is alone.
}

void commands::sentinel_address(Context& c) {
  Sentinel* const sentinel = sentinel_of(c);
  const auto* master = sentinel ? sentinel->find(c.args[2]) : nullptr;
  if (!master) return c.reply.null_array();
  c.reply.array(2);
  c.reply.bulk(master->address.host);
  c.reply.bulk(to_text(master->address.port));
}

void commands::sentinel_info_cache(Context& c) {
  Sentinel* const sentinel = sentinel_of(c);
  std::vector<const Sentinel::Master*> masters;
  for (const std::string_view name : c.args.subspan(2))
    if (const auto* master = sentinel ? sentinel->find(name) : nullptr) masters.push_back(master);
  c.reply.array(2 * masters.size());
  for (const auto* master : masters) {
    c.reply.bulk(master->name);
    auto servers = replicas_of(*sentinel, *master);
    if (const auto server = sentinel->world().find(master->address))
      servers.insert(servers.begin(), *server);
    c.reply.array(servers.size());
    for (const auto& server : servers) {
      c.reply.array(2);
      c.reply.integer(0);
      c.reply.bulk(info_text(*server.engine, {}));
    }
  }
}

void commands::sentinel_is_down(Context& c) {
  const auto port = parse_int64(c.args[3]);
  const auto epoch = parse_int64(c.args[4]);
  if (!port || !epoch) return c.reply.error(errors::kNotInteger);
  Sentinel* const sentinel = sentinel_of(c);
  const auto* master =
      sentinel && *port >= 0 && *port <= 65'535
          ? sentinel->find(ServerAddress{std::string{c.args[2]}, static_cast<int>(*port)})
          : nullptr;
  c.reply.array(3);
  c.reply.integer(master && master->seen.down_since ? 1 : 0);
  c.reply.bulk("*");
  c.reply.integer(0);
}

void commands::sentinel_ckquorum(Context& c) {
  const auto* master = find_master(c, c.args[2]);
  if (!master) return;
  if (master->quorum > 1)
    return c.reply.error(
        "NOQUORUM 1 usable Sentinels. Not enough available Sentinels to reach the "
        "specified quorum for this master");
  c.reply.status("OK 1 usable Sentinels. Quorum and failover authorization can be reached");
}

}  // namespace picklock
