// Blocked requests: who waits for which keys, who is served, when they go on.
//
// Redis 7.0: handleClientsBlockedOnKeys, at the end of a top-level command. Keys are served in the
// order in which they became ready, the clients of a key in the order in which they came.
#include <algorithm>
#include <utility>

#include "emulator/engine/engine.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/tracking.hpp"

namespace picklock {

namespace {

Awaited awaited_type(const Blocked& blocked) {
  if (blocked.keys.empty()) return Awaited::none;
  const std::string_view group = blocked.command->group;
  if (group == "stream") return Awaited::stream;
  return group == "list" ? Awaited::list : Awaited::sorted_set;
}

}  // namespace

void Engine::block(EngineContext& c, std::optional<Instant> deadline,
                   void (*on_timeout)(ReplyWriter&)) {
  if (c.session.transaction && c.session.transaction->executing) return on_timeout(c.reply);
  limited_ = true;
  c.session.blocked = Blocked{deadline, ++last_block_order_, on_timeout};
  c.session.blocked->words.assign(c.args.begin(), c.args.end());
  c.session.blocked->command = c.command;
}

void Engine::block_on(EngineContext& c, Args keys, std::optional<Instant> deadline,
                      void (*on_timeout)(ReplyWriter&),
                      bool (*try_serve)(EngineContext&, std::string_view)) {
  const bool in_transaction = c.session.transaction && c.session.transaction->executing;
  if (!c.may_block || in_transaction) return on_timeout(c.reply);
  block(c, deadline, on_timeout);
  Blocked& blocked = *c.session.blocked;
  blocked.keys.assign(keys.begin(), keys.end());
  blocked.try_serve = try_serve;
  for (const std::string& key : blocked.keys) c.db().waited().add(key, c.session.id);
  keyspace.count_waiting(awaited_type(blocked), 1);
  ++waiting_;
}

void Engine::withdraw(Session& session) {
  if (!session.blocked) return;
  for (const std::string& key : session.blocked->keys)
    keyspace[session.database].waited().remove(key, session.id);
  keyspace.count_waiting(awaited_type(*session.blocked), -1);
  if (!session.blocked->keys.empty()) --waiting_;
  session.blocked.reset();
}

void Engine::unblock(Session& session, void (*answer)(ReplyWriter&)) {
  if (steered) note_answer(session);
  answer(replies_to(session));
  release(session);
}

void Engine::release(Session& session) {
  withdraw(session);
  session.last_used_at = now();  // To write to a client is to use it: Redis, writeToClient.
  end_request(session, session.last_command);
  unblocked_.push_back(session.id);
}

// Redis: processUnblockedClients, which comes once the input that was there has been dealt with.
void Engine::end_turn() {
  if (--turns_ > 0 || resuming_) return;
  keyspace.discarded().wear_down(64);  // Few enough that nobody notices, even of large values.
  resuming_ = true;
  try {
    while (!unblocked_.empty()) {
      const auto found = sessions_.find(unblocked_.front());
      unblocked_.pop_front();
      if (found != sessions_.end()) carry_on(*found->second);
    }
  } catch (...) {  // As in execute().
    resuming_ = false;
    throw;
  }
  if (std::exchange(tracking.has_new_limit, false) && tracking.sessions > 0)
    limit_tracked_keys(*this);  // Redis: serverCron, a tenth of a second later at most.
  // Redis: trackingBroadcastInvalidationMessages, once nobody is at work any more.
  if (!tracking.prefixes.empty()) broadcast_changes(*this);
  resuming_ = false;
}

void Engine::collect_ready() {
  for (int index = 0; index < static_cast<int>(keyspace.used().size()); ++index) {
    if (!keyspace[index].waited().has_ready()) continue;
    for (std::string& key : keyspace[index].waited().take_ready()) {
      std::pair<int, std::string> ready{index, std::move(key)};
      if (std::ranges::find(ready_, ready) == ready_.end()) ready_.push_back(std::move(ready));
    }
  }
}

void Engine::serve_ready() {
  while (!ready_.empty()) {
    const auto [database, key] = std::move(ready_.front());
    ready_.pop_front();
    serve_waiters(database, key);
  }
}

void Engine::serve_waiters(int database, const std::string& key) {
  const std::int64_t now_ms = to_unix_ms(clock.now());
  std::size_t passed_over = 0;  // They wait for something of another type.
  for (;;) {
    Database& keys = keyspace[database];
    const WaitedKeys::Waiters* waiters = keys.waited().waiters(key);
    if (!waiters || passed_over == waiters->size()) return;
    const bool lost = !keys.look(key, now_ms);
    const auto found = sessions_.find((*waiters)[passed_over]);
    const bool asked = found != sessions_.end() && found->second->blocked &&
                       (!lost || found->second->blocked->heeds_loss);
    if (!asked || !serve(*found->second, key, now_ms)) ++passed_over;
  }
}

bool Engine::serve(Session& session, std::string_view key, std::int64_t now_ms) {
  if (!session.blocked || session.closing) return false;
  const Blocked& blocked = *session.blocked;
  const std::vector<std::string_view> words(blocked.words.begin(), blocked.words.end());
  const Command& command = *blocked.command;
  EngineContext context{*this, session, words, replies_to(session), command, now_ms};
  errors_seen_ = stats.errors;
  const Instant began = clock.now();
  if (steered) note_effects(current_ ? current_->id : 0);
  const std::uint64_t dirty_before = effects ? dirty() : 0;
  Session* const outer = std::exchange(current_, &session);  // What it changes is its own.
  const bool served = blocked.try_serve(context, key);
  if (served && context.events) tell_changes();
  current_ = outer;
  if (!served) return false;
  if (effects) {
    replicate(context, dirty_before);
    effects->end_unit();
  }
  if (steered) note_effects(session.id);
  finish_held_back(context, clock.now() - began);
  if (!tracking.pending.empty()) send_pending(*this, session);
  if (steered) note_answer(session);
  withdraw(session);
  session.last_used_at = now();
  end_request(session, &command);
  unblocked_.push_back(session.id);
  collect_ready();
  return true;
}

}  // namespace picklock
