#include "lockclient/client/client_state.hpp"

#include <algorithm>
#include <set>

namespace picklock::lock {
namespace {

std::string hexadecimal(std::uint64_t number) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) digits[i] = "0123456789abcdef"[number & 15];
  return digits;
}

/// Of a script lock, that has no step for it.
LockError no_extending() {
  return invalid("this script lock has no step to extend, and so none to adopt a hold by");
}

/// What it was to call may hold others, and itself.
void forget(Undertaking& one) { const auto call = std::exchange(one.then, nullptr); }
void forget(const Shared<Undertaking>& one) {
  if (one != nullptr) forget(*one);
}

}  // namespace

ClientState::ClientState(std::vector<Link*> the_links) : core(the_links.size()) {
  if (the_links.empty()) throw std::invalid_argument("a lock client needs at least one link");
  if (std::set<Link*>(the_links.begin(), the_links.end()).size() != the_links.size())
    throw std::invalid_argument("a lock client must not be given the same link twice");
  for (Link* link : the_links) links.push_back({link, link->connections()});
  id = hexadecimal(the_links.front()->random());
  id += hexadecimal(the_links.front()->random());
  last_owner = id + ':';
  random.reseed(the_links.front()->random());
  try {
    for (Link* link : the_links) link->listen(this);
  } catch (...) {
    for (Link* link : the_links) {
      if (link->listener() == this) link->listen(nullptr);
    }
    throw;
  }
}

ClientState::~ClientState() {
  handle = nullptr;
  if (is_over) return;
  for (const Wire& wire : links) wire.link->listen(nullptr);
}

void ClientState::on_end() {
  is_over = true;
  for (const Wire& wire : links) {
    if (wire.link->listener() == this) wire.link->listen(nullptr);
  }
  forget_all();
}

/// What is under way keeps the client, which keeps that: both go now, callbacks and all. So does
/// what is begun when all is over.
void ClientState::forget_all() {
  const AtWork keeps{*this};
  const auto ended_asks = std::exchange(asks, {});
  const auto untold_news = core.take_news();
  const auto ended_holds = holds();
  const auto untold = std::exchange(settled, {});
  for (const auto& hold : ended_holds) {
    unlist(*hold);
    hold->held = false;  // Nobody renews it any more, nor tells the time.
    forget(std::exchange(hold->acquiring, nullptr));
    forget(std::exchange(hold->extending, nullptr));
    hold->release_is_awaited = false;
    forget(hold->release);
    const auto latch = std::exchange(hold->latch, nullptr);
  }
  for (const Settled& one : untold) forget(one.undertaking);
}

/// Unique to an acquisition, and to whatever else is remembered by it: the client's id and the next
/// number, which is counted where its digits stand.
const std::string& ClientState::next_owner() {
  std::size_t at = last_owner.size();
  while (last_owner[at - 1] == '9') last_owner[--at] = '0';
  if (at == id.size() + 1)
    last_owner.insert(at, 1, '1');
  else
    ++last_owner[at - 1];
  return last_owner;
}

Shared<HoldState> ClientState::begin(const RecipeRef& recipe, std::optional<Duration> wait,
                                     std::optional<Letter> adopted) {
  if (wait) *wait /= recipe->wait_divisor;
  if (wait && *wait > kLongest) wait.reset();
  Duration ttl = first_ttl(*recipe->options);
  if (recipe->takes_wait_for_ttl && wait && *wait > Duration{}) ttl = *wait;
  Terms terms{.client_id = next_owner(),
              .row = adopted ? std::move(adopted->row)
                             : core.take_row(id, memory_of(*recipe->options, ttl)),
              .options = recipe->options,
              .ttl = ttl,
              .wait = wait,
              .nodes = links.size(),
              .quorum = recipe->quorum,
              .check_nodes = links.size() > 1 && !adopted && !nodes_checked};
  if (terms.check_nodes) terms.hear_all = std::exchange(hears_nodes_out, false);
  if (adopted) terms.adopted = share<const Adopted>(std::move(adopted->hold));
  if (recipe->fenced) terms.known = fences[recipe->name];
  auto hold = make_recycled<HoldState>();
  hold->recipe = recipe;
  hold->asked_at = now();
  hold->owner =
      adopted ? terms.adopted->owner : terms.client_id;  // Also if no more than a refusal is heard.
  hold->slot = core.add(recipe->protocol, std::move(terms), random.next(), hold->asked_at, hold);
  return hold;
}

