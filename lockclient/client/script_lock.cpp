#include <algorithm>

#include <picklock/lock/script_lock.hpp>

#include "lockclient/client/client_state.hpp"
#include "lockclient/protocols/script_protocol.hpp"

namespace picklock {
namespace {

/// A reply that leads on must lead somewhere, and some reply must mean that it is done.
std::optional<LockError> check_step(const ScriptStep& first) {
  if (first.is_empty()) return std::nullopt;
  const std::size_t last = first.then.size();
  bool succeeds = false;
  for (std::size_t i = 0; i <= last; ++i) {
    const ScriptStep& step = i == 0 ? first : first.then[i - 1];
    const bool goes_on = !step.goes_on.empty() || step.past_goes_on;
    if (step.is_empty() || (i > 0 && !step.then.empty()) || goes_on != (i < last))
      return lock::invalid(
          "each step of a sequence but the last needs replies that go on, and only the first lists "
          "those after it");
    succeeds |= !step.success.empty();
  }
  if (!succeeds) return lock::invalid("a script lock must be told which replies mean success");
  return std::nullopt;
}

std::optional<LockError> check_protocol(const ScriptProtocol& protocol,
                                        const LockOptions& options) {
  if (protocol.acquire.is_empty() || protocol.release.is_empty())
    return lock::invalid("a script lock needs a step to acquire and one to release");
  for (const ScriptStep* step : {&protocol.acquire, &protocol.release, &protocol.extend}) {
    if (auto error = check_step(*step)) return error;
  }
  if (protocol.wait_divisor < 1)
    return lock::invalid("the divisor of the waiting time must be at least 1");
  if (options.renew && protocol.extend.is_empty())
    return lock::invalid("renewal was asked for, and the script lock has no step to extend");
  return std::nullopt;
}

lock::RecipeRef make_script_recipe(const LockClient& client, std::string name,
                                   const ScriptProtocol& protocol, LockOptions options) {
  if (protocol.channel.empty()) options.listen = false;
  auto error = check_protocol(protocol, options);
  auto made = lock::make_script_protocol(name, protocol);
  auto recipe = lock::make_recipe(std::move(name), std::move(options), std::move(made));
  recipe = protocol.by_majority ? lock::by_majority(client, std::move(recipe))
                                : lock::on_one_server(client, std::move(recipe));
  if (!recipe->invalid) recipe->invalid = std::move(error);
  recipe->takes_wait_for_ttl = protocol.takes_wait_for_ttl;
  recipe->renews_after_release = protocol.renews_after_release;
  recipe->wait_divisor = std::max(protocol.wait_divisor, 1);
  return recipe;
}

}  // namespace

ScriptLock::ScriptLock(LockClient client, std::string name, ScriptProtocol protocol,
                       LockOptions options)
    : AnyLock(client, make_script_recipe(client, std::move(name), protocol, std::move(options))) {}
ScriptLock::ScriptLock(Link& link, std::string name, ScriptProtocol protocol, LockOptions options)
    : ScriptLock(LockClient::of(link), std::move(name), std::move(protocol), std::move(options)) {}

}  // namespace picklock
