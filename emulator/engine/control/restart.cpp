#include "emulator/engine/control/restart.hpp"

#include <stdexcept>
#include <utility>

#include "emulator/engine/settings.hpp"

namespace picklock {

namespace {

std::int64_t second_of(const Engine& engine) { return to_unix_ms(engine.clock.now()) / 1000; }

SyncedData copy_of(const Engine& engine) {
  return {second_of(engine), engine.keyspace.changes(), engine.keyspace, engine.functions.save()};
}

/// A process knows nobody who followed it, and begins a history of its own.
Replication after_restart(const Replication& before, Instant now) {
  Replication replication = before;
  replication.begin_history(/*remembers=*/false);
  replication.offset = 0;
  replication.selected = -1;
  replication.has_backlog = false;
  replication.backlog_start = 0;
  replication.full_syncs = 0;
  replication.replicas.clear();
  replication.link = Replication::Link::connect;
  replication.heard_at = Instant{};
  if (replication.primary) replication.down_since = now;
  return replication;
}

}  // namespace

void sync_every_second(Engine& engine, bool on) {
  engine.control->disk = on ? std::make_unique<SyncedData>(copy_of(engine)) : nullptr;
  engine.steered |= on;
}

void sync(SyncedData& disk, const Engine& engine) {
  const std::int64_t second = second_of(engine);
  if (disk.second == second) return;
  if (disk.changes == engine.keyspace.changes() && disk.libraries == engine.functions.save())
    disk.second = second;
  else
    disk = copy_of(engine);
}

void restart(Engine& engine, Restart kept) {
  if (engine.is_executing())
    throw std::logic_error(
        "a request is being carried out: let it end, or kill the script, and "
        "restart the server then");
  SyncedData* const disk = engine.control->disk.get();
  if (kept == Restart::keeps_synced && disk == nullptr)
    throw std::logic_error("nothing is synchronised: call sync_every_second() before it matters");
  if (kept == Restart::keeps_synced) sync(*disk, engine);
  const Instant now = engine.clock.now();
  engine.break_links();
  end_connections(engine, [](const Session&) { return true; });

  Engine::State state = start_state(engine);
  state.scripts = std::make_shared<ScriptCache>();  // It may have begun with some.
  if (kept == Restart::keeps_all) {
    state.keyspace = std::move(engine.keyspace);
    state.libraries = engine.functions.save();
  } else if (kept == Restart::keeps_synced) {
    state.keyspace = disk->keyspace;
    state.keyspace.forget_waiting();  // Connections are not on the disk.
    for (Database& database : state.keyspace.used()) database.watched() = {};
    state.libraries = disk->libraries;
  } else {
    state.keyspace = Keyspace(engine.control->options.databases, engine.control->options.seed);
    state.libraries = std::make_shared<Libraries>();
  }
  state.random = engine.random;
  state.cluster = engine.cluster;
  state.now = state.started_at = state.persistence.last_save = now;
  state.persistence.saved_changes = state.keyspace.changes();
  state.replication = after_restart(engine.replication, now);
  engine.run_id = Replication::id_after(engine.run_id, 1);
  restore_in_place(engine, state);
  apply_settings(engine, {});  // The data may have lived under others.
  engine.begin_turn();
  engine.run_due();  // What has expired meanwhile.
  engine.end_turn();
  if (disk != nullptr) *disk = copy_of(engine);
}

}  // namespace picklock
