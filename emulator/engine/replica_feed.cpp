#include "emulator/engine/replica_feed.hpp"

#include <algorithm>

#include "emulator/base/random.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/publish.hpp"
#include "emulator/engine/save_rdb.hpp"
#include "emulator/engine/time_travel.hpp"
#include "emulator/engine/tracking.hpp"
#include "emulator/engine/transaction.hpp"
#include "emulator/resp/request_writer.hpp"

namespace picklock {
namespace {

/// Around data whose size is not told before.
std::string end_mark(std::uint64_t salt) {
  Random random(salt);
  std::string mark(40, '0');
  for (char& digit : mark) digit = "0123456789abcdef"[random.below(16)];
  return mark;
}

/// "127.0.0.1" of "127.0.0.1:1234", "::1" of "[::1]:1234".
std::string host_of(std::string_view address) {
  address = address.substr(0, address.rfind(':'));
  if (address.starts_with('[') && address.ends_with(']'))
    address = address.substr(1, address.size() - 2);
  return std::string{address};
}

}  // namespace

ReplicaFeed::ReplicaFeed(Engine& engine, std::uint64_t salt) : engine_(engine), salt_(salt) {
  stray_writer_.report_errors_to(&engine);
  alone_since_ = engine.clock.now();
  engine_.replication.backlog_start = engine_.replication.offset + 1;
}

ReplicaFeed::Follower* ReplicaFeed::find(const Session& session) {
  const auto found = std::ranges::find(followers_, &session, &Follower::session);
  return found == followers_.end() ? nullptr : &*found;
}

Replication::Replica* ReplicaFeed::entry(std::uint64_t id) {
  auto& replicas = engine_.replication.replicas;
  const auto found = std::ranges::find(replicas, id, &Replication::Replica::id);
  return found == replicas.end() ? nullptr : &*found;
}

std::int64_t ReplicaFeed::first_kept() const {
  const Replication& replication = engine_.replication;
  const std::int64_t size = engine_.config.number("repl-backlog-size");
  return std::max(replication.backlog_start, replication.offset - size + 1);
}

// Redis: masterTryPartialResync.
bool ReplicaFeed::has(std::string_view id, std::int64_t offset) const {
  const Replication& replication = engine_.replication;
  if (!replication.has_backlog) return false;
  if (!is_word(id, replication.ids->first) &&
      (!is_word(id, replication.ids->second) || offset > replication.second_offset))
    return false;
  return offset >= first_kept() && offset <= replication.offset + 1;
}

// On a clock that stands still nobody is late, since nobody can answer between two instants.
ReplicaFeed::Follower& ReplicaFeed::add(Session& session, bool online, bool resumes) {
  stray_.clear();  // What another one was to hear before it was cut off.
  Replication::Replica replica;
  replica.host =
      session.traits.host.empty() ? host_of(session.identity->address) : session.traits.host;
  replica.port = session.traits.port;
  replica.is_near = !clock_flows(engine_.clock);
  replica.online = online;
  replica.over_network = true;
  unwatch_all(engine_.keyspace, session);
  unsubscribe_all(engine_, session);
  stop_tracking(engine_, session);
  if (followers_.empty()) pinged_at_ = engine_.clock.now();
  const int selected = engine_.replication.selected;
  const std::uint64_t id = engine_.add_replica(std::move(replica));
  if (resumes) engine_.replication.selected = selected;  // It remembers what it had selected.
  session.is_replica = true;
  followers_.push_back({.session = &session, .id = id});
  return followers_.back();
}

bool ReplicaFeed::resume(Session& session, std::string_view id, std::int64_t offset) {
  if (!has(id, offset)) return false;
  ++engine_.stats.partial_syncs;
  add(session, /*online=*/true, /*resumes=*/true);
  const Replication& replication = engine_.replication;
  std::string& out = *session.events->byte_output();
  out +=
      session.traits.follows_ids ? "+CONTINUE " + replication.ids->first + "\r\n" : "+CONTINUE\r\n";
  const auto size = static_cast<std::size_t>(replication.offset + 1 - offset);
  out += std::string_view{backlog_}.substr(backlog_.size() - size);
  session.given_bytes = out.size();
  session.data_bytes = 0;
  session.events->output_appeared();
  return true;
}

void ReplicaFeed::synchronise(Session& session, bool old_style) {
  ++engine_.stats.full_syncs;
  const ReplicaTraits& traits = session.traits;
  Follower& follower = add(session, /*online=*/old_style, /*resumes=*/false);
  follower.confirms = !old_style;
  const Replication& replication = engine_.replication;
  // A replica's own replicas are told nothing that its primary does not say, SELECT neither.
  const int database = replication.primary ? engine_.stream_database() : 0;
  const std::string data = save_rdb(
      engine_, HistoryPoint{database, replication.ids->first, replication.offset},
      {.keys = !traits.is_filtered, .functions = !traits.is_filtered || traits.wants_functions});
  std::string& out = *session.events->byte_output();
  if (!old_style)
    out +=
        "+FULLRESYNC " + replication.ids->first + " " + std::to_string(replication.offset) + "\r\n";
  if (traits.reads_to_mark &&
      (traits.is_filtered || engine_.config.get("repl-diskless-sync") == "yes")) {
    const std::string mark = end_mark(next_salt());
    out += "$EOF:" + mark + "\r\n" + data + mark;
    follower.held.emplace();
  } else {
    out += "$" + std::to_string(data.size()) + "\r\n" + data;
  }
  session.given_bytes = session.data_bytes = out.size();
  if (traits.wants_data_only) session.closing = true;
  session.events->output_appeared();
}

void ReplicaFeed::acknowledge(Session& session, std::int64_t offset) {
  Follower* follower = find(session);
  if (!follower) return;
  if (Replication::Replica* replica = entry(follower->id)) replica->online = true;
  if (follower->held) {
    *session.events->byte_output() += *follower->held;
    follower->held.reset();
    session.events->output_appeared();
  }
  engine_.acknowledge(follower->id, offset);
}

void ReplicaFeed::ask_for_acknowledgements() {
  if (!std::exchange(wants_acknowledgements_, false)) return;
  if (!followers_.empty() && engine_.effects) engine_.effects->send({"REPLCONF", "GETACK", "*"});
}

void ReplicaFeed::heed_replies(Session& session) {
  if (stray_.empty() && !session.is_blocked()) return;
  stray_.clear();
  session.closing = session.output_is_void = true;
}

void ReplicaFeed::remove(Session& session) {
  const Follower* follower = find(session);
  if (!follower) return;
  engine_.remove_replica(follower->id);
  session.is_replica = false;
  std::erase_if(followers_, [&](const Follower& one) { return one.session == &session; });
  if (followers_.empty()) alone_since_ = engine_.clock.now();
}

void ReplicaFeed::drop_all() {
  while (!followers_.empty()) engine_.kill(*followers_.back().session);
}

void ReplicaFeed::start_over() {
  drop_all();
  backlog_.clear();
  engine_.replication.has_backlog = true;
  engine_.replication.backlog_start = engine_.replication.offset + 1;
  alone_since_ = engine_.clock.now();
}

void ReplicaFeed::keep(std::string_view bytes) {
  backlog_ += bytes;
  const auto most = static_cast<std::size_t>(engine_.config.number("repl-backlog-size"));
  if (backlog_.size() / 2 > most) backlog_.erase(0, backlog_.size() - most);
  // What has been forgotten stays so when the setting grows.
  engine_.replication.backlog_start = first_kept();
}

void ReplicaFeed::effect(const Effect& words) {
  std::string bytes;
  append_request(bytes, std::vector<std::string_view>(words.begin(), words.end()));
  if (engine_.replication.has_backlog) keep(bytes);
  for (Follower& follower : followers_) {
    Session& session = *follower.session;
    if (session.closing) continue;
    session.given_bytes += bytes.size();
    if (follower.held) {
      *follower.held += bytes;
      engine_.check_output(session, session.given_bytes);
      if (!session.closing) continue;
    } else {
      *session.events->byte_output() += bytes;
    }
    session.events->output_appeared();
  }
}

// Redis: replicationCron.
std::optional<Instant> ReplicaFeed::deadline(const Follower& follower) const {
  if (!follower.confirms || follower.session->closing) return std::nullopt;
  for (const Replication::Replica& replica : engine_.replication.replicas)
    if (replica.id == follower.id && !replica.is_near)
      return replica.heard_at + std::chrono::seconds{engine_.config.number("repl-timeout") + 1};
  return std::nullopt;
}

std::optional<Instant> ReplicaFeed::backlog_deadline() const {
  const std::int64_t seconds = engine_.config.number("repl-backlog-ttl");
  const Replication& replication = engine_.replication;
  constexpr std::int64_t kLongest = 1'000'000'000;
  if (seconds == 0 || seconds > kLongest || !followers_.empty() || !replication.has_backlog ||
      replication.primary || !replication.replicas.empty())
    return std::nullopt;
  return alone_since_ + std::chrono::seconds{seconds + 1};
}

void ReplicaFeed::drop_backlog() {
  backlog_ = {};
  engine_.replication.has_backlog = false;
  engine_.replication.begin_history(/*remembers=*/false, next_salt());
}

// CONFIG SET may change the period meanwhile.
Instant ReplicaFeed::next_ping() const {
  return pinged_at_ + std::chrono::seconds{engine_.config.number("repl-ping-replica-period")};
}

std::optional<Instant> ReplicaFeed::next_event() const {
  std::optional<Instant> next = backlog_deadline();
  const auto consider = [&next](std::optional<Instant> instant) {
    if (instant) next = next ? std::min(*next, *instant) : *instant;
  };
  if (!followers_.empty() && engine_.effects) consider(next_ping());
  for (const Follower& follower : followers_) consider(deadline(follower));
  return next;
}

void ReplicaFeed::run_due() {
  const Instant now = engine_.clock.now();
  if (!followers_.empty() && engine_.effects && now >= next_ping()) {
    pinged_at_ = now;
    engine_.effects->send({"PING"});
  }
  std::vector<Session*> silent;
  for (const Follower& follower : followers_)
    if (const auto end = deadline(follower); end && *end <= now) silent.push_back(follower.session);
  for (Session* session : silent) engine_.kill(*session);
  if (const auto end = backlog_deadline(); end && *end <= now) drop_backlog();
}

}  // namespace picklock
