// ACL: users, their rules, and the log of what was refused.
#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/acl_errors.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/engine/acl_file.hpp"
#include "emulator/engine/acl_sessions.hpp"
#include "emulator/engine/command_info.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/control/control.hpp"
#include "emulator/engine/dispatch.hpp"
#include "emulator/engine/help.hpp"

namespace picklock {
namespace {

Acl& acl(Context& c) { return engine_context(c).engine.acl; }

void acl_whoami(Context& c) { c.reply.bulk(engine_context(c).session.identity->user); }

void acl_users(Context& c) {
  c.reply.array(acl(c).users().size());
  for (const auto& [name, user] : acl(c).users()) c.reply.bulk(name);
}

void acl_list(Context& c) {
  c.reply.array(acl(c).users().size());
  for (const auto& [name, user] : acl(c).users())
    c.reply.bulk("user " + name + " " + user.describe());
}

void acl_setuser(Context& c) {
  auto& ec = engine_context(c);
  for (std::size_t i = 2; i < c.args.size(); ++i) ec.redacted.push_back(i);
  const std::string_view name = c.args[2];
  if (std::any_of(name.begin(), name.end(), [](char letter) {
        return letter == '\0' || letter == ' ' || (letter >= '\t' && letter <= '\r');
      }))
    return c.reply.error(errors::kUserName);
  const bool all_channels = ec.engine.config.get("acl-pubsub-default") == "allchannels";
  const User* old_user = acl(c).find(name);
  ChangedUser changed =
      change_user(old_user ? *old_user : User{NumberedCommands::of(*c.profile), all_channels},
                  c.args.subspan(3), all_channels);
  if (!changed.user) return c.reply.error(changed.error);
  change_user_of_sessions(ec, name, std::move(*changed.user));
  c.reply.ok();
}

void acl_deluser(Context& c) {
  const Args names = c.args.subspan(2);
  if (std::find(names.begin(), names.end(), Acl::kDefault) != names.end())
    return c.reply.error(errors::kDefaultUserStays);
  std::int64_t deleted = 0;
  for (const std::string_view name : names) {
    if (!acl(c).erase(name)) continue;
    ++deleted;
    end_sessions_of(engine_context(c), name);
  }
  c.reply.integer(deleted);
}

void write_selector(ReplyWriter& reply, const Selector& selector) {
  reply.bulk("commands");
  reply.bulk(selector.describe_commands());
  reply.bulk("keys");
  reply.bulk(selector.describe_keys());
  reply.bulk("channels");
  reply.bulk(selector.describe_channels());
}

void acl_getuser(Context& c) {
  const User* user = acl(c).find(c.args[2]);
  if (!user) return c.reply.null();
  c.reply.map(6);
  c.reply.bulk("flags");
  c.reply.set(user->flags().size());
  for (const std::string_view flag : user->flags()) c.reply.bulk(flag);
  c.reply.bulk("passwords");
  c.reply.array(user->password_hashes().size());
  for (const std::string& hash : user->password_hashes()) c.reply.bulk(hash);
  write_selector(c.reply, user->selectors().front());
  c.reply.bulk("selectors");
  c.reply.array(user->selectors().size() - 1);
  for (std::size_t i = 1; i < user->selectors().size(); ++i) {
    c.reply.map(3);
    write_selector(c.reply, user->selectors()[i]);
  }
}

void acl_cat(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "ACL"));
  if (c.args.size() == 2) {
    const auto categories = acl_category_names();
    c.reply.array(categories.size());
    for (const auto& [bit, name] : categories) c.reply.bulk(name.substr(1));
    return;
  }
  const std::uint32_t category = find_acl_category(c.args[2]);
  if (category == 0)
    return c.reply.error("ERR Unknown category '" + errors::printed(c.args[2], 128) + "'");
  std::vector<std::string_view> names;
  for (const NumberedCommand& command : NumberedCommands::of(*c.profile).rows())
    if (command.categories & category) names.push_back(command.row->name);
  c.reply.array(names.size());
  for (const std::string_view name : names) c.reply.bulk(name);
}

void acl_dryrun(Context& c) {
  const User* user = acl(c).find(c.args[2]);
  if (!user) return c.reply.error("ERR User '" + errors::printed(c.args[2]) + "' not found");
  const Args words = c.args.subspan(3);
  const Command* command = resolve(words, *c.profile);
  if (!command) return c.reply.error("ERR Command '" + errors::printed(words[0]) + "' not found");
  if (!command->takes(words.size())) return c.reply.error(errors::wrong_arity(command->name));
  const AclVerdict verdict = user->check(*command, words);
  if (verdict.denied == Denied::no) return c.reply.ok();
  if (verdict.denied == Denied::command)
    return c.reply.bulk("This user has no permissions to run the '" + std::string{command->name} +
                        "' command");
  c.reply.bulk("This user has no permissions to access the '" +
               errors::printed(words[verdict.word]) + "' " +
               (verdict.denied == Denied::key ? "key" : "channel"));
}

void acl_genpass(Context& c) {
  constexpr std::int64_t kMostBits = 4096;
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "ACL"));
  std::int64_t bits = 256;
  if (c.args.size() == 3) {
    const auto wanted = parse_int64(c.args[2]);
    if (!wanted) return c.reply.error(errors::kNotInteger);
    if (*wanted < 1 || *wanted > kMostBits) return c.reply.error(errors::kGenpassBits);
    bits = *wanted;
  }
  std::string password;
  for (std::int64_t i = 0; i < (bits + 3) / 4; ++i)
    password += "0123456789abcdef"[c.random.below(16)];
  c.reply.bulk(password);
}

