// How a session looks to CLIENT LIST, and which names it may bear.
#pragma once

#include <string>
#include <string_view>

#include "emulator/engine/session.hpp"

namespace picklock {

/// Only printable ASCII without spaces, or nothing at all. Redis: validateClientName.
bool is_client_name(std::string_view name);

/// The session that is told instead of this one when a key changes: 0 for none, -1 if it does not
/// track.
std::int64_t redirection(const Session& session);

/// The session's line in CLIENT LIST, without a line break. Buffer sizes, which depend on an
/// allocator, are 0. Newer profiles than Redis 7.0 also show the library.
std::string client_line(const Session& session, const Keyspace& keyspace, Instant now,
                        const Profile& profile);

}  // namespace picklock
