#include "emulator/server/place.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "emulator/engine/control/node_order.hpp"
#include "emulator/engine/replica_feed.hpp"
#include "emulator/engine/time_travel.hpp"

namespace picklock {

namespace {

using namespace std::chrono_literals;

// A flowing clock may be set meanwhile (NTP, an ADVANCE): look again at least this often while
// something is pending. An event that is due waits a millisecond at least, Redis's own resolution.
constexpr Duration kLongestWait = 1s;
constexpr Duration kShortestWait = 1ms;
// Keys that expire before clients are served again: a millisecond's worth, but told by number, so
// that what happens does not depend on the machine.
constexpr std::size_t kMostExpired = 500;
constexpr std::size_t kMostDestroyed = 256;  // Of those that were flushed.

}  // namespace

struct Place::Own {
  std::unique_ptr<Clock> clock;  // Null for the emulator's own.
  std::unique_ptr<Emulator> emulator;
};

Place::Place(Host& host, asio::io_context& io, Emulator& emulator)
    : Place(host, io, emulator, nullptr) {}

Place::Place(Host& host, asio::io_context& io, Emulator& emulator, std::unique_ptr<Own> own)
    : host_(host),
      io_(io),
      own_(std::move(own)),
      emulator_(own_ ? *own_->emulator : emulator),
      engine_(emulator_.engine()),
      clock_flows_(clock_flows(engine_.clock)),
      timer_(io) {
  engine_.control->host = this;
}

Place::Place(Host& host, asio::io_context& io, const Place& model)
    : Place(host, io, model.emulator_, like(model)) {}

Place::Place(Host& host, asio::io_context& io, const Place& model, OnSameClock)
    : Place(host, io, model.emulator_, like(model, /*same_clock=*/true)) {}

Place::Place(Host& host, asio::io_context& io, const Place& like, Model model)
    : Place(host, io, like.emulator_, modelled(like, std::move(model))) {}

Place::~Place() {
  if (follower_) follower_->stop();
  engine_.control->host = nullptr;
  engine_.slow_script_driver = nullptr;
}

// Its settings are those that the model started with, so that CONFIG GET shows the same port.
std::unique_ptr<Place::Own> Place::like(const Place& model, bool same_clock) {
  auto own = std::make_unique<Own>();
  const Control& control = *model.engine_.control;
  if (!same_clock && dynamic_cast<OffsetClock*>(&model.engine_.clock))
    own->clock = std::make_unique<OffsetClock>();
  if (!same_clock && dynamic_cast<SystemClock*>(&model.engine_.clock))
    own->clock = std::make_unique<SystemClock>();
  Clock* const clock = same_clock ? &model.engine_.clock : own->clock.get();
  own->emulator = clock ? std::make_unique<Emulator>(control.options, *clock)
                        : std::make_unique<Emulator>(control.options);
  Engine& engine = own->emulator->engine();
  engine.on_shutdown = model.engine_.on_shutdown;
  engine.control->config_file = control.config_file;
  engine.steered = model.engine_.steered;
  if (control.trace.is_on()) keep_trace(engine, control.trace.most());
  if (control.start) {
    engine.control->start = control.start;
    start_over(engine, nullptr);
  }
  return own;
}

std::unique_ptr<Place::Own> Place::modelled(const Place& like, Model model) {
  auto own = std::make_unique<Own>();
  own->clock = std::move(model.clock);
  Clock& clock = own->clock ? *own->clock : *model.borrowed;
  own->emulator = std::make_unique<Emulator>(std::move(model.options), clock);
  Engine& engine = own->emulator->engine();
  if (engine.profile->is_sentinel) return own;
  const Control& control = *like.engine_.control;
  Engine::State state = engine.save();
  const Engine::State start = control.start ? *control.start : like.engine_.save();
  state.config = start.config;
  state.acl = start.acl;
  state.config.put("unixsocket", "");
  state.config.put("replicaof", "");
  engine.restore(state);
  if (control.trace.is_on()) keep_trace(engine, control.trace.most());
  return own;
}

void Place::carry_out(std::uint64_t session, NodeOrder order) {
  host_.carry_out(*this, session, std::move(order));
}

void Place::arm_timer() {
  if (!clock_flows_ || !runs_) return;
  auto next = engine_.next_event();
  const auto chore = engine_.feed ? engine_.feed->next_event() : std::nullopt;
  if (chore) next = next ? std::min(*next, *chore) : *chore;
  if (!engine_.keyspace.discarded().empty()) next = Instant{};  // The same at each turn.
  // The same one may be nearer now: the clock was moved.
  if (next == armed_ && !(next && timer_.expiry() - std::chrono::steady_clock::now() >
                                      wait_for(*next) + kShortestWait))
    return;
  armed_ = next;
  if (!next) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(wait_for(*next));
  timer_.async_wait([this](const asio::error_code& error) {
    if (error) return;  // Another event has taken its place.
    armed_.reset();
    engine_.keyspace.discarded().wear_down(kMostDestroyed);
    // Keys do not expire within a script.
    if (engine_.script == nullptr && runs_) engine_.run_due(kMostExpired);
    host_.turn_ended();
  });
}

bool Place::is_due_within(Duration time) const {
  if (!armed_ && barrier_limits_.empty()) return false;
  const auto by_then = std::chrono::steady_clock::now() + time;
  return (armed_ && timer_.expiry() <= by_then) ||
         std::ranges::any_of(barrier_limits_, [by_then](const auto& entry) {
           return entry.second->expiry() <= by_then;
         });
}

Duration Place::wait_for(Instant event) const {
  return std::clamp<Duration>(event - engine_.clock.now(), kShortestWait, kLongestWait);
}

void Place::set_running(bool on) {
  runs_ = on;
  if (on || !follower_) return;
  follower_->stop();
  follower_.reset();
}

void Place::follow_primary() {
  if (!runs_) return;
  if (!follower_) {
    if (!engine_.replication.over_network) return;
    follower_ = std::make_shared<Follower>(
        io_, engine_,
        Follower::Hooks{.turn_ended = [this] { host_.turn_ended(); },
                        .watch = [this](int socket) { host_.watch(socket); }});
  }
  follower_->look();
}

// Real chance: two servers with one seed must have histories of different names.
std::uint64_t Place::draw() {
  std::random_device device;
  const std::uint64_t high = device();
  return high << 32 | device();
}

bool Place::skip_to_next_event() {
  const auto next = engine_.next_event();
  if (engine_.script != nullptr || !next) return false;
  return set_clock(engine_, std::max(*next, engine_.clock.now()));
}

void Place::limit_barrier(std::uint64_t session, std::chrono::milliseconds limit) {
  const auto timer = std::make_shared<asio::steady_timer>(io_, limit);
  barrier_limits_[session] = timer;
  timer->async_wait([this, session, current = std::weak_ptr{timer}](const asio::error_code&) {
    if (current.expired()) return;  // It waits anew, or all of this is gone.
    barrier_limits_.erase(session);
    give_up_barrier(engine_, session);
    host_.turn_ended();
  });
}

}  // namespace picklock
