#include "emulator/engine/client_info.hpp"

#include <algorithm>

#include "emulator/base/numbers.hpp"

namespace picklock {

bool is_client_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; });
}

std::int64_t redirection(const Session& session) {
  return session.tracking ? static_cast<std::int64_t>(session.tracking->redirect) : -1;
}

namespace {
/// What CLIENT LIST says in flags=; the order of the letters is Redis's.
std::string flags_of(const Session& session, const Keyspace& keyspace) {
  std::string flags;
  if (session.is_replica) flags += 'S';
  if (session.monitors) flags += 'O';
  if (session.subscriptions.any()) flags += 'P';
  if (session.transaction) flags += 'x';
  if (session.is_blocked()) flags += 'b';
  if (session.tracking) flags += 't';
  if (session.tracking && session.tracking->broken) flags += 'R';
  if (session.tracking && session.tracking->broadcast) flags += 'B';
  if (is_touched(keyspace, session)) flags += 'd';
  if (session.identity->address.starts_with('/')) flags += 'U';
  if (session.reads_replicas) flags += 'r';
  if (session.no_evict) flags += 'e';
  if (session.no_touch) flags += 'T';
  return flags.empty() ? "N" : flags;
}
}  // namespace

std::string client_line(const Session& session, const Keyspace& keyspace, Instant now,
                        const Profile& profile) {
  const auto seconds_since = [now](Instant then) {
    return to_text(std::chrono::floor<std::chrono::seconds>(now - then).count());
  };
  std::string line = "id=" + to_text(static_cast<std::int64_t>(session.id));
  line += " addr=" + session.identity->address + " laddr=" + session.identity->local_address;
  line += " fd=" + to_text(static_cast<std::int64_t>(session.id) + 7) +
          " name=" + session.identity->name;
  line += " age=" + seconds_since(session.connected_at) +
          " idle=" + seconds_since(session.last_used_at);
  line += " flags=" + flags_of(session, keyspace);
  line += " db=" + to_text(session.database);
  const auto subscribed = [&session](Topic topic) {
    return to_text(static_cast<std::int64_t>(session.subscriptions.count(topic)));
  };
  line += " sub=" + subscribed(Topic::channel) + " psub=" + subscribed(Topic::pattern) +
          " ssub=" + subscribed(Topic::shard_channel);
  line += " multi=" + to_text(session.transaction
                                  ? static_cast<std::int64_t>(session.transaction->queue.size())
                                  : -1);
  line += " qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0";
  line += " omem=0 tot-mem=0 events=r cmd=";
  line += session.last_command ? session.last_command->name : "NULL";
  line += " user=" + session.identity->user + " redir=" + to_text(redirection(session)) +
          " resp=" + to_text(session.resp_version);
  if (profile.has(kNewer))
    line += " lib-name=" + session.identity->library_name +
            " lib-ver=" + session.identity->library_version;
  return line;
}

}  // namespace picklock
