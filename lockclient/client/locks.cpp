// The locks: each is a recipe for the same machine.
#include <algorithm>

#include <picklock/lock/locks.hpp>

#include "lockclient/client/client_state.hpp"

namespace picklock {
namespace {

using lock::make_recipe;
using lock::on_one_server;
using lock::RecipeRef;

/// A reader takes one of so many permits, a writer all.
constexpr std::int64_t kReaders = std::int64_t{1} << 30;

RecipeRef make_lock(const LockClient& client, std::string name, LockOptions options) {
  auto protocol = lock::make_lock_protocol({name});
  return on_one_server(client,
                       make_recipe(std::move(name), std::move(options), std::move(protocol)));
}

RecipeRef make_permits(const LockClient& client, std::string name, std::int64_t want,
                       std::int64_t limit, LockOptions options) {
  auto protocol = lock::make_permits_protocol(name, want, limit);
  // Two holders may each have a majority, and a reader and a writer too.
  auto recipe = on_one_server(
      client, make_recipe(std::move(name), std::move(options), std::move(protocol)),
      "permits that majorities of servers grant are more than there are; use a client of one link");
  if (!recipe->invalid && (limit < 1 || limit > kReaders))
    recipe->invalid = lock::invalid("the limit of permits must be from 1 to 2^30");
  if (!recipe->invalid && (want < 1 || want > limit))
    recipe->invalid = lock::invalid("the permits wanted must be from 1 to the limit");
  return recipe;
}

RecipeRef make_reentrant(const LockClient& client, std::string name, LockOptions options) {
  auto recipe = make_lock(client, std::move(name), std::move(options));
  recipe->reentrant = true;
  return recipe;
}

RecipeRef make_fenced(const LockClient& client, std::string name, LockOptions options) {
  auto protocol = lock::make_fenced_protocol(name);
  auto recipe =
      on_one_server(client, make_recipe(std::move(name), std::move(options), std::move(protocol)));
  recipe->fenced = true;
  return recipe;
}

RecipeRef make_multi(const LockClient& client, std::vector<std::string> names,
                     LockOptions options) {
  std::sort(names.begin(), names.end());
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : " + ") + name;
  const bool twice = std::adjacent_find(names.begin(), names.end()) != names.end();
  const bool empty = names.empty() || names.front().empty();
  auto protocol = empty ? nullptr : lock::make_lock_protocol(std::move(names));
  auto recipe = make_recipe(std::move(joined), std::move(options), std::move(protocol));
  if (empty) recipe->invalid = lock::invalid("a lock needs a name that is not empty");
  if (twice && !recipe->invalid)
    recipe->invalid = lock::invalid("a name stands twice among those to be locked together");
  recipe->quorum = client.nodes();
  if (!recipe->invalid && client.nodes() > 1 && recipe->options->replicas > 0)
    recipe->invalid = lock::invalid(
        "a lock over several servers does not count on replicas: set `replicas` to 0");
  return recipe;
}

RecipeRef make_redlock(const LockClient& client, std::string name, LockOptions options) {
  auto protocol = lock::make_lock_protocol({name});
  return lock::by_majority(client,
                           make_recipe(std::move(name), std::move(options), std::move(protocol)));
}

Ongoing<Outcome<Hold>> acquire_at_most(const LockClient& client, const RecipeRef& recipe,
                                       std::optional<Duration> limit) {
  const lock::ClientState::AtWork keeps{client.state()};
  return client.state()->acquire(recipe, limit);
}

}  // namespace

Ongoing<Outcome<Hold>> AnyLock::acquire() { return acquire_at_most(client_, recipe_, {}); }
Ongoing<Outcome<Hold>> AnyLock::try_acquire() {
  return acquire_at_most(client_, recipe_, Duration{});
}
Ongoing<Outcome<Hold>> AnyLock::acquire_within(Duration limit) {
  return acquire_at_most(client_, recipe_, limit);
}

Ongoing<Outcome<Released>> AnyLock::guard(Duration limit, std::function<void(Hold&)> body) {
  using Result = Outcome<Released>;
  const auto state = client_.state();
  auto guarding = state->undertaking<Result>();
  if (state->is_over) return Ongoing<Result>{std::move(guarding)};
  auto acquiring = lock::share<Ongoing<Outcome<Hold>>>(acquire_within(limit));
  guarding->slot = acquiring->shared_->slot;
  acquiring->when_done([guarding, acquiring, body = std::move(body), raw = state.get()] {
    guarding->slot = 0;  // There is nothing to cancel any more.
    auto held = acquiring->take();
    if (!held) return raw->finish<Result>(guarding, held.error());
    if (guarding->is_given_up)  // Given up when the lock had been acquired already.
      return raw->finish<Result>(
          guarding, LockError{.code = LockError::Code::cancelled,
                              .message = "the guard was cancelled; the lock is given back"});
    body(*held);
    held->release().then(
        [guarding, raw](Released released) { raw->finish<Result>(guarding, released); });
  });
  state->flush();
  return Ongoing<Result>{std::move(guarding)};
}

