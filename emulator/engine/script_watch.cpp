// What a watched script does, noted on its way: lines, calls, what a call changed, keys not
// declared.
#include <algorithm>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/command_keys.hpp"
#include "emulator/engine/dispatch.hpp"
#include "emulator/engine/keyspace_text.hpp"
#include "emulator/engine/script_call.hpp"
#include "emulator/engine/script_journal.hpp"
#include "emulator/engine/tee_writer.hpp"
#include "emulator/resp/reply_builder.hpp"

namespace picklock {

namespace {

std::vector<std::string> keys_of(const Profile& profile, Args words) {
  const Command* command = resolve(words, profile);
  std::vector<std::string> keys;
  if (!command || !command->takes(words.size())) return keys;
  for (const FoundKey& found : find_keys(*command, words).value_or(std::vector<FoundKey>{}))
    if (std::find(keys.begin(), keys.end(), found.key) == keys.end()) keys.emplace_back(found.key);
  return keys;
}

/// KEYS of EVAL, EVALSHA, FCALL: the words behind their number, which the command has checked.
Args declared_keys(Args words) {
  const auto count = words.size() > 2 ? parse_int64(words[2]) : std::nullopt;
  return count ? words.subspan(3, static_cast<std::size_t>(*count)) : Args{};
}

}  // namespace

bool ScriptCall::watches() const { return caller_.engine.journal->watching(); }

void ScriptCall::note_start() {
  Engine& engine = caller_.engine;
  if (engine.journal->knows_lines_of(name_)) return;
  engine.journal->started(
      name_, is_function_ ? engine.functions.code_lines(name_) : engine.scripts.code_lines(name_));
}

void ScriptCall::at_line(int line) { caller_.engine.journal->at_line(name_, line); }

void ScriptCall::raised(std::string_view text, int line) {
  caller_.engine.journal->raised(name_, line, text);
}

void ScriptCall::warn_of_undeclared(Args words, Args keys) {
  const Args declared = declared_keys(caller_.args);
  ScriptJournal& journal = *caller_.engine.journal;
  for (const std::string_view key : keys)
    if (std::find(declared.begin(), declared.end(), key) == declared.end())
      journal.undeclared({journal.name_of(name_), line_, std::string{words[0]}, std::string{key}});
}

void ScriptCall::call_noted(Args words, int resp_version, ReplyWriter& reply) {
  Engine& engine = caller_.engine;
  const int database = caller_.session.database;
  const std::vector<std::string> keys = keys_of(*caller_.profile, words);
  warn_of_undeclared(words, std::vector<std::string_view>(keys.begin(), keys.end()));
  if (!engine.journal->keeps_calls()) return execute(words, reply);
  const auto describe = [&](const std::string& key) {
    return describe_key(engine.keyspace, database, key, caller_.now_ms);
  };
  std::vector<std::string> before;
  for (const std::string& key : keys) before.push_back(describe(key));
  ScriptReport::Call call{
      engine.journal->name_of(name_), line_, {words.begin(), words.end()}, {}, {}};
  ReplyBuilder copy{resp_version};
  // The tee counts errors, once.
  reply.report_errors_to(nullptr);
  TeeWriter both{reply, copy};
  execute(words, both);
  if (copy.complete()) call.reply = copy.take();
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (std::string after = describe(keys[i]); after != before[i])
      call.changes.push_back({database, keys[i], before[i], std::move(after)});
  engine.journal->called(std::move(call));
}

}  // namespace picklock
