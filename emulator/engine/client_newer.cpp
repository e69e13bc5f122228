#include "emulator/engine/client_newer.hpp"

#include "emulator/base/text.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/newer_errors.hpp"
#include "emulator/engine/client_info.hpp"
#include "emulator/engine/engine_context.hpp"

namespace picklock {

void client_no_touch(Context& c) {
  const bool on = is_word(c.args[2], "on");
  if (!on && !is_word(c.args[2], "off")) return c.reply.error(errors::kSyntax);
  engine_context(c).session.no_touch = on;
  c.reply.ok();
}

void client_setinfo(Context& c) {
  SessionState& session = engine_context(c).session;
  const bool is_name = is_word(c.args[2], "lib-name");
  if (!is_name && !is_word(c.args[2], "lib-ver"))
    return c.reply.error(errors::unrecognized_option(c.args[2]));
  if (!is_client_name(c.args[3])) return c.reply.error(errors::bad_client_info(c.args[2]));
  Identity& identity = session.identity.edit();
  (is_name ? identity.library_name : identity.library_version) = c.args[3];
  c.reply.ok();
}

}  // namespace picklock
