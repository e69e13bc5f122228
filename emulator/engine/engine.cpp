// Sessions and their requests: what decides whether a request runs, and what follows once it has.
#include "emulator/engine/engine.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/acl_sessions.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/dispatch.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/guards.hpp"
#include "emulator/engine/monitor.hpp"
#include "emulator/engine/publish.hpp"
#include "emulator/engine/replica_feed.hpp"
#include "emulator/engine/request_flags.hpp"
#include "emulator/engine/script_call.hpp"
#include "emulator/engine/script_journal.hpp"

namespace picklock {

namespace {
/// An id as Redis draws them for servers and nodes; its own generator, so that the engine's draws
/// stay the same.
std::string identity(std::uint64_t seed, std::uint64_t purpose) {
  Random random(seed ^ (purpose << 56));
  std::string id(40, '0');
  for (char& digit : id) digit = "0123456789abcdef"[random.below(16)];
  return id;
}
}  // namespace

Engine::Engine(const Options& options, Clock& the_clock)
    : profile(find_profile(options.profile)),
      clock(the_clock),
      keyspace(options.databases, options.seed),
      random(options.seed),
      scripts(options.script_budget, profile ? *profile : kDefaultProfile),
      functions(options.script_budget, profile ? *profile : kDefaultProfile),
      journal(std::make_unique<ScriptJournal>()),
      control(std::make_unique<Control>(options, the_clock.now())),
      acl(profile ? *profile : kDefaultProfile),
      started_at(the_clock.now()),
      run_id(identity(options.seed, 3)),
      from_primary_(std::make_unique<Session>()) {
  if (!profile)
    throw std::invalid_argument("unknown profile '" + options.profile +
                                "': there are redis-7.0, redis-8.4, valkey-9.0 and all");
  if (options.databases < 1 || options.databases > 1'000'000)
    throw std::invalid_argument("the number of databases must be between 1 and 1000000");
  cluster.enabled = options.cluster;
  cluster.self.id = identity(options.seed, 1);
  cluster.self.slots.set();
  replication.ids.edit().first = identity(options.seed, 2);
  persistence.last_save = started_at;
  if (options.cluster) config.put("cluster-enabled", "yes");
  if (options.databases != 16) config.put("databases", std::to_string(options.databases));
  if (!options.password.empty()) {
    config.put("requirepass", options.password);
    acl.set_default_password(options.password);
  }
  silent_.report_errors_to(this);
  from_primary_->writer = &silent_;
  from_primary_->is_primary = true;
  review_guards();
}

Engine::~Engine() = default;

void Engine::review_guards() {
  keyspace.count_memory(config.watching().max_memory > 0);
  guarded_ = needs_guarding(*this);
  if (!guarded_) oom_at_start = false;
  review_freeze();
}

// Redis, expireIfNeeded: while clients are paused, and on a replica, what has expired is not seen
// but stays. A replica that may be written to drops it where it writes, and looks after those keys
// itself that were given a deadline there (expireSlaveKeys).
void Engine::review_freeze() {
  paused_ = pause_.kind != Pause::Kind::none;
  frozen_ = paused_ || replication.primary;
  thaws_ = !paused_ && replication.primary && !is_read_only_replica(*this);
  keyspace.freeze(frozen_);
  keyspace.own_deadlines(replication.primary && !is_read_only_replica(*this));
}

Session& Engine::open(ReplyWriter& writer, SessionEvents* events, std::string_view address,
                      std::string_view local_address) {
  Session& session = begin_session(++last_session_id_, address, local_address);
  session.writer = &writer;
  session.events = events;
  writer.report_errors_to(this);
  return session;
}

Session& Engine::begin_session(std::uint64_t id, std::string_view address,
                               std::string_view local_address) {
  auto session = std::make_unique<Session>();
  session->id = id;
  Identity& identity = session->identity.edit();
  identity.address = address;
  identity.local_address = local_address;
  become_default_user(*this, *session);
  session->connected_at = session->last_used_at = clock.now();
  ++stats.connections;
  return *sessions_.emplace_hint(sessions_.end(), id, std::move(session))->second;
}

void Engine::revive(std::uint64_t id) {
  const auto killed = std::find_if(orphans_.rbegin(), orphans_.rend(),
                                   [id](const auto& orphan) { return orphan->id == id; });
  if (killed == orphans_.rend() || sessions_.contains(id)) return;
  begin_session(id, (*killed)->identity->address, (*killed)->identity->local_address);
}

void Engine::close(Session& session) {
  if (std::erase_if(orphans_, [&](const auto& orphan) { return orphan.get() == &session; }) > 0)
    return;
  leave_replicas(session);
  withdraw(session);
  unwatch_all(keyspace, session);
  unsubscribe_all(*this, session);
  stop_tracking(*this, session);
  set_monitoring(session, false);
  sessions_.erase(session.id);
}

void Engine::kill(Session& session) {
  leave_replicas(session);
  unwatch_all(keyspace, session);
  unsubscribe_all(*this, session);
  stop_tracking(*this, session);
  set_monitoring(session, false);
  withdraw(session);
  session.closing = session.output_is_void = true;
  const auto found = sessions_.find(session.id);
  std::unique_ptr<Session> owned = std::move(found->second);
  sessions_.erase(found);
  if (!owned->writer) return;  // Restored from a snapshot, and no driver has it open.
  orphans_.push_back(std::move(owned));
  if (session.events) session.events->output_appeared();
}

void Engine::execute(Session& session, Args words) {
  session.last_used_at = now();
  const Command* command = session.last_command = resolve(words, *profile);
  Session* const outer = std::exchange(current_, &session);
  const int turns = turns_;
  begin_turn();
  ran_ = false;
  try {
    if (steered && !session.is_replica) [[unlikely]]
      process_steered(session, command, words);
    else
      process(session, command, words);
  } catch (...) {  // A script's log told somebody who throws.
    current_ = outer;
    tracking.pending.clear();
    turns_ = turns + 1;
    end_turn();
    throw;
  }
  if (effects && !outer) [[unlikely]]
    effects->end_unit(command && command->has(kAnyKeys));
  if (session.is_replica) [[unlikely]]
    feed->heed_replies(session);
  if (ran_) session.written = replication.offset;
  if (feed) [[unlikely]]
    feed->ask_for_acknowledgements();
  if (!session.is_blocked()) end_request(session, command);
  current_ = outer;
  end_turn();
}

namespace {
/// Whether a session that is confined to its subscriptions may send it.
bool is_for_subscribers(const Command& command) {
  if (command.name.ends_with("subscribe")) return true;
  return command.name == "ping" || command.name == "quit" || command.name == "reset";
}
}  // namespace

void Engine::process(Session& session, const Command* command, Args words) {
  if (!command) {
    // A web page that was made to speak to Redis is cut off without an answer.
    if (is_word(words[0], "host:") || is_word(words[0], "post")) {
      session.closing = session.output_is_void = true;
      return;
    }
    return reject(session, command, words, unknown_command(words, *profile));
  }
  if (!command->takes(words.size()) || !command->handler)
    return reject(session, command, words, errors::wrong_arity(command->name));
  if (command->has(kProtected)) return reject(session, command, words, errors::kModuleNotAllowed);
  if (!session.authenticated && !command->has(kNoAuth) && acl.requires_login())
    return reject(session, command, words, errors::kNoAuth);
  if (!session.unrestricted && !permit(session, *command, words)) return;
  if ((guarded_ || script || session.transaction || session.subscriptions.any() ||
       session.monitors || session.is_replica) &&
      refuse(session, *command, words))
    return;
  if (pause_.kind != Pause::Kind::none && is_paused(session, *command, words)) [[unlikely]]
    return postpone(session, *command, words);
  if (session.transaction && queue(session, *command, words)) return;
  if (tracking.sessions > 0) limit_tracked_keys(*this);
  EngineContext context{
      *this, session, words, replies_to(session), *command, to_unix_ms(session.last_used_at)};
  run(context);
  ran_ = true;
  // What a script has changed is for its caller, who is answered once it has ended.
  if (!script && !tracking.pending.empty()) send_pending(*this, session);
  // While a script runs on and on, what it has done so far is nobody's yet.
  if (waiting_ == 0 || script) return;
  // Redis, call(): the command is told before those who waited for it are served.
  if (effects && !session.transaction) effects->end_unit(command->has(kAnyKeys));
  serve_ready();
  if (tracking.is_needed()) invalidate_changed(*this, &session, /*in_request=*/false);
}

// Redis: resetClient.
void Engine::end_request(Session& session, const Command* command) {
  session.skips_reply = std::exchange(session.skips_next, false);
  session.asks &= session.transaction || (command && command->name == "asking");
  if (!session.tracking || session.transaction) return;
  if (!command || !command->name.starts_with("client|")) session.tracking->caching = false;
}

// Redis: rejectCommand. A refused command spoils the transaction, a refused EXEC ends it.
void Engine::reject(Session& session, const Command* command, Args words, std::string_view error) {
  ReplyWriter& reply = replies_to(session);
  if (command && command->number != 0) ++stats.of(*command).rejected;
  if (command && command->name == "exec") {
    discard(keyspace, session);
    reply.error(errors::exec_refused(error));
    if (!monitors.empty()) show_refused(session, *command, words);
    return;
  }
  if (session.transaction) session.transaction->aborted = true;
  reply.error(error);
}

// Redis: clusterRedirectClient comes without the words that EXEC has for other refusals.
void Engine::redirect(Session& session, const Command& command, std::string_view error) {
  ++stats.of(command).rejected;
  if (command.name == "exec")
    discard(keyspace, session);
  else if (session.transaction)
    session.transaction->aborted = true;
  replies_to(session).error(error);
}

/// Asks the session's user; false with the refusal answered. A command that MULTI does not take is
/// refused for that reason, by refuse().
bool Engine::permit(Session& session, const Command& command, Args words) {
  if (session.transaction && command.has(kNoMulti)) return true;
  const AclVerdict verdict =
      check_and_log(*this, session, command, words, session.transaction ? "multi" : "toplevel");
  if (verdict.denied == Denied::no) return true;
  return reject(session, &command, words, no_permission(verdict, command)), false;
}

/// Refuses what may not be sent now, for the reason that Redis 7.0, processCommand, finds first.
bool Engine::refuse(Session& session, const Command& command, Args words) {
  const auto because = [&](std::string_view error) {
    reject(session, &command, words, error);
    return true;
  };
  if (session.transaction && command.has(kNoMulti)) return because(errors::kNotInsideMulti);
  const bool guarded = guarded_ && !session.is_primary;
  if (const auto refused = guarded ? refusal(*this, session, command, words) : std::nullopt) {
    if (!refused->for_slots) return because(refused->error);
    return redirect(session, command, refused->error), true;
  }
  if (session.is_confined() && !is_for_subscribers(command))
    return because(errors::only_subscriptions(command.name));
  if (guarded && is_too_stale(*this, session, command, words)) return because(errors::kMasterDown);
  // What a redis.log tells of may call, too, but interpreters carry out one script at a time.
  if (script && (script->is_slow() || command.has(kNoScript)) && !command.has(kAllowBusy))
    return because(busy_error(*script));
  // Redis takes a client that monitors for a kind of replica.
  constexpr std::uint32_t kInteraction = kWrite | kReadonly | kMayReplicate;
  if ((session.monitors || session.is_replica) &&
      (request_flags(*this, command, words) & kInteraction) != 0)
    return because(errors::kReplicaInteraction);
  return false;
}

/// Queues what EXEC is for; false for what runs at once. Redis 7.0, queueMultiCommand: nothing more
/// is kept once EXEC is bound to fail.
bool Engine::queue(Session& session, const Command& command, Args words) {
  for (const std::string_view name : {"exec", "discard", "multi", "watch", "quit", "reset"})
    if (command.name == name) return false;
  if (!session.transaction->aborted && !is_touched(keyspace, session))
    queue_command(*session.transaction, command, words, request_flags(*this, command, words));
  replies_to(session).status("QUEUED");
  return true;
}

void Engine::run(Context& context) {
  const Command& command = *context.command;
  auto& ec = engine_context(context);
  if (!monitors.empty() && shows_before(command)) [[unlikely]]
    show_to_monitors(*this, ec);
  errors_seen_ = stats.errors;
  const Instant began = now();
  // Redis, delGenericCommand: DEL takes what has expired for a key that is there.
  const bool thaws =
      thaws_ && command.has(kWrite) && command.name != "del" && command.name != "unlink";
  if (thaws) [[unlikely]]
    keyspace.freeze(false);
  const std::uint64_t dirty_before = effects ? dirty() : 0;
  command.handler(context);
  if (effects) [[unlikely]]
    replicate(context, dirty_before);
  if (thaws) [[unlikely]]
    keyspace.freeze(frozen_);
  if (command.number != 0) {  // PICKLOCK counts nowhere, though the clock may have moved.
    const Duration took = now() - began;
    count(command, took, ec.session.is_blocked());
    // A negative setting of the slow log becomes the largest number here.
    if (took.count() > 0 || !monitors.empty() || tracking.is_needed() ||
        static_cast<std::uint64_t>(took.count()) >=
            static_cast<std::uint64_t>(config.watching().slower_than)) [[unlikely]]
      observe(ec, took);
  }
  if (context.events) publish_notes();
  if (waiting_ > 0) collect_ready();
}

void Engine::event(EventClass event_class, std::string_view name, std::string_view key,
                   int database) {
  publish_notes();
  notify(*this, event_class, name, key, database);
}

void Engine::tell_changes() {
  publish_notes();
  if (tracking.is_needed()) invalidate_changed(*this, current_, /*in_request=*/current_ != nullptr);
}

void Engine::publish_notes() {
  for (int index = 0; index < static_cast<int>(keyspace.used().size()); ++index) {
    if (!keyspace[index].has_notes()) continue;
    for (const KeyNote& note : keyspace[index].take_notes()) {
      if (effects && note.kind == KeyNote::Kind::expired)
        effects->add(index, std::array<std::string_view, 2>{deletion("expire"), note.key});
      notify(*this, note, index);
    }
  }
}

// Redis: propagateDeletion and its kin.
std::string_view Engine::deletion(std::string_view why) const {
  return config.get("lazyfree-lazy-" + std::string{why}) == "yes" ? "UNLINK" : "DEL";
}

void Engine::effect(int database, std::span<const std::string_view> words) {
  publish_notes();  // What has expired is told before.
  effects->add(database, words);
}

void Engine::effect_instead(int database, std::span<const std::string_view> words) {
  if (!script || script->tells_replicas()) effect(database, words);
}

/// Counts what commands have changed, and not what has expired.
std::uint64_t Engine::dirty() const {
  std::uint64_t count = keyspace.changes();
  for (const Database& database : keyspace.used()) count -= database.expired();
  return count;
}

// Redis, call().
void Engine::replicate(Context& context, std::uint64_t dirty_before) {
  publish_notes();
  constexpr std::uint32_t kTold = kWrite | kMayReplicate;
  if (context.replicated == Replicated::never || (script && !script->tells_replicas())) return;
  const bool changed = (context.command->flags & kTold) != 0 && dirty() != dirty_before;
  if (changed || context.replicated == Replicated::always)
    effects->add(context.database, context.args);
}

std::size_t Engine::blocked_count() const {
  return static_cast<std::size_t>(
      std::count_if(sessions_.begin(), sessions_.end(), [](const auto& item) {
        const auto& blocked = item.second->blocked;
        return blocked &&
               (blocked->hold == Blocked::Hold::command || blocked->hold == Blocked::Hold::delay);
      }));
}

}  // namespace picklock
