#include <picklock/lock/client.hpp>

#include "lockclient/client/client_state.hpp"

namespace picklock {

LockClient::LockClient(Link& link)
    : state_(std::make_shared<lock::ClientState>(std::vector<Link*>{&link})) {
  link.shared = state_;
}
LockClient::LockClient(const std::vector<Link*>& links)
    : state_(std::make_shared<lock::ClientState>(links)) {}

LockClient LockClient::of(Link& link) {
  if (auto shared = std::static_pointer_cast<lock::ClientState>(link.shared.lock()))
    return LockClient{std::move(shared)};
  return LockClient{link};
}

const std::string& LockClient::id() const { return state_->id; }
std::size_t LockClient::nodes() const { return state_->links.size(); }
Instant LockClient::now() const { return state_->now(); }
const LockCounters& LockClient::counters() const { return state_->counters; }
void LockClient::on_event(std::function<void(const LockEvent&)> callback) {
  state_->event_callback = std::move(callback);
}
std::size_t LockClient::under_way() const { return state_->core.slots(); }
std::size_t LockClient::subscriptions() const { return state_->core.subscriptions(); }

Ongoing<Outcome<std::vector<Holder>>> LockClient::who_holds(std::string name, std::size_t node) {
  using Result = Outcome<std::vector<Holder>>;
  if (node >= nodes())
    return lock::ClientState::finished<Result>(lock::invalid("there is no such node"));
  auto looking = state_->undertaking<Result>();
  state_->ask(node, {lock::embedded_script("lock_look"), 1, {std::move(name)}}, LockOptions{},
              [looking, raw = state_.get()](const Reply* reply, LockError error) {
                if (reply == nullptr) return raw->finish<Result>(looking, std::move(error));
                std::vector<Holder> holders;
                for (const Reply& one : reply->elements()) {
                  if (one.size() != 3) continue;
                  Holder& holder = holders.emplace_back();
                  holder.owner = one[0].text();
                  holder.permits = one[1].integer();
                  if (one[2].integer() >= 0)
                    holder.ttl = std::chrono::milliseconds{one[2].integer()};
                }
                raw->finish<Result>(looking, std::move(holders));
              });
  return Ongoing<Result>{std::move(looking)};
}

Ongoing<Outcome<std::vector<std::string>>> LockClient::force_release(std::string name) {
  using Result = Outcome<std::vector<std::string>>;
  if (const auto error = lock::check_name(name)) return lock::ClientState::finished<Result>(*error);
  struct Progress {
    std::size_t waiting = 0;
    std::vector<std::string> ended;
    std::optional<LockError> error;
  };
  auto progress = std::make_shared<Progress>();  // Shared by the nodes' answers.
  progress->waiting = nodes();
  auto forcing = state_->undertaking<Result>();
  for (std::size_t node = 0; node < nodes(); ++node) {
    lock::Call call{lock::embedded_script("lock_force_release"),
                    4,
                    {name, lock::beside(name, "over"), lock::beside(name, "fence"),
                     lock::beside(name, "queue"), "60000"}};
    state_->ask(node, std::move(call), LockOptions{},
                [forcing, progress, raw = state_.get()](const Reply* reply, LockError error) {
                  if (reply == nullptr) progress->error = std::move(error);
                  if (reply != nullptr) {
                    for (const Reply& owner : reply->elements())
                      progress->ended.push_back(owner.text());
                  }
                  if (--progress->waiting > 0) return;
                  if (progress->error)
                    return raw->finish<Result>(forcing, std::move(*progress->error));
                  raw->finish<Result>(forcing, std::move(progress->ended));
                });
  }
  return Ongoing<Result>{std::move(forcing)};
}

namespace lock {

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
  constexpr Duration kMost = std::chrono::hours{24 * 365 * 100};
  if (ttl % milliseconds{1} != Duration{})
    return invalid("the ttl must be whole milliseconds: the server counts nothing finer");
  if (ttl < kLeast || ttl > kMost)
    return invalid("the ttl must be from 5 milliseconds to 100 years");
  const auto share = static_cast<double>(ttl.count()) * options.drift;
  if (options.drift_floor + Duration{static_cast<std::int64_t>(share)} >= ttl)
    return invalid("the allowance for drift leaves nothing of the ttl: lengthen the ttl");
  return std::nullopt;
}

std::optional<LockError> check_options(const LockOptions& options) {
  if (!(options.drift >= 0) || options.drift > 0.5 || options.drift_floor < Duration{})
    return invalid("the allowance for drift must be from 0 to half of the ttl");
  if (const auto error = check_ttl(options.ttl, options)) return error;
  if (options.answer_within < milliseconds{1} || options.give_up_after < milliseconds{1})
    return invalid("the time limits for answers must be at least 1 millisecond");
  if (options.max_hold < Duration{} || options.memory < Duration{})
    return invalid("the maximum hold time and the memory must not be negative");
  if (options.waiter_lease < milliseconds{15} || options.waiter_lease > std::chrono::hours{24})
    return invalid("the lease of a waiter must be from 15 milliseconds to a day");
  if (options.backoff.first < milliseconds{1} || options.backoff.most < options.backoff.first)
    return invalid("the back-off must begin with at least 1 millisecond and must not shrink");
  if (options.replicas < 0 || options.replicas_within < milliseconds{1})
    return invalid("the replicas and the time for them must not be negative");
  return std::nullopt;
}

}  // namespace lock
}  // namespace picklock
