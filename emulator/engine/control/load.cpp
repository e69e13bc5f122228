#include "emulator/engine/control/load.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <unordered_set>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/engine/rdb_options.hpp"
#include "emulator/keyspace/rdb/file.hpp"
#include "emulator/resp/inline_words.hpp"
#include "emulator/resp/reply_builder.hpp"

namespace picklock {

namespace {

constexpr std::string_view kMagic = "REDIS";

/// PICKLOCK LOAD would go round in a circle, NODE and USE end a turn, which the file is within,
/// RESTORE takes the file's client away, and CLIENT REPLY would hide errors.
bool is_out_of_place(std::span<const std::string_view> words) {
  if (words.size() < 2) return false;
  if (is_word(words[0], "client")) return is_word(words[1], "reply");
  constexpr std::string_view kOwn[]{"load", "node", "use", "restore"};
  return is_word(words[0], "picklock") &&
         std::ranges::any_of(kOwn, [&](std::string_view own) { return is_word(words[1], own); });
}

/// The first error in `reply`, that of a command within EXEC included.
std::optional<std::string> error_in(const Reply& reply, std::string_view command) {
  if (reply.is_error()) return std::string{reply.text()};
  if (!is_word(command, "exec")) return std::nullopt;
  if (reply.is_null()) return "a key that it watches has changed";
  const auto& elements = reply.elements();
  const auto found = std::ranges::find_if(elements, &Reply::is_error);
  return found == elements.end() ? std::nullopt : std::optional{std::string{found->text()}};
}

std::optional<std::string> carry_out(Engine& engine, Session& session, ReplyBuilder& builder,
                                     std::string_view line) {
  std::string text;
  std::vector<std::size_t> ends;
  if (!split_inline_words(line, text, ends)) return "its quotes are not balanced";
  std::vector<std::string_view> words;
  std::size_t start = 0;
  for (const std::size_t end : ends) {
    words.push_back(std::string_view{text}.substr(start, end - start));
    start = end;
  }
  if (words.empty()) return std::nullopt;
  if (is_out_of_place(words)) return "this command is for a client, and not for a file";
  engine.execute(session, words);
  if (session.is_blocked()) {
    engine.withdraw(session);
    return "it blocks";
  }
  if (session.closing) return "it ends the connection";
  if (!builder.complete()) return std::nullopt;
  return error_in(builder.take(), words[0]);
}

}  // namespace

LoadResult load_commands(Engine& engine, std::string_view text) {
  LoadResult result;
  ReplyBuilder builder;
  Session& session = engine.open(builder, nullptr, "fixture:0", "fixture:0");
  session.authenticated = session.unrestricted = true;
  for (std::size_t number = 1; !text.empty() && !result.error; ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (const auto why = carry_out(engine, session, builder, line))
      result.error =
          "line " + std::to_string(number) + " '" + std::string{line.substr(0, 80)} + "': " + *why;
    else
      ++result.count;
  }
  if (!result.error && session.transaction)
    result.error = "it ends between MULTI and EXEC, so that nothing behind MULTI was done";
  engine.close(session);
  return result;
}

namespace {

/// A key that comes twice, which Redis 7.0 does not start with: the file is damaged.
std::optional<std::string> find_repeated(const rdb::File& file) {
  std::map<int, std::unordered_set<std::string_view>> seen;
  for (const rdb::FileKey& entry : file.keys)
    if (!seen[entry.database].insert(entry.key).second)
      return "it has the key '" + entry.key.substr(0, 64) + "' twice in database " +
             to_text(entry.database);
  return std::nullopt;
}

/// Reads the file and loads its functions: what may fail. Keys that expired before `oldest_ms` are
/// left out.
std::optional<std::string> read(Engine& engine, std::string_view bytes, Functions::Policy policy,
                                std::int64_t oldest_ms, rdb::File& file) {
  if (engine.script) return "a script is running: end it before loading a file";
  const rdb::Options options = rdb_options(engine);
  if (auto why = rdb::read_file(bytes, options, engine.keyspace.size(), file)) return why;
  std::erase_if(file.keys, [oldest_ms](const rdb::FileKey& entry) {
    return entry.deadline_ms && *entry.deadline_ms < oldest_ms;
  });
  if (auto why = find_repeated(file)) return why;
  std::string error;
  if (!file.libraries.empty() && !engine.functions.load_all(file.libraries, policy, error))
    return "its functions do not load: " + error;
  return std::nullopt;
}

std::size_t put_keys(Engine& engine, rdb::File& file) {
  const std::int64_t now_ms = to_unix_ms(engine.clock.now());
  for (rdb::FileKey& entry : file.keys) {
    Database& database = engine.keyspace[entry.database];
    database.put_until(entry.key, std::move(entry.loaded.value),
                       entry.deadline_ms.value_or(kNoDeadline));
    database.set_form(entry.key, entry.loaded.form);
    UseClock use;
    use.start(engine.config.use_counting(), now_ms);
    if (entry.idle_seconds) use.set_idle(*entry.idle_seconds, now_ms);
    if (entry.frequency) use.set_frequency(*entry.frequency, now_ms);
    if (entry.idle_seconds || entry.frequency) database.set_use(entry.key, use);
  }
  return file.keys.size();
}

}  // namespace

LoadResult load_rdb(Engine& engine, std::string_view bytes) {
  LoadResult result;
  rdb::File file;
  const std::int64_t now_ms = to_unix_ms(engine.clock.now());
  if ((result.error = read(engine, bytes, Functions::Policy::replace, now_ms, file))) return result;
  result.count = put_keys(engine, file);
  ++engine.replication.full_syncs;  // Who follows in this process takes them over, too.
  engine.break_history();
  return result;
}

LoadResult replace_by_rdb(Engine& engine, std::string_view bytes, int& database) {
  LoadResult result;
  rdb::File file;
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::min();
  if ((result.error = read(engine, bytes, Functions::Policy::flush, kAll, file))) return result;
  if (file.libraries.empty()) engine.functions.flush();
  engine.keyspace.clear();
  engine.keyspace.keep_notes(false);  // A key that is read from a file is no new one.
  result.count = put_keys(engine, file);
  engine.keyspace.keep_notes(engine.wants_notes());
  database = 0;
  for (const auto& [name, value] : file.auxiliary)
    if (name == "repl-stream-db") {
      const auto number = parse_int64(value);
      if (number && *number >= 0 && *number < engine.keyspace.size())
        database = static_cast<int>(*number);
    }
  return result;
}

LoadResult load_any(Engine& engine, std::string_view bytes) {
  return bytes.starts_with(kMagic) ? load_rdb(engine, bytes) : load_commands(engine, bytes);
}

}  // namespace picklock
