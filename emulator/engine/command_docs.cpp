#include "emulator/engine/command_docs.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/base/numbers.hpp"

namespace picklock {
namespace {

constexpr std::string_view kResource =
#include "emulator/engine/command_docs.inc"
    ;

/// The part of `text` before `separator`, which is taken off it; all of it if there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

/// " arg .nx pure-token token=NX", taken apart. Empty views are what is not there; but a token may
/// be empty ("MIGRATE" has one).
struct Argument {
  std::size_t depth = 0;
  std::string_view name, type, key_spec, token, since, deprecated_since;
  bool has_token = false;
  std::vector<std::string_view> flags;
};

Argument read_argument(std::string_view line) {
  Argument argument;
  argument.depth = std::min(line.find_first_not_of('.'), line.size());
  line.remove_prefix(argument.depth);
  argument.name = take_until(line, ' ');
  argument.type = take_until(line, ' ');
  while (!line.empty()) {
    std::string_view value = take_until(line, ' ');
    if (value.find('=') == std::string_view::npos) {
      argument.flags.push_back(value);
      continue;
    }
    const std::string_view key = take_until(value, '=');
    if (key == "key") argument.key_spec = value;
    if (key == "since") argument.since = value;
    if (key == "deprecated_since") argument.deprecated_since = value;
    if (key == "token") {
      argument.token = value;
      argument.has_token = true;
    }
  }
  return argument;
}

/// What the resource says of one command.
struct Docs {
  std::string_view summary, complexity, deprecated_since, replaced_by;
  std::vector<std::string_view> doc_flags;
  std::vector<std::pair<std::string_view, std::string_view>> history;  // Since when, and what.
  std::vector<Argument> arguments;  // Those within another follow it, one level deeper.
};

void add_fact(Docs& docs, std::string_view line) {
  const std::string_view key = take_until(line, ' ');
  if (key == "arg") docs.arguments.push_back(read_argument(line));
  if (key == "summary") docs.summary = line;
  if (key == "complexity") docs.complexity = line;
  if (key == "deprecated_since") docs.deprecated_since = line;
  if (key == "replaced_by") docs.replaced_by = line;
  if (key == "doc_flag") docs.doc_flags.push_back(line);
  if (key == "history") {
    const std::string_view since = take_until(line, ' ');
    docs.history.emplace_back(since, line);
  }
}

std::map<std::string_view, Docs> read_resource() {
  std::map<std::string_view, Docs> all;
  Docs* present = nullptr;
  for (std::string_view rest = kResource; !rest.empty();) {
    std::string_view line = take_until(rest, '\n');
    if (line.empty()) continue;
    if (line[0] != ' ')
      present = &all[line];
    else
      add_fact(*present, line.substr(1));
  }
  return all;
}

const Docs& docs_of(const Command& command) {
  static const std::map<std::string_view, Docs> all = read_resource();
  static const Docs nothing;
  const auto found = all.find(command.name);
  return found == all.end() ? nothing : found->second;
}

void write_text(ReplyWriter& reply, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  reply.bulk(key);
  reply.bulk(text);
}

void write_flags(ReplyWriter& reply, std::string_view key,
                 const std::vector<std::string_view>& flags) {
  if (flags.empty()) return;
  reply.bulk(key);
  reply.set(flags.size());
  for (const std::string_view flag : flags) reply.status(flag);
}

std::size_t count_if_said(std::initializer_list<bool> said) {
  return static_cast<std::size_t>(std::count(said.begin(), said.end(), true));
}

using Arguments = std::span<const Argument>;
void write_arguments(ReplyWriter& reply, Arguments arguments);

/// `nested` are the arguments within this one.
void write_argument(ReplyWriter& reply, const Argument& argument, Arguments nested) {
  reply.map(2 + count_if_said({!argument.key_spec.empty(), argument.has_token,
                               !argument.since.empty(), !argument.deprecated_since.empty(),
                               !argument.flags.empty(), !nested.empty()}));
  write_text(reply, "name", argument.name);
  write_text(reply, "type", argument.type);
  if (!argument.key_spec.empty()) {
    reply.bulk("key_spec_index");
    reply.integer(parse_int64(argument.key_spec).value_or(0));
  }
  if (argument.has_token) {
    reply.bulk("token");
    reply.bulk(argument.token);
  }
  write_text(reply, "since", argument.since);
  write_text(reply, "deprecated_since", argument.deprecated_since);
  write_flags(reply, "flags", argument.flags);
  if (nested.empty()) return;
  reply.bulk("arguments");
  write_arguments(reply, nested);
}

/// Writes the arguments at the depth of the first one, each with those below it.
void write_arguments(ReplyWriter& reply, Arguments arguments) {
  const std::size_t depth = arguments.front().depth;
  const auto is_at_depth = [depth](const Argument& argument) { return argument.depth == depth; };
  reply.array(
      static_cast<std::size_t>(std::count_if(arguments.begin(), arguments.end(), is_at_depth)));
  for (std::size_t at = 0; at < arguments.size();) {
    std::size_t next = at + 1;
    while (next < arguments.size() && !is_at_depth(arguments[next])) ++next;
    write_argument(reply, arguments[at], arguments.subspan(at + 1, next - at - 1));
    at = next;
  }
}

void write_history(ReplyWriter& reply, const Docs& docs) {
  if (docs.history.empty()) return;
  reply.bulk("history");
  reply.set(docs.history.size());
  for (const auto& [since, change] : docs.history) {
    reply.array(2);
    reply.bulk(since);
    reply.bulk(change);
  }
}

}  // namespace

void write_command_docs(ReplyWriter& reply, const Command& command, const Profile& profile) {
  const Docs& docs = docs_of(command);
  const auto is_there = [&](const Command& sub) { return profile.has(sub.servers); };
  const auto subcommands =
      std::count_if(command.subcommands.begin(), command.subcommands.end(), is_there);
  reply.bulk(command.name);
  reply.map(2 +
            count_if_said({!docs.summary.empty(), !docs.complexity.empty(), !docs.doc_flags.empty(),
                           !docs.deprecated_since.empty(), !docs.replaced_by.empty(),
                           !docs.history.empty(), !docs.arguments.empty(), subcommands > 0}));
  write_text(reply, "summary", docs.summary);
  write_text(reply, "since", command.since);
  write_text(reply, "group", command.group);
  write_text(reply, "complexity", docs.complexity);
  write_flags(reply, "doc_flags", docs.doc_flags);
  write_text(reply, "deprecated_since", docs.deprecated_since);
  write_text(reply, "replaced_by", docs.replaced_by);
  write_history(reply, docs);
  if (!docs.arguments.empty()) {
    reply.bulk("arguments");
    write_arguments(reply, docs.arguments);
  }
  if (subcommands == 0) return;
  reply.bulk("subcommands");
  reply.map(static_cast<std::size_t>(subcommands));
  for (const Command& sub : command.subcommands)
    if (is_there(sub)) write_command_docs(reply, sub, profile);
}

}  // namespace picklock
