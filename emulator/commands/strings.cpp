// SET and GET and their kin.
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/context.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"
#include "emulator/commands/string_options.hpp"

namespace picklock {
namespace {

/// Answers with the string at `key` or null; false if WRONGTYPE was answered instead.
bool reply_string(Context& c, std::string_view key) {
  const auto* value = c.read_as<StringValue>(key);
  if (c.failed) return false;
  if (value)
    c.reply.bulk(*value);
  else
    c.reply.null();
  return true;
}

void replicate_lasting(Context& c, std::string_view value, std::int64_t deadline_ms) {
  if (c.effects) c.replicate_as({"SET", c.args[1], value, "PXAT", to_text(deadline_ms)});
}

// Redis, setGenericCommand: with an instant and nothing else, and without GET.
void replicate_set(Context& c, const StringOptions& options, std::int64_t deadline_ms) {
  if (deadline_ms != kNoDeadline) return replicate_lasting(c, c.args[2], deadline_ms);
  if (!options.get) return;
  std::vector<std::string_view> words(c.args.begin(), c.args.begin() + 3);
  for (const std::string_view word : c.args.subspan(3))
    if (!is_word(word, "get")) words.push_back(word);
  c.replicate_as(words);
}

void set(Context& c) {
  const auto options = read_string_options(c, c.args.subspan(3), Dialect::set);
  if (!options) return;
  const std::string_view key = c.args[1];
  std::int64_t deadline_ms = kNoDeadline;
  if (options->expire != StringOptions::Expire::none) {
    const auto deadline = read_set_deadline(c, options->time, options->unit(), options->base());
    if (!deadline) return;
    deadline_ms = *deadline;
  }
  if (options->get && !reply_string(c, key)) return;
  if (options->comparison) {
    const auto* value = c.find_as<StringValue>(key);
    if (c.failed) return;
    const Comparison& comparison = *options->comparison;
    if (!(value ? comparison.holds(*value) : comparison.holds_for_missing())) {
      if (!options->get) c.reply.null();
      return;
    }
  } else if (options->nx || options->xx) {
    const bool found = c.find(key) != nullptr;
    if (options->nx == found) {
      if (!options->get) c.reply.null();
      return;
    }
  } else if (options->keep_ttl) {
    c.find(key);  // Redis looks the key up first, so the TTL of an expired key is not kept.
  }
  c.about_to_overwrite(key);
  c.db().put_text(key, c.args[2], options->keep_ttl ? std::nullopt : std::optional{deadline_ms});
  c.event(EventClass::string, "set", key);
  if (deadline_ms != kNoDeadline) c.event(EventClass::generic, "expire", key);
  if (c.effects) replicate_set(c, *options, deadline_ms);
  if (!options->get) c.reply.ok();
}

void get(Context& c) { reply_string(c, c.args[1]); }

void getset(Context& c) {
  if (!reply_string(c, c.args[1])) return;
  c.db().put_text(c.args[1], c.args[2]);
  c.event(EventClass::string, "set", c.args[1]);
  c.replicate_as({"SET", c.args[1], c.args[2]});
}

void getdel(Context& c) {
  if (!reply_string(c, c.args[1]) || !c.db().erase(c.args[1])) return;
  c.replicate_deletion(c.args[1], "user-del");
  c.event(EventClass::generic, "del", c.args[1]);
}

void getex(Context& c) {
  const auto options = read_string_options(c, c.args.subspan(2), Dialect::getex);
  if (!options) return;
  const std::string_view key = c.args[1];
  const auto* value = c.read_as<StringValue>(key);
  if (c.failed) return;
  if (!value) return c.reply.null();
  if (options->expire == StringOptions::Expire::none) {
    c.reply.bulk(*value);
    if (!options->persist || c.find(key)->deadline_ms == kNoDeadline) return;
    c.db().set_deadline(key, kNoDeadline);
    c.replicate_as({"PERSIST", key});
    return c.event(EventClass::generic, "persist", key);
  }
  const auto deadline = read_set_deadline(c, options->time, options->unit(), options->base());
  if (!deadline) return;
  c.reply.bulk(*value);
  const bool gone = options->base() == TimeBase::absolute && already_expired(c, *deadline);
  if (gone) {
    c.db().erase(key);
    c.replicate_deletion(key, "expire");
  } else {
    c.db().set_deadline(key, *deadline);
    c.replicate_deadline(key, *deadline);
  }
  c.event(EventClass::generic, gone ? "del" : "expire", key);
}

void setnx(Context& c) {
  if (c.find(c.args[1])) return c.reply.integer(0);
  c.db().put_text(c.args[1], c.args[2]);
  c.event(EventClass::string, "set", c.args[1]);
  c.reply.integer(1);
}

void set_with_ttl(Context& c, TimeUnit unit) {
  const auto deadline = read_set_deadline(c, c.args[2], unit, TimeBase::relative);
  if (!deadline) return;
  c.about_to_overwrite(c.args[1]);
  c.db().put_text(c.args[1], c.args[3], *deadline);
  c.event(EventClass::string, "set", c.args[1]);
  c.event(EventClass::generic, "expire", c.args[1]);
  replicate_lasting(c, c.args[3], *deadline);
  c.reply.ok();
}

void setex(Context& c) { set_with_ttl(c, TimeUnit::seconds); }
void psetex(Context& c) { set_with_ttl(c, TimeUnit::milliseconds); }

void mget(Context& c) {
  c.reply.array(c.args.size() - 1);
  for (const std::string_view key : c.args.subspan(1)) {
    const KeyEntry* entry = c.find(key);
    const auto* value = entry ? std::get_if<StringValue>(&entry->value) : nullptr;
    if (value)
      c.reply.bulk(*value);
    else
      c.reply.null();
  }
}

void mset(Context& c) {
  if (c.args.size() % 2 == 0) return c.reply.error(errors::wrong_arity("mset"));
  for (std::size_t i = 1; i < c.args.size(); i += 2) {
    c.about_to_overwrite(c.args[i]);
    c.db().put_text(c.args[i], c.args[i + 1]);
    c.event(EventClass::string, "set", c.args[i]);
  }
  c.reply.ok();
}

void msetnx(Context& c) {
  if (c.args.size() % 2 == 0) return c.reply.error(errors::wrong_arity("msetnx"));
  for (std::size_t i = 1; i < c.args.size(); i += 2)
    if (c.find(c.args[i])) return c.reply.integer(0);
  for (std::size_t i = 1; i < c.args.size(); i += 2) {
    c.db().put_text(c.args[i], c.args[i + 1]);
    c.event(EventClass::string, "set", c.args[i]);
  }
  c.reply.integer(1);
}

void append(Context& c) {
  const std::string_view key = c.args[1];
  const auto* old = c.find_as<StringValue>(key);
  if (c.failed) return;
  const std::size_t size = (old ? old->size() : 0) + c.args[2].size();
  if (old && size > static_cast<std::size_t>(c.max_string_bytes))
    return c.reply.error(errors::kStringTooLong);
  if (old)
    c.edit_as<StringValue>(key)->append(c.args[2]);
  else
    c.db().put_text(key, c.args[2]);
  c.event(EventClass::string, "append", key);
  c.reply.integer(static_cast<std::int64_t>(size));
}

void strlen(Context& c) {
  const auto* value = c.find_as<StringValue>(c.args[1]);
  if (!c.failed) c.reply.integer(value ? static_cast<std::int64_t>(value->size()) : 0);
}

constexpr KeySpec kSetKeys[] = {{.flags = "RW access update variable_flags",
                                 .notes = "RW and ACCESS due to the optional `GET` argument"}};
constexpr KeySpec kGetexKeys[] = {
    {.flags = "RW access update", .notes = "RW and UPDATE because it changes the TTL"}};

constexpr Command kStringsCommands[] = {
    {"set", -3, kWrite | kDenyOom, kAclString, kSetKeys, "string", "1.0.0", set},
    {"get", 2, kReadonly | kFast, kAclString, keys::kRead, "string", "1.0.0", get},
    {"getset", 3, kWrite | kDenyOom | kFast, kAclString, keys::kReadUpdate, "string", "1.0.0",
     getset},
    {"getdel", 2, kWrite | kFast, kAclString, keys::kReadDelete, "string", "6.2.0", getdel},
    {"getex", -2, kWrite | kFast, kAclString, kGetexKeys, "string", "6.2.0", getex},
    {"setnx", 3, kWrite | kDenyOom | kFast, kAclString, keys::kOverwriteInsert, "string", "1.0.0",
     setnx},
    {"setex", 4, kWrite | kDenyOom, kAclString, keys::kOverwrite, "string", "2.0.0", setex},
    {"psetex", 4, kWrite | kDenyOom, kAclString, keys::kOverwrite, "string", "2.6.0", psetex},
    {"mget",
     -2,
     kReadonly | kFast,
     kAclString,
     keys::kReadAll,
     "string",
     "1.0.0",
     mget,
     {},
     "request_policy:multi_shard"},
    {"mset",
     -3,
     kWrite | kDenyOom,
     kAclString,
     keys::kOverwritePairs,
     "string",
     "1.0.1",
     mset,
     {},
     "request_policy:multi_shard response_policy:all_succeeded"},
    {"msetnx",
     -3,
     kWrite | kDenyOom,
     kAclString,
     keys::kInsertPairs,
     "string",
     "1.0.1",
     msetnx,
     {},
     "request_policy:multi_shard response_policy:agg_min"},
    {"append", 3, kWrite | kDenyOom | kFast, kAclString, keys::kInsert, "string", "2.0.0", append},
    {"strlen", 2, kReadonly | kFast, kAclString, keys::kLook, "string", "2.2.0", strlen},
};

}  // namespace

std::span<const Command> commands::strings() { return kStringsCommands; }

}  // namespace picklock
