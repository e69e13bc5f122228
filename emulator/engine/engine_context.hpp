// What the engine's own handlers get beyond the data: the engine and the session.
#pragma once

#include <vector>

#include "emulator/commands/context.hpp"
#include "emulator/engine/engine.hpp"

namespace picklock {

struct EngineContext : Context {
  Engine& engine;
  Session& session;
  bool may_block = true;  ///< Not within a script.
  /// Positions of words that logs and monitors must not show.
  std::vector<std::size_t> redacted = {};

  EngineContext(Engine& the_engine, Session& the_session, Args words, ReplyWriter& writer,
                const Command& row, std::int64_t now)
      : Context{words,
                writer,
                &row,
                the_engine.keyspace,
                the_session.database,
                now,
                the_engine.clock,
                the_engine.random,
                the_engine.config.max_bulk_bytes(),
                the_engine.config.limits()},
        engine(the_engine),
        session(the_session) {
    number = the_engine.keyspace.next_command();
    on_replica = the_engine.replication.primary.has_value();
    in_cluster = the_engine.cluster.enabled;
    profile = the_engine.profile;
    no_touch = the_session.no_touch && row.name != "touch";
    if (the_engine.effects) effects = &the_engine;
    if (effects || the_engine.config.events().any() || the_engine.tracking.is_needed())
      events = &the_engine;
  }
};

/// Every Context that reaches a handler was made by the engine.
inline EngineContext& engine_context(Context& c) { return static_cast<EngineContext&>(c); }

}  // namespace picklock
