// BLPOP and its kin: what waits for lists.
#include "emulator/commands/errors.hpp"
#include "emulator/commands/lists.hpp"
#include "emulator/engine/blocking_timeout.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {
namespace {

void reply_key_and_popped(Context& c, std::string_view key, End from) {
  c.reply.array(2);
  c.reply.bulk(key);
  reply_popped(c, key, from);
  c.replicate_as({from == End::left ? "LPOP" : "RPOP", key});
}

template <End from>
bool serve_pop(EngineContext& c, std::string_view key) {
  if (!holds_list(c, key)) return false;
  reply_key_and_popped(c, key, from);
  return true;
}

template <End from>
void pop_or_wait(Context& c) {
  const auto timeout = parse_timeout(c, c.args.back());
  if (!timeout) return;
  const Args keys = c.args.subspan(1, c.args.size() - 2);
  for (const std::string_view key : keys) {
    const bool found = is_list(c, key);
    if (c.failed) return;
    if (found) return reply_key_and_popped(c, key, from);
  }
  auto& ec = engine_context(c);
  ec.engine.block_on(ec, keys, timeout->deadline, reply_timed_out, serve_pop<from>);
}

struct Move {
  End from, to;
};

// Redis: as the command that does not wait; who has waited has its words in lower case.
void reply_and_replicate_move(Context& c, std::string_view source, Move ends, bool has_waited) {
  reply_moved(c, source, c.args[2], ends.from, ends.to);
  if (c.failed) return;
  if (c.command->name == "brpoplpush") return c.replicate_as({"RPOPLPUSH", source, c.args[2]});
  const auto name = [](End end) { return end == End::left ? "left" : "right"; };
  if (has_waited)
    c.replicate_as({"LMOVE", source, c.args[2], name(ends.from), name(ends.to)});
  else
    c.replicate_as({"LMOVE", source, c.args[2], c.args[3], c.args[4]});
}

bool serve_move(EngineContext& c, std::string_view key, Move ends) {
  if (!holds_list(c, key)) return false;
  reply_and_replicate_move(c, key, ends, /*has_waited=*/true);
  return true;
}

void move_or_wait(Context& c, Move ends, bool (*try_serve)(EngineContext&, std::string_view)) {
  const auto timeout = parse_timeout(c, c.args.back());
  if (!timeout) return;
  const bool found = is_list(c, c.args[1]);
  if (c.failed) return;
  if (found) return reply_and_replicate_move(c, c.args[1], ends, /*has_waited=*/false);
  auto& ec = engine_context(c);
  // Where nothing waits, Redis answers another null than when the time is over.
  const bool in_transaction = ec.session.transaction && ec.session.transaction->executing;
  if (!ec.may_block || in_transaction) return c.reply.null();
  ec.engine.block_on(ec, c.args.subspan(1, 1), timeout->deadline, reply_timed_out, try_serve);
}

void blmove(Context& c) {
  const auto from = parse_end(c.args[3]);
  const auto to = parse_end(c.args[4]);
  if (!from || !to) return c.reply.error(errors::kSyntax);
  move_or_wait(c, {*from, *to}, [](EngineContext& ec, std::string_view key) {
    return serve_move(ec, key, {*parse_end(ec.args[3]), *parse_end(ec.args[4])});
  });
}

void brpoplpush(Context& c) {
  move_or_wait(c, {End::right, End::left}, [](EngineContext& ec, std::string_view key) {
    return serve_move(ec, key, {End::right, End::left});
  });
}

void blmpop(Context& c) {
  const auto pop = parse_many_pop(c, 2);
  if (!pop) return;
  const auto timeout = parse_timeout(c, c.args[1]);
  if (!timeout || reply_many_popped(c, *pop)) return;
  auto& ec = engine_context(c);
  ec.engine.block_on(ec, pop->keys, timeout->deadline, reply_timed_out,
                     [](EngineContext& waiting, std::string_view key) {
                       if (!holds_list(waiting, key)) return false;
                       ManyPop again = *parse_many_pop(waiting, 2);
                       again.keys = Args{&key, 1};
                       return reply_many_popped(waiting, again);
                     });
}

constexpr std::uint32_t kWaits = kWrite | kNoScript | kBlocking;
constexpr KeySpec kPopKeys[] = {{.flags = "RW access delete", .last = -2}};
constexpr KeySpec kMoveKeys[] = {{"RW access delete"}, {"RW insert", 2}};
constexpr KeySpec kManyKeys[] = {
    {.flags = "RW access delete", .first = 2, .find = KeySpec::Find::keynum}};

constexpr Command kBlockingListsCommands[] = {
    {"blpop", -3, kWaits, kAclList, kPopKeys, "list", "2.0.0", pop_or_wait<End::left>},
    {"brpop", -3, kWaits, kAclList, kPopKeys, "list", "2.0.0", pop_or_wait<End::right>},
    {"blmove", 6, kWaits | kDenyOom, kAclList, kMoveKeys, "list", "6.2.0", blmove},
    {"brpoplpush", 4, kWaits | kDenyOom, kAclList, kMoveKeys, "list", "2.2.0", brpoplpush},
    {"blmpop", -5, kWrite | kBlocking | kMovableKeys, kAclList, kManyKeys, "list", "7.0.0", blmpop},
};

}  // namespace

std::span<const Command> commands::blocking_lists() { return kBlockingListsCommands; }

}  // namespace picklock
