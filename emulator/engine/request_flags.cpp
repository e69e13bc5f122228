#include "emulator/engine/request_flags.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "emulator/base/text.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/shebang.hpp"

namespace picklock {

namespace {

/// What the text of a script declares in its first line; nullopt if it declares nothing.
std::optional<Shebang> declared_by_script(const Engine& engine, const Command& command,
                                          Args words) {
  const std::string* cached =
      command.name.starts_with("evalsha") ? engine.scripts.find(lower(words[1])) : nullptr;
  std::string error;
  const auto shebang = read_shebang(cached ? std::string_view{*cached} : words[1], error);
  return shebang && shebang->present ? shebang : std::nullopt;
}

std::optional<Shebang> declared_by_function(Engine& engine, std::string_view name) {
  const lua::RegisteredFunction* function = engine.functions.find(name);
  if (!function) return std::nullopt;
  return shebang_of(*function);
}

}  // namespace

// Redis 7.0: scriptFlagsToCmdFlags.
std::uint32_t request_flags(Engine& engine, const Command& command, Args words) {
  if (command.group != "scripting") return command.flags;
  std::optional<Shebang> declared;
  if (command.name.starts_with("eval"))
    declared = declared_by_script(engine, command, words);
  else if (command.name.starts_with("fcall"))
    declared = declared_by_function(engine, words[1]);
  if (!declared) return command.flags;
  std::uint32_t flags = command.flags & ~(kStale | kDenyOom | kWrite | kMayReplicate);
  if (!declared->allow_oom && !declared->no_writes) flags |= kDenyOom;
  if (!declared->no_writes) flags |= kWrite;
  if (declared->allow_stale) flags |= kStale;
  return flags;
}

}  // namespace picklock
