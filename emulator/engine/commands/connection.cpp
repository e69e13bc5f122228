// Commands about the connection itself.
#include <limits>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/acl_sessions.hpp"
#include "emulator/engine/client_info.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/publish.hpp"

namespace picklock {
namespace {

void ping(Context& c) {
  if (c.args.size() > 2) return c.reply.error(errors::wrong_arity("ping"));
  if (engine_context(c).session.is_confined()) {
    c.reply.array(2);
    c.reply.bulk("pong");
    return c.reply.bulk(c.args.size() == 2 ? c.args[1] : "");
  }
  if (c.args.size() == 2) return c.reply.bulk(c.args[1]);
  c.reply.status("PONG");
}

void echo(Context& c) { c.reply.bulk(c.args[1]); }

void select(Context& c) {
  const auto index = parse_int64(c.args[1]);
  if (!index) return c.reply.error(errors::kNotInteger);
  if (*index < std::numeric_limits<int>::min() || *index > std::numeric_limits<int>::max())
    return c.reply.error(errors::kNotInt);
  if (c.in_cluster && *index != 0) return c.reply.error(errors::not_in_cluster("SELECT"));
  if (*index < 0 || *index >= c.keyspace.size()) return c.reply.error(errors::kDbIndexOutOfRange);
  c.database = engine_context(c).session.database = static_cast<int>(*index);
  c.reply.ok();
}

void quit(Context& c) {
  c.reply.ok();
  engine_context(c).session.closing = true;
}

void reset_connection(Context& c) {
  auto& ec = engine_context(c);
  discard(c.keyspace, ec.session);
  unsubscribe_all(ec.engine, ec.session);
  stop_tracking(ec.engine, ec.session);
  ec.engine.set_monitoring(ec.session, false);
  ec.session.replies_off = ec.session.skips_next = false;
  ec.session.database = 0;
  ec.session.identity.edit().name.clear();
  ec.session.no_touch = ec.session.reads_replicas = false;
  ec.session.resp_version = 2;
  become_default_user(ec.engine, ec.session);
  ec.session.writer->set_version(2);
  ec.engine.replies_to(ec.session).status("RESET");
}

void auth(Context& c) {
  auto& ec = engine_context(c);
  if (c.args.size() > 3) return c.reply.error(errors::kSyntax);
  ec.redacted = {1};
  if (c.args.size() == 3) ec.redacted.push_back(2);
  if (c.args.size() == 2 && !ec.engine.acl.default_user().needs_password())
    return c.reply.error(errors::kNoPassword);
  const std::string_view user = c.args.size() == 3 ? c.args[1] : Acl::kDefault;
  if (!log_in(ec, user, c.args.back())) return c.reply.error(errors::kWrongPassword);
  c.reply.ok();
}

/// Carries out AUTH and SETNAME in turn, each at once, as Redis does: those before a bad one keep
/// their effect. False once an error was answered.
bool carry_out_hello_options(EngineContext& c) {
  for (std::size_t i = 2; i < c.args.size(); ++i) {
    const std::size_t more = c.args.size() - 1 - i;
    if (is_word(c.args[i], "auth") && more >= 2) {
      c.redacted.insert(c.redacted.end(), {i + 1, i + 2});
      if (!log_in(c, c.args[i + 1], c.args[i + 2]))
        return c.reply.error(errors::kWrongPassword), false;
      i += 2;
    } else if (is_word(c.args[i], "setname") && more >= 1) {
      if (!is_client_name(c.args[++i])) return c.reply.error(errors::kClientName), false;
      c.session.identity.edit().name = c.args[i];
    } else {
      return c.reply.error("ERR Syntax error in HELLO option '" + errors::printed(c.args[i]) + "'"),
             false;
    }
  }
  return true;
}

void hello(Context& c) {
  auto& ec = engine_context(c);
  std::optional<int> resp_version;
  if (c.args.size() >= 2) {
    const auto wanted = parse_int64(c.args[1]);
    if (!wanted) return c.reply.error(errors::kHelloVersion);
    if (*wanted < 2 || *wanted > 3) return c.reply.error(errors::kNoProto);
    resp_version = static_cast<int>(*wanted);
  }
  if (!carry_out_hello_options(ec)) return;
  if (!ec.session.authenticated) return c.reply.error(errors::kHelloNoAuth);
  if (resp_version) {
    ec.session.resp_version = *resp_version;
    ec.session.writer->set_version(*resp_version);
  }
  const bool is_sentinel = c.profile->is_sentinel;
  c.reply.map(is_sentinel ? 6 : 7);
  c.reply.bulk("server");
  c.reply.bulk(c.profile->server);
  c.reply.bulk("version");
  c.reply.bulk(c.profile->version);
  c.reply.bulk("proto");
  c.reply.integer(ec.session.resp_version);
  c.reply.bulk("id");
  c.reply.integer(static_cast<std::int64_t>(ec.session.id));
  c.reply.bulk("mode");
  c.reply.bulk(is_sentinel ? "sentinel" : ec.engine.cluster.enabled ? "cluster" : "standalone");
  if (!is_sentinel) {
    c.reply.bulk("role");
    c.reply.bulk(ec.engine.replication.primary ? "replica" : "master");
  }
  c.reply.bulk("modules");
  c.reply.array(0);
}

constexpr Command kConnectionCommands[] = {
    {"ping",
     -1,
     kFast,
     kAclConnection,
     {},
     "connection",
     "1.0.0",
     ping,
     {},
     "request_policy:all_shards response_policy:all_succeeded"},
    {"echo", 2, kLoading | kStale | kFast, kAclConnection, {}, "connection", "1.0.0", echo},
    {"select", 2, kLoading | kStale | kFast, kAclConnection, {}, "connection", "1.0.0", select},
    {"quit",
     -1,
     kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy,
     kAclConnection,
     {},
     "connection",
     "1.0.0",
     quit},
    {"reset",
     1,
     kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy,
     kAclConnection,
     {},
     "connection",
     "6.2.0",
     reset_connection},
    {"hello",
     -1,
     kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy,
     kAclConnection,
     {},
     "connection",
     "6.0.0",
     hello},
    {"auth",
     -2,
     kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy,
     kAclConnection,
     {},
     "connection",
     "1.0.0",
     auth},
};

}  // namespace

std::span<const Command> commands::connection() { return kConnectionCommands; }

}  // namespace picklock