void write_log_entry(ReplyWriter& reply, const AclLogEntry& entry, Instant now) {
  static constexpr std::string_view kReasons[] = {"", "command", "key", "auth", "channel"};
  reply.map(7);
  reply.bulk("count");
  reply.integer(entry.count);
  reply.bulk("reason");
  reply.bulk(kReasons[static_cast<std::size_t>(entry.reason)]);
  reply.bulk("context");
  reply.bulk(entry.context);
  reply.bulk("object");
  reply.bulk(entry.object);
  reply.bulk("username");
  reply.bulk(entry.username);
  reply.bulk("age-seconds");
  reply.real(static_cast<double>(to_unix_ms(now) - to_unix_ms(entry.at)) / 1000);
  reply.bulk("client-info");
  reply.bulk(entry.client);
}

void acl_log(Context& c) {
  if (c.args.size() > 3) return c.reply.error(errors::wrong_subcommand(c.args[1], "ACL"));
  std::int64_t wanted = 10;
  if (c.args.size() == 3) {
    if (is_word(c.args[2], "reset")) return acl(c).clear_log(), c.reply.ok();
    const auto count = parse_int64(c.args[2]);
    if (!count) return c.reply.error(errors::kNotInteger);
    wanted = std::max<std::int64_t>(*count, 0);
  }
  const auto& log = acl(c).log();
  const auto shown = std::min(log.size(), static_cast<std::size_t>(wanted));
  c.reply.array(shown);
  for (std::size_t i = 0; i < shown; ++i) write_log_entry(c.reply, log[i], c.clock.now());
}

/// The file of users; empty, with the error answered, if the configuration names none.
std::string acl_path(Context& c) {
  std::string path{engine_context(c).engine.config.get("aclfile")};
  if (path.empty() || !engine_context(c).engine.control->host) c.reply.error(errors::kNoAclFile);
  return engine_context(c).engine.control->host ? path : std::string{};
}

void acl_load(Context& c) {
  auto& ec = engine_context(c);
  const std::string path = acl_path(c);
  if (path.empty()) return;
  std::string why;
  const auto text = ec.engine.control->host->read_file(path, why);
  if (!text) return c.reply.error("ERR Error loading ACLs, opening file '" + path + "': " + why);
  const AclFile file = read_acl_file(ec.engine, path, *text);
  if (!file.error.empty()) return c.reply.error("ERR " + file.error);
  // Redis 7.0 frees the users that there were, whatever becomes of them, and cuts their clients
  // off.
  std::vector<std::string> names;
  for (const auto& [name, user] : acl(c).users())
    if (name != Acl::kDefault) names.push_back(name);
  replace_users(ec.engine, file);
  for (const std::string& name : names) end_sessions_of(ec, name);
  c.reply.ok();
}

void acl_save(Context& c) {
  Engine& engine = engine_context(c).engine;
  const std::string path = acl_path(c);
  if (path.empty()) return;
  std::string why;
  if (!engine.control->host->write_file(path, acl_file_text(engine), why))
    return c.reply.error(errors::kAclSaveFailed);
  c.reply.ok();
}

void acl_help(Context& c) { write_help(c, help::acl()); }

constexpr std::uint32_t kAnyone = kNoScript | kLoading | kStale;
constexpr std::uint32_t kAdministrator = kAnyone | kAdmin;

constexpr Command kAclSubcommands[] = {
    {"acl|cat", -2, kAnyone, 0, {}, "server", "6.0.0", acl_cat},
    {"acl|deluser", -3, kAdministrator, 0, {}, "server", "6.0.0", acl_deluser},
    {"acl|dryrun", -4, kAdministrator, 0, {}, "server", "7.0.0", acl_dryrun},
    {"acl|genpass", -2, kAnyone, 0, {}, "server", "6.0.0", acl_genpass},
    {"acl|getuser", 3, kAdministrator, 0, {}, "server", "6.0.0", acl_getuser},
    {"acl|help", 2, kLoading | kStale, 0, {}, "server", "6.0.0", acl_help},
    {"acl|list", 2, kAdministrator, 0, {}, "server", "6.0.0", acl_list},
    {"acl|load", 2, kAdministrator, 0, {}, "server", "6.0.0", acl_load},
    {"acl|log", -2, kAdministrator, 0, {}, "server", "6.0.0", acl_log},
    {"acl|save", 2, kAdministrator, 0, {}, "server", "6.0.0", acl_save},
    {"acl|setuser", -3, kAdministrator, 0, {}, "server", "6.0.0", acl_setuser},
    {"acl|users", 2, kAdministrator, 0, {}, "server", "6.0.0", acl_users},
    {"acl|whoami", 2, kAnyone, 0, {}, "server", "6.0.0", acl_whoami},
};

constexpr Command kAclCommands[] = {
    {"acl", -2, 0, 0, {}, "server", "6.0.0", nullptr, kAclSubcommands},
};

}  // namespace

std::span<const Command> commands::acl() { return kAclCommands; }

}  // namespace picklock
