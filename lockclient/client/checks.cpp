// What is asked of a lock that cannot be done: refused before anything is sent.
#include <algorithm>

#include "lockclient/client/client_state.hpp"

namespace picklock::lock {

using std::chrono::milliseconds;

LockError invalid(std::string message) {
  return {.code = LockError::Code::invalid_argument, .message = std::move(message)};
}

std::optional<LockError> check_name(const std::string& name) {
  if (name.empty()) return invalid("a lock needs a name that is not empty");
  return std::nullopt;
}

std::optional<LockError> check_ttl(Duration ttl, const LockOptions& options) {
  constexpr Duration kLeast = milliseconds{5};
  if (ttl % milliseconds{1} != Duration{})
    return invalid("the ttl must be whole milliseconds: the server counts nothing finer");
  if (ttl < kLeast || ttl > kLongest)
    return invalid("the ttl must be from 5 milliseconds to 100 years");
  const auto share = static_cast<double>(ttl.count()) * options.drift;
  if (options.drift_floor + Duration{static_cast<std::int64_t>(share)} >= ttl)
    return invalid("the allowance for drift leaves nothing of the ttl: lengthen the ttl");
  return std::nullopt;
}

Duration first_ttl(const LockOptions& options) {
  if (!options.renew || options.max_hold == Duration{}) return options.ttl;
  return std::min<Duration>(options.ttl, std::chrono::floor<milliseconds>(options.max_hold));
}

std::optional<LockError> check_options(const LockOptions& options) {
  if (!(options.drift >= 0) || options.drift > 0.5 || options.drift_floor < Duration{} ||
      options.drift_floor > kLongest)
    return invalid("the allowance for drift must be from 0 to half of the ttl");
  for (const Duration time : {options.answer_within, options.give_up_after, options.max_hold,
                              options.memory, options.backoff.most, options.replicas_within}) {
    if (time > kLongest) return invalid("no time in the options may be longer than 100 years");
  }
  if (const auto error = check_ttl(options.ttl, options)) return error;
  if (options.answer_within < milliseconds{1} || options.give_up_after < milliseconds{1})
    return invalid("the time limits for answers must be at least 1 millisecond");
  if (options.max_hold < Duration{} || options.memory < Duration{})
    return invalid("the maximum hold time and the memory must not be negative");
  if (options.renew && options.max_hold > Duration{} && check_ttl(first_ttl(options), options))
    return invalid("the maximum hold time leaves nothing after the allowance for drift");
  if (options.waiter_lease < milliseconds{15} || options.waiter_lease > std::chrono::hours{24})
    return invalid("the lease of a waiter must be from 15 milliseconds to a day");
  if (options.backoff.first < milliseconds{1} || options.backoff.most < options.backoff.first)
    return invalid("the back-off must begin with at least 1 millisecond and must not shrink");
  if (options.replicas < 0 || options.replicas_within < milliseconds{1})
    return invalid("the replicas and the time for them must not be negative");
  return std::nullopt;
}

LockError not_understood(std::size_t node, const Reply& reply) {
  return {.code = LockError::Code::node_failed,
          .message = "this is no answer of a Redis server's: see what it said",
          .nodes = {{node, NodeError::Kind::protocol, reply.to_string()}}};
}

RecipeRef make_recipe(std::string name, LockOptions options, ProtocolRef protocol) {
  auto recipe = share<Recipe>();
  recipe->invalid = check_name(name);
  if (!recipe->invalid) recipe->invalid = check_options(options);
  recipe->name = std::move(name);
  recipe->options = std::move(options);
  recipe->protocol = std::move(protocol);
  return recipe;
}

RecipeRef by_majority(const LockClient& client, RecipeRef recipe) {
  recipe->quorum = client.nodes() / 2 + 1;
  if (!recipe->invalid && client.nodes() < 3)
    recipe->invalid = invalid("Redlock needs at least three independent servers");
  if (!recipe->invalid && recipe->options->replicas > 0)
    recipe->invalid = invalid("Redlock does not count on replicas: set `replicas` to 0");
  return recipe;
}

RecipeRef on_one_server(const LockClient& client, RecipeRef recipe, std::string_view why) {
  if (client.nodes() != 1 && !recipe->invalid)
    recipe->invalid =
        invalid("this lives on one server, and the client has several: " + std::string{why});
  return recipe;
}

}  // namespace picklock::lock
