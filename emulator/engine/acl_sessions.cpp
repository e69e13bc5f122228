#include "emulator/engine/acl_sessions.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/client_info.hpp"

namespace picklock {
namespace {

void become(SessionState& session, std::string_view name, const User& user) {
  if (session.identity->user != name) session.identity.edit().user = name;
  session.unrestricted = user.permits_all();
}

void log_refusal(Engine& engine, Session& session, Denied reason, std::string_view context,
                 std::string_view user, std::string_view object) {
  AclLogEntry entry;
  entry.reason = reason;
  entry.context = context;
  entry.object = object;
  entry.username = user;
  entry.at = engine.clock.now();
  entry.client = client_line(session, engine.keyspace, entry.at, *engine.profile);
  const auto most = parse_int64(engine.config.get("acllog-max-len")).value_or(0);
  engine.acl.add_to_log(std::move(entry), static_cast<std::size_t>(most));
}

/// Ends a session, after its reply if it is the one whose request is being executed.
void cut_off(EngineContext& c, Session& session) {
  if (&session == &c.session)
    session.closing = true;
  else
    c.engine.kill(session);
}

template <class Chooses>
void cut_off_those(EngineContext& c, Chooses&& chooses) {
  std::vector<Session*> doomed;
  for (const auto& [id, session] : c.engine.sessions())
    if (chooses(*session)) doomed.push_back(session.get());
  for (Session* session : doomed) cut_off(c, *session);
}

bool may_receive(const User& user, const Subscriptions& subscriptions) {
  for (const Topic topic : kTopics)
    for (const std::string& name : subscriptions.names(topic))
      if (std::none_of(user.selectors().begin(), user.selectors().end(), [&](const Selector& s) {
            return s.permits_channel(name, topic == Topic::pattern);
          }))
        return false;
  return true;
}

/// Whether Redis leaves all subscribers alone, without a look at what they have subscribed to. It
/// means to do so when no channel pattern has gone, but compares addresses and finds none of them
/// again.
bool keeps_channels(const User& old_user, const User& user) {
  return std::any_of(user.selectors().begin(), user.selectors().end(),
                     [](const Selector& s) { return s.has_all_channels(); }) ||
         std::all_of(
             old_user.selectors().begin(), old_user.selectors().end(),
             [](const Selector& s) { return !s.has_all_channels() && s.channels().empty(); });
}

}  // namespace

void become_default_user(Engine& engine, SessionState& session) {
  become(session, Acl::kDefault, engine.acl.default_user());
  session.authenticated = !engine.acl.requires_login();
}

bool log_in(EngineContext& c, std::string_view name, std::string_view password) {
  const User* user = c.engine.acl.find(name);
  if (!user || !user->accepts(password)) {
    log_refusal(c.engine, c.session, Denied::auth, c.session.transaction ? "multi" : "toplevel",
                name, c.args[0]);
    return false;
  }
  become(c.session, name, *user);
  c.session.authenticated = true;
  return true;
}

AclVerdict check_and_log(Engine& engine, Session& session, const Command& command, Args words,
                         std::string_view context) {
  const User* user = engine.acl.find(session.identity->user);
  const AclVerdict verdict = user ? user->check(command, words) : AclVerdict{};
  if (verdict.denied == Denied::no) return verdict;
  const std::string_view object =
      verdict.denied == Denied::command ? command.name : words[verdict.word];
  log_refusal(engine, session, verdict.denied, context, session.identity->user, object);
  return verdict;
}

std::string no_permission(const AclVerdict& verdict, const Command& command) {
  switch (verdict.denied) {
    case Denied::command:
      return "NOPERM this user has no permissions to run the '" + std::string{command.name} +
             "' command";
    case Denied::key:
      return "NOPERM this user has no permissions to access one of the keys used as arguments";
    default:
      return "NOPERM this user has no permissions to access one of the channels used as arguments";
  }
}

void change_user_of_sessions(EngineContext& c, std::string_view name, User user) {
  const User* old_user = c.engine.acl.find(name);
  const bool keeps = !old_user || keeps_channels(*old_user, user);
  c.engine.acl.put(name, std::move(user));
  const User& now = *c.engine.acl.find(name);
  for (const auto& [id, session] : c.engine.sessions())
    if (session->identity->user == name) session->unrestricted = now.permits_all();
  if (keeps) return;
  cut_off_those(c, [&](const Session& session) {
    return session.identity->user == name && !may_receive(now, session.subscriptions);
  });
}

void end_sessions_of(EngineContext& c, std::string_view name) {
  cut_off_those(c, [name](const Session& session) { return session.identity->user == name; });
  if (c.session.identity->user != name) return;
  become(c.session, Acl::kDefault, c.engine.acl.default_user());
  c.session.authenticated = false;
}

}  // namespace picklock
