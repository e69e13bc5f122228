#include <picklock/lock/client.hpp>

#include "lockclient/client/client_state.hpp"

namespace picklock {
namespace {

using Type = Reply::Type;

/// What lock_look answers; nullopt: this is nothing of it.
std::optional<std::vector<Holder>> read_holders(const Reply& reply) {
  if (reply.type() != Type::array) return std::nullopt;
  std::vector<Holder> holders;
  for (const Reply& one : reply.elements()) {
    const bool good = one.size() == 3 && one[0].type() == Type::bulk &&
                      one[1].type() == Type::integer && one[2].type() == Type::integer;
    if (!good) return std::nullopt;
    Holder& holder = holders.emplace_back();
    holder.owner = one[0].text();
    holder.permits = one[1].integer();
    if (one[2].integer() >= 0) holder.ttl = std::chrono::milliseconds{one[2].integer()};
  }
  return holders;
}

/// What lock_force_release answers.
std::optional<std::vector<std::string>> read_owners(const Reply& reply) {
  if (reply.type() != Type::array) return std::nullopt;
  std::vector<std::string> owners;
  for (const Reply& owner : reply.elements()) {
    if (owner.type() != Type::bulk) return std::nullopt;
    owners.push_back(owner.text());
  }
  return owners;
}

}  // namespace

LockClient::LockClient(Link& link)
    : state_(lock::share<lock::ClientState>(std::vector<Link*>{&link})) {
  link.shared = state_->handle;
}
LockClient::LockClient(const std::vector<Link*>& links)
    : state_(lock::share<lock::ClientState>(links)) {}

LockClient LockClient::of(Link& link) {
  if (const auto known = std::static_pointer_cast<lock::ClientState>(link.shared.lock()))
    return LockClient{known->shared_from_this()};
  return LockClient{link};
}

const std::string& LockClient::id() const { return state_->id; }
std::size_t LockClient::nodes() const { return state_->links.size(); }
Instant LockClient::now() const { return state_->now(); }
const LockCounters& LockClient::counters() const { return state_->counters; }
void LockClient::on_event(std::function<void(const LockEvent&)> callback) {
  using Callback = std::function<void(const LockEvent&)>;
  state_->event_callback = callback ? lock::share<const Callback>(std::move(callback)) : nullptr;
}
std::size_t LockClient::under_way() const { return state_->core.slots(); }
std::size_t LockClient::subscriptions() const { return state_->core.subscriptions(); }

Ongoing<Outcome<std::vector<Holder>>> LockClient::who_holds(std::string name, std::size_t node) {
  using Result = Outcome<std::vector<Holder>>;
  if (node >= nodes())
    return lock::ClientState::finished<Result>(lock::invalid("there is no such node"));
  auto looking = state_->undertaking<Result>();
  state_->ask(node, lock::Call::of(lock::embedded_script("lock_look"), 1, {name}), LockOptions{},
              [looking, node, raw = state_.get()](const Reply* reply, LockError error) {
                if (reply == nullptr) return raw->finish<Result>(looking, std::move(error));
                auto holders = read_holders(*reply);
                if (!holders)
                  return raw->finish<Result>(looking, lock::not_understood(node, *reply));
                raw->finish<Result>(looking, *std::move(holders));
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
  auto progress = lock::share<Progress>();  // Shared by the nodes' answers.
  progress->waiting = nodes();
  auto forcing = state_->undertaking<Result>();
  const std::string request = state_->next_owner();
  for (std::size_t node = 0; node < nodes(); ++node) {
    lock::CallRef call =
        lock::Call::of(lock::embedded_script("lock_force_release"), 4,
                       {name, lock::beside(name, "over"), lock::beside(name, "fence"),
                        lock::beside(name, "queue"), "60000", request});
    state_->ask(node, std::move(call), LockOptions{},
                [forcing, progress, node, raw = state_.get()](const Reply* reply, LockError error) {
                  if (reply == nullptr) {
                    progress->error = std::move(error);
                  } else if (const auto owners = read_owners(*reply)) {
                    progress->ended.insert(progress->ended.end(), owners->begin(), owners->end());
                  } else {
                    progress->error = lock::not_understood(node, *reply);
                  }
                  if (--progress->waiting > 0) return;
                  if (progress->error)
                    return raw->finish<Result>(forcing, std::move(*progress->error));
                  raw->finish<Result>(forcing, std::move(progress->ended));
                });
  }
  return Ongoing<Result>{std::move(forcing)};
}

}  // namespace picklock
