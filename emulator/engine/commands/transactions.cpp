// MULTI, EXEC, DISCARD, WATCH, UNWATCH.
#include "emulator/commands/acl_errors.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/acl_sessions.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/transaction.hpp"

namespace picklock {
namespace {

void multi(Context& c) {
  Session& session = engine_context(c).session;
  // A nested MULTI is refused without spoiling the transaction.
  if (session.transaction) return c.reply.error(errors::kNestedMulti);
  session.transaction = Transaction{};
  c.reply.ok();
}

void discard_transaction(Context& c) {
  Session& session = engine_context(c).session;
  if (!session.transaction) return c.reply.error(errors::kDiscardWithoutMulti);
  discard(c.keyspace, session);
  c.reply.ok();
}

/// What a queued command is answered that its user may not execute any more.
std::string rules_changed(const AclVerdict& verdict) {
  const char* reason = verdict.denied == Denied::command
                           ? "no permission to execute the command or subcommand"
                       : verdict.denied == Denied::key
                           ? "no permission to touch the specified keys"
                           : "no permission to access one of the channels used as arguments";
  return std::string{errors::kRulesChanged} + reason;
}

// The queue stays where it is until the end, for CLIENT INFO still shows it; and EXEC's own instant
// judges the expiry of every key that a queued command meets.
void execute_queue(EngineContext& c) {
  Transaction& transaction = *c.session.transaction;
  transaction.executing = true;
  c.reply.array(transaction.queue.size());
  for (const QueuedCommand& queued : transaction.queue) {
    const std::vector<std::string_view> words(queued.words.begin(), queued.words.end());
    if (!c.session.unrestricted) {
      const AclVerdict verdict =
          check_and_log(c.engine, c.session, *queued.command, words, "multi");
      if (verdict.denied != Denied::no) {
        c.engine.replies_to(c.session).error(rules_changed(verdict));
        continue;
      }
    }
    // A queued CLIENT REPLY may have turned the replies off.
    EngineContext context{c.engine,        c.session, words, c.engine.replies_to(c.session),
                          *queued.command, c.now_ms};
    c.engine.run(context);
  }
}

void exec(Context& c) {
  auto& ec = engine_context(c);
  if (!ec.session.transaction) return c.reply.error(errors::kExecWithoutMulti);
  const bool touched =
      is_touched(c.keyspace, ec.session) || has_expired_watch(c.keyspace, ec.session, c.now_ms);
  unwatch_all(c.keyspace, ec.session);
  if (ec.session.transaction->aborted)
    c.reply.error(errors::kExecAborted);
  else if (touched)
    c.reply.null_array();
  else
    execute_queue(ec);
  discard(c.keyspace, ec.session);
}

void watch_keys(Context& c) {
  Session& session = engine_context(c).session;
  if (session.transaction) return c.reply.error(errors::kWatchInsideMulti);
  for (const std::string_view key : c.args.subspan(1)) watch(c.keyspace, session, key, c.now_ms);
  c.reply.ok();
}

void unwatch(Context& c) {
  unwatch_all(c.keyspace, engine_context(c).session);
  c.reply.ok();
}

constexpr std::uint32_t kTransactionFlags = kNoScript | kLoading | kStale | kFast | kAllowBusy;

constexpr Command kTransactionsCommands[] = {
    {"multi", 1, kTransactionFlags, kAclTransaction, {}, "transactions", "1.2.0", multi},
    {"exec",
     1,
     kNoScript | kLoading | kStale | kSkipSlowlog,
     kAclTransaction,
     {},
     "transactions",
     "1.2.0",
     exec},
    {"discard",
     1,
     kTransactionFlags,
     kAclTransaction,
     {},
     "transactions",
     "2.0.0",
     discard_transaction},
    {"watch", -2, kTransactionFlags, kAclTransaction, keys::kLookAll, "transactions", "2.2.0",
     watch_keys},
    {"unwatch", 1, kTransactionFlags, kAclTransaction, {}, "transactions", "2.2.0", unwatch},
};

}  // namespace

std::span<const Command> commands::transactions() { return kTransactionsCommands; }

}  // namespace picklock