bool ClientState::is_of_a_hold(const std::string& owner) const {
  const auto all = holds();
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one->owner == owner; });
}

std::vector<Shared<HoldState>> ClientState::holds() const {
  std::vector<Shared<HoldState>> holds;
  for (auto& caller : core.callers())
    holds.push_back(std::static_pointer_cast<HoldState>(std::move(caller)));
  return holds;
}

Ongoing<Outcome<Hold>> ClientState::acquire(const RecipeRef& recipe, std::optional<Duration> wait,
                                            std::optional<Letter> adopted) {
  using Result = Outcome<Hold>;
  if (recipe->invalid) return finished<Result>(*recipe->invalid);
  if (wait && *wait < Duration{})
    return finished<Result>(invalid("the time to wait is negative: 0 tries once"));
  if (adopted && !recipe->protocol->extends()) return finished<Result>(no_extending());
  Shared<HoldState> hold = recipe->current.lock();
  const bool is_this = hold && (!adopted || adopted->hold.owner == hold->owner);
  if (is_this && hold->held && !hold->releasing && now() < hold->valid_until) {
    ++hold->levels;
    return finished<Result>(Hold{self(), std::move(hold)});
  }
  if (adopted && is_of_a_hold(adopted->hold.owner))
    return finished<Result>(invalid("this hold has been taken over already, or is about to be"));
  auto acquiring = undertaking<Result>();
  const bool may_share = recipe->reentrant && !adopted;
  hold = begin(recipe, wait, std::move(adopted));
  hold->acquiring = acquiring;
  if (may_share) {
    std::erase_if(recipe->pending, [](const auto& weak) {
      const auto one = weak.lock();
      return !one || !one->acquiring;
    });
    recipe->pending.push_back(hold);
  }
  acquiring->slot = hold->slot;
  flush();
  return Ongoing<Result>{std::move(acquiring)};
}

void ClientState::cancel(SlotId slot) {
  core.cancel(slot, now());
  flush();
}

Ongoing<Outcome<Done>> ClientState::extend(HoldState& hold, Duration ttl) {
  using Result = Outcome<Done>;
  if (ttl == Duration{}) ttl = hold.recipe->options->ttl;
  if (const auto error = check_ttl(ttl, *hold.recipe->options)) return finished<Result>(*error);
  if (!hold.recipe->protocol->extends()) return finished<Result>(no_extending());
  if (hold.extending)
    return finished<Result>(invalid("an extension of this hold is under way: await it first"));
  if (!hold.held)
    return finished<Result>(LockError{.code = LockError::Code::lost,
                                      .message = "the hold is over: acquire the lock anew"});
  auto extending = undertaking<Result>();
  hold.extending = extending;
  core.extend(hold.slot, ttl, now());
  flush();
  return Ongoing<Result>{std::move(extending)};
}

Ongoing<Released> ClientState::release(const Shared<HoldState>& hold) {
  if (hold->levels > 1) {
    --hold->levels;
    if (!hold->loss) return finished(Released::still_held);
    return finished(*hold->loss == Loss::not_owner ? Released::not_owner : Released::expired);
  }
  if (hold->levels == 0) return finished(Released::not_owner);  // Another level was handed over.
  begin(hold->release);
  hold->release_is_awaited = true;
  Ongoing<Released> releasing{release_of(hold)};
  let_go(*hold);
  return releasing;
}

void ClientState::let_go(HoldState& hold) {
  if (hold.levels == 0 || --hold.levels > 0 || hold.releasing) return;
  hold.releasing = true;
  const bool was_renewed = hold.held && hold.recipe->options->renew;
  if (was_renewed && hold.recipe->renews_after_release) core.copy(hold.slot);
  hold.held = false;
  core.release(hold.slot, now());
  flush();
}

