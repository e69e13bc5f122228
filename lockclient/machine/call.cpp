#include "lockclient/machine/call.hpp"

#include <stdexcept>

#include "emulator/base/sha1.hpp"
#include "lua/scripts.hpp"

namespace picklock::lock {

ScriptText::ScriptText(std::string text) : source(std::move(text)) {
  const auto digest = sha1_hex(source);
  sha.assign(digest.begin(), digest.end());
}

ScriptRef embedded_script(std::string_view name) {
  const std::string_view source = scripts::find(name);
  if (source.empty()) throw std::logic_error{"no embedded script is called " + std::string{name}};
  return std::make_shared<const ScriptText>(std::string{source});
}

}  // namespace picklock::lock
