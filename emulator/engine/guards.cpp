#include "emulator/engine/guards.hpp"

#include <string>
#include <vector>

#include "emulator/base/text.hpp"
#include "emulator/commands/script_errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/eviction.hpp"
#include "emulator/engine/redirection.hpp"
#include "emulator/engine/request_flags.hpp"
#include "emulator/engine/shebang.hpp"

namespace picklock {

namespace {

using Refused = std::optional<Refusal>;

/// What a request does, all that EXEC is about to execute taken together.
struct Traits {
  bool writes = false;
  bool denied_by_oom = false;
  bool denied_when_stale = false;

  void add(std::uint32_t flags) {
    writes |= (flags & kWrite) != 0;
    denied_by_oom |= (flags & kDenyOom) != 0;
    denied_when_stale |= (flags & kStale) == 0;
  }
};

Traits traits_of(Engine& engine, const Session& session, const Command& command, Args words) {
  Traits traits;
  traits.add(request_flags(engine, command, words));
  if (session.transaction && command.name == "exec")
    for (const QueuedCommand& queued : session.transaction->queue) traits.add(queued.flags);
  return traits;
}

bool is_setting_on(const Engine& engine, std::string_view name) {
  return engine.config.get(name) == "yes";
}

/// The slot of a request, EXEC's queue included.
RequestSlot slot_of(const Session& session, const Command& command, Args words) {
  RequestSlot slot;
  if (command.name != "exec") {
    slot.add_keys(command, words);
  } else if (session.transaction) {
    for (const QueuedCommand& queued : session.transaction->queue)
      slot.add_keys(*queued.command,
                    std::vector<std::string_view>(queued.words.begin(), queued.words.end()));
  }
  return slot;
}

/// Why this node of a cluster does not serve it; empty if it does.
std::string slot_refusal(Engine& engine, Session& session, const Command& command, Args words,
                         bool writes) {
  const SlotRequest request{command, slot_of(session, command, words),
                            request_flags(engine, command, words), writes};
  session.slot = request.slot.first;
  if (request.slot.first == RequestSlot::kNone) return {};
  return slot_error(engine, judge_slot(engine, session, request));
}

bool wants_replicas(const Engine& engine) {
  return !engine.replication.primary && engine.config.watching().min_replicas > 0 &&
         engine.config.watching().min_replicas_max_lag > 0;
}

bool lacks_replicas(const Engine& engine) {
  if (!wants_replicas(engine)) return false;
  const std::int64_t good = engine.replication.count_good(
      engine.clock.now(), engine.config.watching().min_replicas_max_lag);
  return good < engine.config.watching().min_replicas;
}

bool is_stale(const Engine& engine) {
  return engine.replication.primary && engine.replication.link != Replication::Link::connected &&
         !is_setting_on(engine, "replica-serve-stale-data");
}

/// Whether the queue of a transaction may not grow by this command while memory is short.
bool grows_a_queue(const Session& session, const Command& command) {
  if (!session.transaction) return false;
  for (const std::string_view name : {"exec", "discard", "quit", "reset"})
    if (command.name == name) return false;
  return true;
}

}  // namespace

bool is_read_only_replica(const Engine& engine) {
  return engine.replication.primary && is_setting_on(engine, "replica-read-only");
}

Refused refusal(Engine& engine, Session& session, const Command& command, Args words) {
  const Traits traits = traits_of(engine, session, command, words);
  if (engine.cluster.enabled) {
    auto error = slot_refusal(engine, session, command, words, traits.writes);
    if (!error.empty()) return Refusal{std::move(error), /*for_slots=*/true};
  }
  if (!engine.script) engine.oom_at_start = !evict(engine, &session);
  if (!engine.script && engine.oom_at_start &&
      (traits.denied_by_oom || grows_a_queue(session, command)))
    return Refusal{std::string{errors::kOom}};
  if (traits.writes && lacks_replicas(engine)) return Refusal{std::string{errors::kNoReplicas}};
  if (traits.writes && is_read_only_replica(engine))
    return Refusal{std::string{errors::kReadOnlyReplica}};
  return std::nullopt;
}

bool is_too_stale(Engine& engine, const Session& session, const Command& command, Args words) {
  return is_stale(engine) && traits_of(engine, session, command, words).denied_when_stale;
}

std::optional<std::string_view> refusal_of_script(const Engine& engine, const Shebang& shebang,
                                                  bool read_only_command) {
  if (!shebang.present) return is_stale(engine) ? std::optional{errors::kMasterDown} : std::nullopt;
  if (shebang.no_cluster && engine.cluster.enabled) return errors::kScriptNoCluster;
  if (!shebang.allow_stale && is_stale(engine)) return errors::kScriptMasterDown;
  if (!shebang.no_writes) {
    if (read_only_command) return errors::kScriptWouldWrite;
    if (lacks_replicas(engine)) return errors::kNoReplicas;
  }
  if (engine.oom_at_start && !shebang.allow_oom && !shebang.no_writes) return errors::kScriptOom;
  return std::nullopt;
}

namespace {

/// Redis 7.0: scriptVerifyClusterState. The slot is that of the caller's request, or the first one
/// that a script has asked for since it began.
std::optional<std::string_view> slot_refusal_in_script(Engine& engine, Session& session,
                                                       const ScriptGuard& guard,
                                                       const Command& command, Args words) {
  using Kind = SlotVerdict::Kind;
  SlotRequest request{command, {}, command.flags, command.has(kWrite)};
  request.slot.add_keys(command, words);
  const SlotVerdict verdict = judge_slot(engine, session, request);
  if (verdict.kind == Kind::down) return errors::kScriptClusterDown;
  if (verdict.kind == Kind::down_read_only) return errors::kScriptClusterReadOnly;
  if (verdict.kind != Kind::serve) return errors::kScriptCrossSlot;
  if (verdict.slot == RequestSlot::kNone || !guard.has_flags || guard.allows_cross_slots)
    return std::nullopt;
  if (session.slot != RequestSlot::kNone && session.slot != verdict.slot)
    return errors::kScriptCrossSlots;
  session.slot = verdict.slot;
  return std::nullopt;
}

}  // namespace

bool is_denied_as_stale(const Engine& engine, const Command& command) {
  return !command.has(kStale) && is_stale(engine);
}

std::optional<std::string_view> refusal_in_script(Engine& engine, Session& session,
                                                  ScriptGuard& guard, const Command& command,
                                                  Args words) {
  if (command.has(kWrite) && !guard.has_written) {
    if (is_read_only_replica(engine)) return errors::kReadOnlyReplica;
    if (lacks_replicas(engine)) return errors::kNoReplicas;
  }
  if (engine.oom_at_start && !guard.allows_oom && !guard.has_written && command.has(kDenyOom))
    return errors::kOom;
  if (command.has(kWrite)) guard.has_written = true;
  if (!engine.cluster.enabled) return std::nullopt;
  return slot_refusal_in_script(engine, session, guard, command, words);
}

bool needs_guarding(const Engine& engine) {
  return engine.cluster.enabled || engine.replication.primary || wants_replicas(engine) ||
         engine.config.watching().max_memory > 0;
}

}  // namespace picklock
