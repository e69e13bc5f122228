#include <picklock/lock/script_lock.hpp>

#include "lockclient/client/client_state.hpp"
#include "lockclient/protocols/script_protocol.hpp"

namespace picklock {
namespace {

std::optional<LockError> check_protocol(const ScriptProtocol& protocol,
                                        const LockOptions& options) {
  if (protocol.acquire.is_empty() || protocol.release.is_empty())
    return lock::invalid("a script lock needs a step to acquire and one to release");
  if (protocol.acquire.success.empty() || protocol.release.success.empty())
    return lock::invalid("a script lock must be told which replies mean success");
  if (options.renew && protocol.extend.is_empty())
    return lock::invalid("renewal was asked for, and the script lock has no step to extend");
  return std::nullopt;
}

lock::RecipeRef make_recipe(const LockClient& client, std::string name, ScriptProtocol protocol,
                            LockOptions options) {
  auto recipe = std::make_shared<lock::Recipe>();
  recipe->invalid = lock::check_name(name);
  if (!recipe->invalid) recipe->invalid = lock::check_options(options);
  if (!recipe->invalid) recipe->invalid = check_protocol(protocol, options);
  if (!recipe->invalid && client.nodes() != 1)
    recipe->invalid = lock::invalid("a script lock lives on one server: use a client of one link");
  if (protocol.channel.empty()) options.listen = false;
  recipe->name = name;
  recipe->protocol = lock::make_script_protocol(std::move(name), std::move(protocol));
  recipe->options = std::move(options);
  return recipe;
}

}  // namespace

ScriptLock::ScriptLock(LockClient client, std::string name, ScriptProtocol protocol,
                       LockOptions options)
    : AnyLock(client,
              make_recipe(client, std::move(name), std::move(protocol), std::move(options))) {}
ScriptLock::ScriptLock(Link& link, std::string name, ScriptProtocol protocol, LockOptions options)
    : ScriptLock(LockClient::of(link), std::move(name), std::move(protocol), std::move(options)) {}

}  // namespace picklock