void ClientState::ask(std::size_t node, CallRef call, const LockOptions& options,
                      std::function<void(const Reply*, LockError)> then) {
  const SlotId slot = core.add(AskMachine{std::move(call), node, options}, now());
  asks.emplace(slot, Ask{node, std::move(then)});
  flush();
}

void ClientState::on_event() {
  if (is_over) return;
  const AtWork keeps{*this};
  const Instant instant = now();
  for (std::size_t node = 0; node < links.size(); ++node) receive(node, instant);
  while (core.may_be_due(instant)) core.time(instant);
  flush();
  if (thrown && !settling) std::rethrow_exception(std::exchange(thrown, nullptr));
}

void ClientState::receive(std::size_t node, Instant instant) {
  Link& link = *links[node].link;
  // A simulated network may lose one reply and deliver the next.
  for (auto one = core.next_waiting(node, 0); one; one = core.next_waiting(node, one->tag)) {
    if (const std::optional<Reply> reply = link.reply(one->ticket)) {
      core.answered(one->tag, &*reply, instant);
    } else if (link.is_lost(one->ticket)) {
      core.answered(one->tag, nullptr, instant, link.why_broken());
    }
  }
  note_connection(node);
  while (const auto message = link.message()) core.messaged(node, *message, instant);
}

/// A new connection knows no subscriptions: a waiter that trusted the old one's would miss
/// releases.
void ClientState::note_connection(std::size_t node) {
  Wire& wire = links[node];
  const std::uint64_t connections = wire.link->connections();
  if (std::exchange(wire.connections, connections) != connections) core.reconnected(node, now());
}

void ClientState::send() {
  while (!is_over) {
    const auto one = core.take_send();
    if (!one) return;
    Wire& wire = links[one->node];
    ++counters.requests;
    const Link::Ticket ticket = wire.link->send(one->words());
    note_connection(one->node);
    core.sent(one->tag, ticket, wire.connections);
  }
}

void ClientState::flush() {
  if (is_over) return forget_all();
  const AtWork keeps{*this};
  do {
    send();
    while (core.has_news()) {
      auto news = core.take_news();
      for (Notice& one : news) {
        if (!is_over) tell(one);  // A callback may end a link.
      }
      core.reuse(std::move(news));
    }
    answer_asks();
    send();
    if (settling) break;
    settling = true;
    while (!settled.empty()) {
      const Settled one = std::move(settled.front());
      settled.pop_front();
      guarded([&] { resume(one); });  // It may add more behind, or end a link.
    }
    settling = false;
  } while (!is_over && !settled.empty());
  if (is_over) return forget_all();
  links.front().link->wake_at(thrown ? now() : core.wake().value_or(Instant::max()));
}

void ClientState::resume(const Settled& one) {
  if (one.undertaking != nullptr) {
    const auto client = std::exchange(one.undertaking->keeps, nullptr);
    return one.undertaking->settle();
  }
  one.lost->lost.request_stop();
  for (const auto& level : std::exchange(one.lost->on_lost, {})) {
    const auto call = level.lock();
    if (call && *call) guarded([&] { std::exchange(*call, nullptr)(*one.lost->loss); });
  }
}

void ClientState::answer_asks() {
  if (asks.empty()) return;
  for (const SlotId slot : core.take_ended_asks()) {
    const std::optional<AskMachine> ask = core.take_ask(slot);
    if (!ask) continue;
    const auto [node, then] = std::move(asks.at(slot));
    asks.erase(slot);
    if (ask->reply()) {
      then(&*ask->reply(), {});
      continue;
    }
    NodeError error = ask->error();
    error.node = node;
    const bool silent =
        error.kind == NodeError::Kind::no_answer || error.kind == NodeError::Kind::closed;
    then(nullptr, {.code = silent ? LockError::Code::timed_out : LockError::Code::node_failed,
                   .message = "the server did not do it: see the node's error",
                   .nodes = {std::move(error)}});
  }
}

}  // namespace picklock::lock
