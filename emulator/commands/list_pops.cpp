// What takes elements out of lists. A list that loses its last element is deleted.
#include <algorithm>
#include <string>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/lists.hpp"

namespace picklock {

std::optional<End> parse_end(std::string_view word) {
  if (is_word(word, "left")) return End::left;
  if (is_word(word, "right")) return End::right;
  return std::nullopt;
}

bool is_list(Context& c, std::string_view key) { return c.find_as<ListValue>(key) != nullptr; }

bool holds_list(Context& c, std::string_view key) {
  const KeyEntry* entry = c.find(key);
  return entry && std::holds_alternative<ListValue>(entry->value);
}

namespace {

std::string_view next_of(const ListValue& list, End from) {
  return from == End::left ? list.front() : list.back();
}
void drop_next(ListValue& list, End from) {
  from == End::left ? list.pop_front() : list.pop_back();
}
void reply_next(Context& c, ListValue& list, End from) {
  c.reply.bulk(next_of(list, from));
  drop_next(list, from);
}

/// Tells of a pop, and deletes the list if nothing is left.
void popped(Context& c, std::string_view key, End from, bool empty) {
  c.early_event(EventClass::list, from == End::left ? "lpop" : "rpop", key);
  if (!empty) return;
  c.db().erase(key);
  c.early_event(EventClass::generic, "del", key);
}

void push_one(Context& c, std::string_view key, End to, std::string_view element) {
  ListValue* list = c.edit_as<ListValue>(key);
  if (!list) {
    ListValue made;
    made.push_back(element);
    c.db().put(key, std::move(made));
  } else if (to == End::left) {
    list->push_front(element);
  } else {
    list->push_back(element);
  }
  c.event(EventClass::list, to == End::left ? "lpush" : "rpush", key);
}

}  // namespace

void reply_popped(Context& c, std::string_view key, End from) {
  ListValue& list = *c.edit_as<ListValue>(key);
  reply_next(c, list, from);
  popped(c, key, from, list.empty());
}

void reply_popped_many(Context& c, std::string_view key, End from, std::int64_t count) {
  ListValue& list = *c.edit_as<ListValue>(key);
  count = std::min(count, static_cast<std::int64_t>(list.size()));
  c.reply.array(static_cast<std::size_t>(count));
  for (; count > 0; --count) reply_next(c, list, from);
  popped(c, key, from, list.empty());
}

void reply_moved(Context& c, std::string_view source, std::string_view destination, End from,
                 End to) {
  is_list(c, destination);
  if (c.failed) return;
  // Its change is told after that of the other list, as Redis does.
  ListValue& list = *c.open_as<ListValue>(source);
  const std::string element{next_of(list, from)};
  drop_next(list, from);
  push_one(c, destination, to, element);
  c.reply.bulk(element);
  popped(c, source, from, c.edit_as<ListValue>(source)->empty());
}

namespace {

/// A number from 1 on, or nullopt.
std::optional<std::int64_t> parse_positive(std::string_view word) {
  const auto number = parse_int64(word);
  return number && *number > 0 ? number : std::nullopt;
}

/// [COUNT count], once, from word `at` on.
bool parse_count(Context& c, std::size_t at, std::int64_t& count) {
  bool given = false;
  for (; at < c.args.size(); at += 2) {
    if (given || !is_word(c.args[at], "count") || at + 1 == c.args.size())
      return c.reply.error(errors::kSyntax), false;
    const auto number = parse_positive(c.args[at + 1]);
    if (!number) return c.reply.error(errors::kCountNotPositive), false;
    count = *number;
    given = true;
  }
  return true;
}

}  // namespace

std::optional<ManyPop> parse_many_pop(Context& c, std::size_t at) {
  const auto numkeys = parse_positive(c.args[at]);
  const auto error = [&c](std::string_view text) { return c.reply.error(text), std::nullopt; };
  if (!numkeys) return error(errors::kNumkeysNotPositive);
  const std::size_t behind = c.args.size() - at - 1;
  if (*numkeys >= static_cast<std::int64_t>(behind)) return error(errors::kSyntax);
  const auto count = static_cast<std::size_t>(*numkeys);
  const auto from = parse_end(c.args[at + 1 + count]);
  if (!from) return error(errors::kSyntax);
  ManyPop pop{c.args.subspan(at + 1, count), *from, 1};
  if (!parse_count(c, at + count + 2, pop.count)) return std::nullopt;
  return pop;
}

bool reply_many_popped(Context& c, const ManyPop& pop) {
  for (const std::string_view key : pop.keys) {
    const bool found = is_list(c, key);
    if (c.failed) return true;
    if (!found) continue;
    c.reply.array(2);
    c.reply.bulk(key);
    const auto size = static_cast<std::int64_t>(std::get<ListValue>(c.look(key)->value).size());
    reply_popped_many(c, key, pop.from, pop.count);
    // Redis: as LPOP or RPOP with a count.
    if (c.effects)
      c.replicate_as(
          {pop.from == End::left ? "LPOP" : "RPOP", key, to_text(std::min(size, pop.count))});
    return true;
  }
  return false;
}

namespace {

void pop_from(Context& c, End from) {
  const bool many = c.args.size() == 3;
  if (c.args.size() > 3) return c.reply.error(errors::wrong_arity(c.command->name));
  const auto count = many ? parse_int64(c.args[2]) : 1;
  if (!count || *count < 0) return c.reply.error(errors::kMustBePositive);
  const bool found = is_list(c, c.args[1]);
  if (c.failed) return;
  if (!found) return many ? c.reply.null_array() : c.reply.null();
  if (*count == 0) return c.reply.array(0);
  if (many)
    reply_popped_many(c, c.args[1], from, *count);
  else
    reply_popped(c, c.args[1], from);
}

void lpop(Context& c) { pop_from(c, End::left); }
void rpop(Context& c) { pop_from(c, End::right); }

void move(Context& c, End from, End to) {
  const bool found = is_list(c, c.args[1]);
  if (c.failed) return;
  if (!found) return c.reply.null();
  reply_moved(c, c.args[1], c.args[2], from, to);
}

void lmove(Context& c) {
  const auto from = parse_end(c.args[3]);
  const auto to = parse_end(c.args[4]);
  if (!from || !to) return c.reply.error(errors::kSyntax);
  move(c, *from, *to);
}

void rpoplpush(Context& c) { move(c, End::right, End::left); }

void lmpop(Context& c) {
  const auto pop = parse_many_pop(c, 1);
  if (pop && !reply_many_popped(c, *pop)) c.reply.null_array();
}

constexpr KeySpec kMoveKeys[] = {{"RW access delete"}, {"RW insert", 2}};
constexpr KeySpec kManyKeys[] = {{.flags = "RW access delete", .find = KeySpec::Find::keynum}};

constexpr Command kListPopsCommands[] = {
    {"lpop", -2, kWrite | kFast, kAclList, keys::kReadDelete, "list", "1.0.0", lpop},
    {"rpop", -2, kWrite | kFast, kAclList, keys::kReadDelete, "list", "1.0.0", rpop},
    {"lmove", 5, kWrite | kDenyOom, kAclList, kMoveKeys, "list", "6.2.0", lmove},
    {"rpoplpush", 3, kWrite | kDenyOom, kAclList, kMoveKeys, "list", "1.2.0", rpoplpush},
    {"lmpop", -4, kWrite | kMovableKeys, kAclList, kManyKeys, "list", "7.0.0", lmpop},
};

}  // namespace

std::span<const Command> commands::list_pops() { return kListPopsCommands; }

}  // namespace picklock
