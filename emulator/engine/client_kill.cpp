// CLIENT KILL: the filters, and what becomes of the sessions that pass them.
#include "emulator/engine/client_kill.hpp"

#include <optional>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

enum class ClientType : std::uint8_t { normal, pubsub, replica, master };

struct Filters {
  std::optional<std::uint64_t> id;
  std::optional<ClientType> type;
  std::optional<std::string_view> address;
  std::optional<std::string_view> local_address;
  std::optional<std::string_view> user;
  bool skip_me = true;

  bool fit(const Session& session, const Session& me) const {
    if (skip_me && &session == &me) return false;
    const ClientType own = session.is_replica            ? ClientType::replica
                           : session.subscriptions.any() ? ClientType::pubsub
                                                         : ClientType::normal;
    return (!id || *id == session.id) && (!type || *type == own) &&
           (!address || *address == session.identity->address) &&
           (!user || *user == session.identity->user) &&
           (!local_address || *local_address == session.identity->local_address);
  }
};

std::optional<ClientType> client_type(std::string_view word) {
  if (is_word(word, "normal")) return ClientType::normal;
  if (is_word(word, "pubsub")) return ClientType::pubsub;
  if (is_word(word, "slave") || is_word(word, "replica")) return ClientType::replica;
  if (is_word(word, "master")) return ClientType::master;
  return std::nullopt;
}

/// Takes one option with its value; false with the error answered.
bool take_filter(Context& c, Filters& filters, std::string_view name, std::string_view value) {
  if (is_word(name, "id")) {
    const auto id = parse_int64(value);
    if (!id || *id < 1) return c.reply.error(errors::kClientIdPositive), false;
    filters.id = static_cast<std::uint64_t>(*id);
  } else if (is_word(name, "type")) {
    filters.type = client_type(value);
    if (!filters.type) return c.reply.error(errors::unknown_client_type(value)), false;
  } else if (is_word(name, "addr")) {
    filters.address = value;
  } else if (is_word(name, "laddr")) {
    filters.local_address = value;
  } else if (is_word(name, "user")) {
    if (!engine_context(c).engine.acl.find(value))
      return c.reply.error(errors::no_such_user(value)), false;
    filters.user = value;
  } else if (is_word(name, "skipme") && (is_word(value, "yes") || is_word(value, "no"))) {
    filters.skip_me = is_word(value, "yes");
  } else {
    return c.reply.error(errors::kSyntax), false;
  }
  return true;
}

/// The link to the primary has no session of the usual kind.
std::int64_t kill_primary(Engine& engine, const Filters& filters) {
  const Replication& replication = engine.replication;
  if (filters.type != ClientType::master || filters.id || filters.address || filters.user ||
      filters.local_address || !replication.over_network ||
      replication.link != Replication::Link::connected)
    return 0;
  engine.cut_primary();
  return 1;
}

std::int64_t kill_those(EngineContext& c, const Filters& filters) {
  std::vector<Session*> doomed;
  for (const auto& [id, session] : c.engine.sessions())
    if (filters.fit(*session, c.session)) doomed.push_back(session.get());
  for (Session* session : doomed) {
    if (session == &c.session)
      session->closing = true;  // Its own end comes after the reply.
    else
      c.engine.kill(*session);
  }
  return static_cast<std::int64_t>(doomed.size()) + kill_primary(c.engine, filters);
}

}  // namespace

void client_kill(Context& c) {
  Filters filters;
  if (c.args.size() == 3) {
    filters.address = c.args[2];
    filters.skip_me = false;
    if (kill_those(engine_context(c), filters) > 0) return c.reply.ok();
    return c.reply.error(errors::kNoSuchClient);
  }
  for (std::size_t i = 2; i < c.args.size(); i += 2) {
    if (i + 1 == c.args.size()) return c.reply.error(errors::kSyntax);
    if (!take_filter(c, filters, c.args[i], c.args[i + 1])) return;
  }
  c.reply.integer(kill_those(engine_context(c), filters));
}

}  // namespace picklock
