// The lock scripts of lua/scripts/*.lua, embedded at build time.
//
// Each script's KEYS, ARGV and replies stand in its first lines. A leaf target: needs nothing,
// knows no interpreter. Constant data, safe from any thread.
#pragma once

#include <span>
#include <string_view>

namespace picklock::scripts {

struct Script {
  std::string_view name;  ///< The file's name without ".lua".
  std::string_view source;
};

/// Every script, in order of names.
std::span<const Script> all();

/// The source of the script called `name`; empty if there is none.
inline std::string_view find(std::string_view name) {
  for (const Script& script : all()) {
    if (script.name == name) return script.source;
  }
  return {};
}

}  // namespace picklock::scripts
