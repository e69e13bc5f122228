#include <algorithm>

#include <picklock/lock/locks.hpp>

#include "lockclient/client/client_state.hpp"

namespace picklock {
namespace {

using Number = Outcome<std::int64_t>;

lock::RecipeRef make_latch(const LockClient& client, std::string name, LockOptions options) {
  auto protocol = lock::make_latch_protocol(name);
  return lock::on_one_server(
      client, lock::make_recipe(std::move(name), std::move(options), std::move(protocol)));
}

LockError no_latch() {
  return {.code = LockError::Code::conflict,
          .message = "there is no latch of this name: make it with try_set_count()"};
}

/// Whether this is an array of integers, as latch_left and latch_set answer.
bool is_state(const Reply& reply) {
  const auto is_integer = [](const Reply& one) { return one.type() == Reply::Type::integer; };
  return reply.type() == Reply::Type::array && reply.size() > 0 &&
         std::all_of(reply.elements().begin(), reply.elements().end(), is_integer);
}

}  // namespace

CountDownLatch::CountDownLatch(LockClient client, std::string name, LockOptions options)
    : client_(client), recipe_(make_latch(client, std::move(name), std::move(options))) {}
CountDownLatch::CountDownLatch(Link& link, std::string name, LockOptions options)
    : CountDownLatch(LockClient::of(link), std::move(name), std::move(options)) {}

Ongoing<Outcome<bool>> CountDownLatch::try_set_count(std::int64_t count) {
  using Result = Outcome<bool>;
  if (recipe_->invalid) return lock::ClientState::finished<Result>(*recipe_->invalid);
  if (count < 1 || count > 1'000'000)
    return lock::ClientState::finished<Result>(
        lock::invalid("a latch counts down from 1 to 1,000,000"));
  const auto state = client_.state();
  auto setting = state->undertaking<Result>();
  const auto ttl_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(recipe_->options->ttl).count();
  lock::CallRef call = lock::Call::of(
      lock::embedded_script("latch_set"), 1,
      {recipe_->name, state->next_owner(), std::to_string(count), std::to_string(ttl_ms)});
  state->ask(0, std::move(call), *recipe_->options,
             [setting, raw = state.get()](const Reply* reply, LockError error) {
               if (reply == nullptr) return raw->finish<Result>(setting, std::move(error));
               if (!is_state(*reply))
                 return raw->finish<Result>(setting, lock::not_understood(0, *reply));
               raw->finish<Result>(setting, (*reply)[0] == 1);
             });
  return Ongoing<Result>{std::move(setting)};
}

Ongoing<Number> CountDownLatch::count_down() {
  if (recipe_->invalid) return lock::ClientState::finished<Number>(*recipe_->invalid);
  const auto state = client_.state();
  auto counting = state->undertaking<Number>();
  lock::CallRef call =
      lock::Call::of(lock::embedded_script("latch_count_down"), 1,
                     {recipe_->name, state->next_owner(), recipe_->protocol->channel()});
  state->ask(0, std::move(call), *recipe_->options,
             [counting, raw = state.get()](const Reply* reply, LockError error) {
               if (reply == nullptr) return raw->finish<Number>(counting, std::move(error));
               if (reply->is_null()) return raw->finish<Number>(counting, no_latch());
               if (reply->type() != Reply::Type::integer)
                 return raw->finish<Number>(counting, lock::not_understood(0, *reply));
               raw->finish<Number>(counting, reply->integer());
             });
  return Ongoing<Number>{std::move(counting)};
}

Ongoing<Number> CountDownLatch::count() {
  if (recipe_->invalid) return lock::ClientState::finished<Number>(*recipe_->invalid);
  const auto state = client_.state();
  auto counting = state->undertaking<Number>();
  state->ask(0, lock::Call::of(lock::embedded_script("latch_left"), 1, {recipe_->name}),
             *recipe_->options, [counting, raw = state.get()](const Reply* reply, LockError error) {
               if (reply == nullptr) return raw->finish<Number>(counting, std::move(error));
               const bool good = is_state(*reply) && ((*reply)[0] != 0 || reply->size() == 3);
               if (!good) return raw->finish<Number>(counting, lock::not_understood(0, *reply));
               if ((*reply)[0] == -1) return raw->finish<Number>(counting, no_latch());
               raw->finish<Number>(counting, (*reply)[0] == 1 ? 0 : (*reply)[2].integer());
             });
  return Ongoing<Number>{std::move(counting)};
}

Ongoing<Outcome<Done>> CountDownLatch::wait() { return wait_at_most(std::nullopt); }
Ongoing<Outcome<Done>> CountDownLatch::wait_within(Duration limit) { return wait_at_most(limit); }

Ongoing<Outcome<Done>> CountDownLatch::wait_at_most(std::optional<Duration> limit) {
  using Result = Outcome<Done>;
  if (recipe_->invalid) return lock::ClientState::finished<Result>(*recipe_->invalid);
  if (limit && *limit < Duration{})
    return lock::ClientState::finished<Result>(
        lock::invalid("the time to wait is negative: 0 looks once"));
  const auto state = client_.state();
  const auto hold = state->begin(recipe_, limit, {});
  auto waiting = state->undertaking<Result>();
  hold->latch = [waiting, raw = state.get()](std::optional<LockError> error) {
    using Code = LockError::Code;
    // The server has said that it is not open yet; "somebody else holds it" is no word for that.
    if (error && error->nodes.empty() &&
        (error->code == Code::not_acquired || error->code == Code::timed_out))
      error = LockError{.code = Code::timed_out,
                        .message = "it did not open in time: wait longer, or count() what is left"};
    if (error) return raw->finish<Result>(waiting, std::move(*error));
    raw->finish<Result>(waiting, Done{});
  };
  waiting->slot = hold->slot;
  state->flush();
  return Ongoing<Result>{std::move(waiting)};
}

}  // namespace picklock
