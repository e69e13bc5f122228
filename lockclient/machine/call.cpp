#include "lockclient/machine/call.hpp"

#include <map>
#include <stdexcept>

#include "emulator/base/sha1.hpp"
#include "lua/scripts.hpp"

namespace picklock::lock {

ScriptText::ScriptText(std::string text) : source(std::move(text)) {
  const auto digest = sha1_hex(source);
  sha.assign(digest.begin(), digest.end());
}

/// Of each script one text, whose digest is computed once: many a caller makes a lock object for
/// each time it takes the lock.
ScriptRef embedded_script(std::string_view name) {
  using Texts = std::map<std::string_view, const ScriptText>;
  static const Texts& texts = *[] {  // Never destroyed: what ends later may still send one.
    auto* const made = new Texts;
    for (const scripts::Script& script : scripts::all())
      made->try_emplace(script.name, std::string{script.source});
    return made;
  }();
  const auto found = texts.find(name);
  if (found == texts.end())
    throw std::logic_error{"no embedded script is called " + std::string{name}};
  return {ScriptRef{}, &found->second};  // Not counted: threads share it.
}

}  // namespace picklock::lock
