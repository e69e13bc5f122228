#include "emulator/engine/shebang.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "emulator/commands/errors.hpp"
#include "emulator/resp/inline_words.hpp"

namespace picklock {
namespace {

using namespace std::string_view_literals;

constexpr std::array kFlags{"no-writes"sv, "allow-oom"sv, "allow-stale"sv, "no-cluster"sv,
                            "allow-cross-slot-keys"sv};

/// Takes "a,b" apart; false, with the flag in `error`, for one that Redis does not know. No flags
/// at all are fine, an empty one between commas is not.
bool read_flags(std::string_view list, Shebang& shebang, std::string& error) {
  while (!list.empty()) {
    const auto end = list.find(',');
    const std::string_view flag = list.substr(0, end);
    if (std::ranges::find(kFlags, flag) == kFlags.end()) {
      error = "ERR Unexpected flag in script shebang: " + errors::printed(flag);
      return false;
    }
    if (flag == "no-writes") shebang.no_writes = true;
    if (flag == "allow-oom") shebang.allow_oom = true;
    if (flag == "allow-stale") shebang.allow_stale = true;
    if (flag == "no-cluster") shebang.no_cluster = true;
    if (flag == "allow-cross-slot-keys") shebang.allow_cross_slots = true;
    if (end == std::string_view::npos) return true;
    list.remove_prefix(end + 1);
    if (list.empty()) error = "ERR Unexpected flag in script shebang: ";
  }
  return error.empty();
}

}  // namespace

Shebang shebang_of(const lua::RegisteredFunction& function) {
  const auto has = [&function](unsigned flag) { return (function.flags & flag) != 0; };
  return {.present = true,
          .no_writes = has(lua::kNoWrites),
          .allow_oom = has(lua::kAllowOom),
          .allow_stale = has(lua::kAllowStale),
          .no_cluster = has(lua::kNoCluster),
          .allow_cross_slots = has(lua::kAllowCrossSlotKeys)};
}

std::optional<Shebang> read_shebang(std::string_view script, std::string& error) {
  if (!has_shebang(script)) return Shebang{};
  const auto refuse = [&error](std::string text) {
    error = std::move(text);
    return std::nullopt;
  };
  // Redis looks for the end of the line in a C string.
  const auto end = script.find_first_of("\n\0"sv);
  if (end == std::string_view::npos || script[end] == '\0')
    return refuse("ERR Invalid script shebang");
  std::string text;
  std::vector<std::size_t> ends;
  if (!split_inline_words(script.substr(0, end), text, ends))
    return refuse("ERR Invalid engine in script shebang");
  Shebang shebang{.present = true};
  std::size_t from = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::string_view word = std::string_view{text}.substr(from, ends[i] - from);
    from = ends[i];
    if (i == 0) {
      if (word != "#!lua")
        return refuse("ERR Unexpected engine in script shebang: " + errors::printed(word));
    } else if (!word.starts_with("flags=")) {
      return refuse("ERR Unknown lua shebang option: " + errors::printed(word));
    } else if (!read_flags(word.substr(6), shebang, error)) {
      return std::nullopt;
    }
  }
  return shebang;
}

}  // namespace picklock