Ongoing<Outcome<Hold>> AnyLock::adopt(std::string handed_over) {
  auto letter = lock::Letter::read(handed_over);
  if (!letter)
    return lock::ClientState::finished<Outcome<Hold>>(
        lock::invalid("this is not what Hold::hand_over() returned"));
  return client_.state()->acquire(recipe_, Duration{}, std::move(letter));
}

const std::string& AnyLock::name() const { return recipe_->name; }
const LockOptions& AnyLock::options() const { return *recipe_->options; }

Lock::Lock(LockClient client, std::string name, LockOptions options)
    : AnyLock(client, make_lock(client, std::move(name), std::move(options))) {}
Lock::Lock(Link& link, std::string name, LockOptions options)
    : Lock(LockClient::of(link), std::move(name), std::move(options)) {}

ReentrantLock::ReentrantLock(LockClient client, std::string name, LockOptions options)
    : AnyLock(client, make_reentrant(client, std::move(name), std::move(options))) {}
ReentrantLock::ReentrantLock(Link& link, std::string name, LockOptions options)
    : ReentrantLock(LockClient::of(link), std::move(name), std::move(options)) {}
std::size_t ReentrantLock::levels() const {
  const auto hold = recipe_->current.lock();
  return hold && hold->held ? hold->levels : 0;
}

FencedLock::FencedLock(LockClient client, std::string name, LockOptions options)
    : AnyLock(client, make_fenced(client, std::move(name), std::move(options))) {}
FencedLock::FencedLock(Link& link, std::string name, LockOptions options)
    : FencedLock(LockClient::of(link), std::move(name), std::move(options)) {}

FairLock::FairLock(LockClient client, std::string name, LockOptions options)
    : AnyLock(client, make_permits(client, std::move(name), 1, 1, std::move(options))) {}
FairLock::FairLock(Link& link, std::string name, LockOptions options)
    : FairLock(LockClient::of(link), std::move(name), std::move(options)) {}

Semaphore::Semaphore(LockClient client, std::string name, std::int64_t limit, LockOptions options,
                     std::int64_t permits)
    : AnyLock(client, make_permits(client, std::move(name), permits, limit, std::move(options))) {}
Semaphore::Semaphore(Link& link, std::string name, std::int64_t limit, LockOptions options,
                     std::int64_t permits)
    : Semaphore(LockClient::of(link), std::move(name), limit, std::move(options), permits) {}

ReadWriteLock::Side::Side(LockClient client, std::string name, std::int64_t permits,
                          LockOptions options)
    : AnyLock(client,
              make_permits(client, std::move(name), permits, kReaders, std::move(options))) {}
ReadWriteLock::ReadWriteLock(LockClient client, std::string name, LockOptions options)
    : read_(client, name, 1, options), write_(client, name, kReaders, options) {}
ReadWriteLock::ReadWriteLock(Link& link, std::string name, LockOptions options)
    : ReadWriteLock(LockClient::of(link), std::move(name), std::move(options)) {}

Ongoing<Outcome<Done>> ReadWriteLock::downgrade(Hold& writer) {
  using Result = Outcome<Done>;
  if (!writer.is_held())
    return lock::ClientState::finished<Result>(
        LockError{.code = LockError::Code::lost,
                  .message = "the writer's hold is over: acquire the lock anew"});
  if (writer.name() != write_.name())
    return lock::ClientState::finished<Result>(
        lock::invalid("this hold is of another lock than is to be downgraded"));
  const auto state = write_.client().state();
  auto changing = state->undertaking<Result>();
  const std::string& name = write_.name();
  lock::CallRef call = lock::Call::of(
      lock::embedded_script("permits_reduce"), 3,
      {name, lock::beside(name, "queue"), lock::beside(name, "over"), writer.owner(), "1", "1000"});
  state->ask(0, std::move(call), write_.options(),
             [changing, raw = state.get()](const Reply* reply, LockError error) {
               if (reply == nullptr) return raw->finish<Result>(changing, std::move(error));
               if (*reply == 1) return raw->finish<Result>(changing, Done{});
               if (*reply != 0)
                 return raw->finish<Result>(changing, lock::not_understood(0, *reply));
               raw->finish<Result>(changing,
                                   LockError{.code = LockError::Code::not_owner,
                                             .message = "the server does not know this hold any "
                                                        "more: acquire the lock anew"});
             });
  return Ongoing<Result>{std::move(changing)};
}

MultiLock::MultiLock(LockClient client, std::vector<std::string> names, LockOptions options)
    : AnyLock(client, make_multi(client, std::move(names), std::move(options))) {}
MultiLock::MultiLock(Link& link, std::vector<std::string> names, LockOptions options)
    : MultiLock(LockClient::of(link), std::move(names), std::move(options)) {}

Redlock::Redlock(LockClient client, std::string name, LockOptions options)
    : AnyLock(client, make_redlock(client, std::move(name), std::move(options))) {}

}  // namespace picklock
