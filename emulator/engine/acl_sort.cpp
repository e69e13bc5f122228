// SORT reads keys that are not among its words, through the patterns of BY and GET: only a user who
// may read any key may give those. Redis: sortCommandGeneric.
#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/acl_errors.hpp"
#include "emulator/engine/acl_sessions.hpp"

namespace picklock {
namespace {

/// The first BY or GET that asks for other keys; empty if there is none, or an error before it.
std::string_view foreign_option(Args words, bool stores) {
  for (std::size_t at = 2; at < words.size(); ++at) {
    const std::size_t left = words.size() - at - 1;
    const auto is = [&](std::string_view name) { return is_word(words[at], name); };
    if (is("asc") || is("desc") || is("alpha")) continue;
    if (is("limit") && left >= 2) {
      if (!parse_int64(words[at + 1]) || !parse_int64(words[at + 2])) return {};
      at += 2;
    } else if (stores && is("store") && left >= 1) {
      ++at;
    } else if (is("by") && left >= 1) {
      const std::string_view pattern = words[++at];
      if (until_nul(pattern).find('*') != std::string_view::npos) return "BY";
    } else {
      return is("get") && left >= 1 ? "GET" : std::string_view{};
    }
  }
  return {};
}

}  // namespace

bool refuse_sort(EngineContext& c) {
  if (c.session.unrestricted) return false;
  const std::string_view option = foreign_option(c.args, !c.command->has(kReadonly));
  const User* user = c.engine.acl.find(c.session.identity->user);
  if (option.empty() || !user || user->permits_reading_any_key(*c.command, c.args)) return false;
  c.reply.error(errors::sort_option_denied(option));
  return true;
}

}  // namespace picklock
