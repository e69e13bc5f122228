#include "emulator/engine/monitor.hpp"

#include <algorithm>
#include <string>

#include <picklock/reply.hpp>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/publish.hpp"

namespace picklock {

namespace {

std::string six_digits(std::int64_t number) {
  const std::string digits = to_text(number);
  return std::string(6 - digits.size(), '0') + digits;
}

std::string origin(const EngineContext& context) {
  if (!context.may_block) return "lua";
  const std::string& address = context.session.identity->address;
  // A Unix socket's path, without the port 0 that CLIENT LIST shows.
  if (address.starts_with('/')) return "unix:" + address.substr(0, address.rfind(':'));
  return address;
}

}  // namespace

bool shows_before(const Command& command) {
  return command.has(kSkipMonitor) && command.group == "scripting";
}

bool shows_after(const Command& command) { return (command.flags & (kSkipMonitor | kAdmin)) == 0; }

std::vector<std::string_view> presentable_words(const EngineContext& context) {
  std::vector<std::string_view> words(context.args.begin(), context.args.end());
  for (const std::size_t position : context.redacted) words[position] = "(redacted)";
  return words;
}

void show_to_monitors(Engine& engine, const EngineContext& context) {
  const auto now = engine.clock.now().time_since_epoch().count();
  // Redis shows most commands once they are done, and so the database that they have selected.
  const int database = context.may_block ? context.session.database : context.database;
  std::string line = to_text(now / 1'000'000) + "." + six_digits(now % 1'000'000) + " [" +
                     to_text(database) + " " + origin(context) + "]";
  for (const std::string_view word : presentable_words(context))
    line += " " + replies::bulk(word).to_string();
  for (const std::uint64_t id : engine.monitors) {
    const auto found = engine.sessions().find(id);
    if (found == engine.sessions().end() || found->second->is_muted()) continue;
    deliver(engine, *found->second, [&](ReplyWriter& out) { out.status(line); });
  }
}

}  // namespace picklock
