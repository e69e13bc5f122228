// COMMAND: the command table, shown.
#include <functional>
#include <vector>

#include "emulator/base/glob.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/server_errors.hpp"
#include "emulator/engine/command_docs.hpp"
#include "emulator/engine/command_info.hpp"
#include "emulator/engine/command_keys.hpp"
#include "emulator/engine/commands/groups.hpp"
#include "emulator/engine/dispatch.hpp"
#include "emulator/engine/engine_context.hpp"
#include "emulator/engine/help.hpp"
#include "emulator/engine/table.hpp"

namespace picklock {
namespace {

void command_all(Context& c) {
  const auto rows = all_commands(*c.profile);
  c.reply.array(rows.size());
  for (const Command* row : rows) write_command_info(c.reply, *row, *c.profile);
}

void command_count(Context& c) {
  c.reply.integer(static_cast<std::int64_t>(all_commands(*c.profile).size()));
}

/// A command by the name that COMMAND INFO takes: "get" or "config|get".
const Command* find_full_name(std::string_view name, const Profile& profile) {
  const auto bar = name.find('|');
  const Command* command = find_command(name.substr(0, bar), profile);
  if (!command || bar == std::string_view::npos) return command;
  return find_subcommand(*command, name.substr(bar + 1), profile);
}

void command_info(Context& c) {
  if (c.args.size() == 2) return command_all(c);
  c.reply.array(c.args.size() - 2);
  for (const std::string_view name : c.args.subspan(2)) {
    const Command* row = find_full_name(name, *c.profile);
    if (row)
      write_command_info(c.reply, *row, *c.profile);
    else
      c.reply.null();
  }
}

/// Names that are unknown are passed over.
void command_docs(Context& c) {
  std::vector<const Command*> rows;
  if (c.args.size() == 2) rows = all_commands(*c.profile);
  for (const std::string_view name : c.args.subspan(2))
    if (const Command* row = find_full_name(name, *c.profile)) rows.push_back(row);
  c.reply.map(rows.size());
  for (const Command* row : rows) write_command_docs(c.reply, *row, *c.profile);
}

using Filter = std::function<bool(const Command&)>;

/// The filter that words 2 to 4 describe; nullopt if they are no filter.
std::optional<Filter> read_filter(Context& c) {
  if (c.args.size() == 2) return [](const Command&) { return true; };
  if (c.args.size() != 5 || !is_word(c.args[2], "filterby")) return std::nullopt;
  const std::string_view value = c.args[4];
  if (is_word(c.args[3], "module")) return [](const Command&) { return false; };
  if (is_word(c.args[3], "pattern"))
    return
        [value](const Command& row) { return glob_match(value, row.name, /*ignore_case=*/true); };
  if (!is_word(c.args[3], "aclcat")) return std::nullopt;
  const std::uint32_t category = find_acl_category(value);
  return [category](const Command& row) { return (acl_categories(row) & category) != 0; };
}

void command_list(Context& c) {
  const auto filter = read_filter(c);
  if (!filter) return c.reply.error(errors::kSyntax);
  std::vector<std::string_view> names;
  for (const Command* row : all_commands(*c.profile)) {
    if ((*filter)(*row)) names.push_back(row->name);
    for (const Command& sub : row->subcommands)
      if (c.profile->has(sub.servers) && (*filter)(sub)) names.push_back(sub.name);
  }
  c.reply.array(names.size());
  for (const std::string_view name : names) c.reply.bulk(name);
}

/// The keys of the request from word 2 on; nullopt with the error answered.
std::optional<std::vector<FoundKey>> read_keys(Context& c) {
  const Args words = c.args.subspan(2);
  const Command* command = resolve(words, *c.profile);
  if (!command) return c.reply.error(errors::kInvalidCommand), std::nullopt;
  if (!takes_keys(*command)) return c.reply.error(errors::kNoKeyArguments), std::nullopt;
  if (!command->takes(words.size())) return c.reply.error(errors::kInvalidArity), std::nullopt;
  auto keys = find_keys(*command, words);
  if (keys) return keys;
  if (command->has(kNoMandatoryKeys)) return std::vector<FoundKey>{};
  return c.reply.error(errors::kInvalidArguments), std::nullopt;
}

void command_getkeys(Context& c) {
  const auto keys = read_keys(c);
  if (!keys) return;
  c.reply.array(keys->size());
  for (const FoundKey& found : *keys) c.reply.bulk(found.key);
}

void command_getkeysandflags(Context& c) {
  const auto keys = read_keys(c);
  if (!keys) return;
  c.reply.array(keys->size());
  for (const FoundKey& found : *keys) {
    c.reply.array(2);
    c.reply.bulk(found.key);
    write_key_flags(c.reply, found.flags);
  }
}

void command_help(Context& c) { write_help(c, help::command()); }

constexpr Command kCommandSubcommands[] = {
    {"command|getkeys",
     -4,
     kLoading | kStale,
     kAclConnection,
     {},
     "server",
     "2.8.13",
     command_getkeys},
    {"command|getkeysandflags",
     -4,
     kLoading | kStale,
     kAclConnection,
     {},
     "server",
     "7.0.0",
     command_getkeysandflags},
    {"command|docs",
     -2,
     kLoading | kStale,
     kAclConnection,
     {},
     "server",
     "7.0.0",
     command_docs,
     {},
     "nondeterministic_output_order"},
    {"command|help", 2, kLoading | kStale, kAclConnection, {}, "server", "5.0.0", command_help},
    {"command|list",
     -2,
     kLoading | kStale,
     kAclConnection,
     {},
     "server",
     "7.0.0",
     command_list,
     {},
     "nondeterministic_output_order"},
    {"command|count", 2, kLoading | kStale, kAclConnection, {}, "server", "2.8.13", command_count},
    {"command|info",
     -2,
     kLoading | kStale,
     kAclConnection,
     {},
     "server",
     "2.8.13",
     command_info,
     {},
     "nondeterministic_output_order"},
};

constexpr Command kCommandCommands[] = {
    {"command",
     -1,
     kLoading | kStale,
     kAclConnection,
     {},
     "server",
     "2.8.13",
     command_all,
     kCommandSubcommands,
     "nondeterministic_output_order"},
};

}  // namespace

std::span<const Command> commands::command() { return kCommandCommands; }

}  // namespace picklock
