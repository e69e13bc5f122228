// What ACL users mean for sessions: logging in, being refused, being cut off.
#pragma once

#include <string>
#include <string_view>

#include "emulator/engine/engine_context.hpp"

namespace picklock {

/// Makes the session one of the default user, as it is when it opens. Redis: clientSetDefaultAuth.
void become_default_user(Engine& engine, SessionState& session);
/// Logs in; false, and a refusal in the log, if the password is wrong or the user is off.
[[nodiscard]] bool log_in(EngineContext& c, std::string_view user, std::string_view password);

/// What the session's user may not do of a request; and if so, that is put into the log. `context`
/// is "toplevel", "multi" or "lua".
AclVerdict check_and_log(Engine& engine, Session& session, const Command& command, Args words,
                         std::string_view context);
std::string no_permission(const AclVerdict& verdict, const Command& command);

/// Refuses a SORT whose user may not read the keys that its patterns name; false if it may run.
bool refuse_sort(EngineContext& c);

/// Puts a changed or a new user in its place. Whoever is subscribed to a channel that the user may
/// not receive any more is cut off.
void change_user_of_sessions(EngineContext& c, std::string_view name, User user);
/// Cuts off all sessions of a user that is gone.
void end_sessions_of(EngineContext& c, std::string_view name);

}  // namespace picklock
