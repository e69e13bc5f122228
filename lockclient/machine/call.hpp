// One request as a lock protocol words it: a script with keys and arguments, or a plain command.
//
// A value without I/O. How a script travels (EVALSHA, or EVAL where the server does not know it
// yet) is the Core's business.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace picklock::lock {

/// A script and the digest by which servers know it. Immutable; shared by the calls that carry it.
struct ScriptText {
  std::string source;
  std::string sha;

  explicit ScriptText(std::string text);
};
using ScriptRef = std::shared_ptr<const ScriptText>;

/// The embedded script called `name`; throws std::logic_error if there is none.
ScriptRef embedded_script(std::string_view name);

struct Call {
  ScriptRef script;                ///< Null: `words` is a whole command.
  std::size_t keys = 0;            ///< With a script: how many of `words` are keys.
  std::vector<std::string> words;  ///< Keys, then arguments.

  static Call command(std::vector<std::string> words) { return {nullptr, 0, std::move(words)}; }
};
/// Shared by the request on its way and by what remembers it, to send it once more.
using CallRef = std::shared_ptr<const Call>;

}  // namespace picklock::lock
