#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include <picklock/local_loop.hpp>

#include "emulator/base/fifo.hpp"
#include "emulator/base/random.hpp"
#include "emulator/engine/time_travel.hpp"

namespace picklock {

class LocalLink;

struct LocalLoop::State {
  explicit State(std::uint64_t seed) : random(seed) {}

  bool deliver_one();
  bool run_one();
  void move_to(Instant instant);
  std::optional<Instant> next() const;

  Random random;
  Instant now = kDefaultStart;
  std::vector<Emulator*> servers;
  std::vector<LocalLink*> links;
  std::size_t turn = 0;  ///< Whose event was delivered last.
};

/// One connection of a loop.
class LocalLink final : public Link {
 public:
  LocalLink(std::shared_ptr<LocalLoop::State> loop, Emulator& redis)
      : loop_(std::move(loop)), redis_(&redis), client_(redis.connect()) {
    loop_->links.push_back(this);
  }
  ~LocalLink() override { std::erase(loop_->links, this); }

  Ticket send(std::span<const std::string_view> words) override {
    bool connected = is_connected();
    if (!connected) {
      break_up();
      client_ = redis_->connect();
      cut_ = broken_ = false;
      if (listener() != nullptr) speak_resp3();
      connected = is_connected();
    }
    ++last_ticket_;
    if (connected)
      sent_.emplace_back(last_ticket_, client_.send(words));
    else
      lost_.emplace_back(last_ticket_, last_ticket_);  // A fault has struck what was sent ahead.
    return last_ticket_;
  }

  std::optional<Reply> reply(Ticket ticket) override {
    auto* const sent = find_numbered(sent_, ticket);
    if (sent != nullptr && sent < sent_.begin() + static_cast<std::ptrdiff_t>(arrived_)) {
      std::optional<Reply> reply = sent->second.poll();
      sent_.erase(sent);
      --arrived_;
      return reply;
    }
    auto* const older = find_numbered(left_over_, ticket);
    if (older == nullptr) return std::nullopt;
    std::optional<Reply> reply{std::move(older->second)};
    left_over_.erase(older);
    return reply;
  }

  std::optional<Reply> message() override {
    if (messages_.empty()) return std::nullopt;
    std::optional<Reply> message{std::move(messages_.front())};
    messages_.pop_front();
    return message;
  }

  Instant now() const override { return loop_->now; }
  void wake_at(Instant instant) override {
    if (listener() == nullptr && wake_) instant = std::min(*wake_, instant);
    wake_ = instant == Instant::max() ? std::nullopt : std::optional{instant};
  }
  bool is_lost(Ticket ticket) const override {
    const auto after =
        std::upper_bound(lost_.begin(), lost_.end(), ticket,
                         [](Ticket one, const auto& range) { return one < range.first; });
    return after != lost_.begin() && ticket <= std::prev(after)->second;
  }
  std::uint64_t connections() const override { return connections_; }
  std::uint64_t random() override { return loop_->random.next(); }
  bool run_one() override;

  std::optional<Instant> wake() const { return wake_; }
  void disconnect() { cut_ = true; }

  /// Hands the listener what has come in; false if there is nothing.
  bool deliver() {
    bool news = false;
    bool connected = is_connected();
    while (connected && arrived_ < sent_.size()) {
      const Pending& pending = sent_.begin()[arrived_].second;
      if (pending.is_there()) {
        ++arrived_;
        news = true;
      } else {
        if (pending.is_lost()) cut_ = true;
        connected = !cut_;
        break;
      }
    }
    if (connected) {
      while (auto message = client_.next_message()) {
        messages_.push_back(std::move(*message));
        news = true;
      }
    } else if (!broken_) {
      break_up();
      news = true;
    }
    if (wake_ && *wake_ <= loop_->now) {
      wake_.reset();
      news = true;
    }
    if (news && listener() != nullptr) listener()->on_event();
    return news;
  }

 private:
  // A connection that is closed is made anew by the next request. A fault may strike this one, too.
  void speak_resp3() override {
    if (!is_connected()) return;
    Pending hello = client_.send("HELLO", "3");
    if (!hello.is_blocked() && !hello.is_lost()) hello.reply();
  }
  bool is_connected() const { return !cut_ && client_.is_connected(); }
  void break_up() {
    if (std::exchange(broken_, true)) return;
    ++connections_;
    for (; arrived_ > 0; --arrived_) {
      auto& [ticket, pending] = sent_.front();
      left_over_.emplace_back(ticket, pending.reply());
      sent_.pop_front();
    }
    if (!sent_.empty()) lost_.emplace_back(sent_.front().first, sent_.back().first);
    sent_.clear();
  }

  std::shared_ptr<LocalLoop::State> loop_;
  Emulator* redis_;
  Client client_;
  std::uint64_t connections_ = 1;
  bool cut_ = false;     // By disconnect().
  bool broken_ = false;  // The next request opens the connection that was counted already.
  Ticket last_ticket_ = 0;
  // In the order of the tickets: what the present connection was sent, of which the first have
  // their replies there, and what others have brought.
  Fifo<std::pair<Ticket, Pending>> sent_;
  std::size_t arrived_ = 0;
  Fifo<std::pair<Ticket, Reply>> left_over_;
  std::vector<std::pair<Ticket, Ticket>> lost_;  // From, to; growing.
  std::deque<Reply> messages_;
  std::optional<Instant> wake_;
};

/// In turn, so that no link waits for another that is always busy. By index: a listener may open
/// links and close them.
bool LocalLoop::State::deliver_one() {
  for (std::size_t tried = 0; tried < links.size(); ++tried) {
    turn = turn + 1 < links.size() ? turn + 1 : 0;
    if (links[turn]->deliver()) return true;
  }
  return false;
}

/// Some of the servers may go by one clock, which moves once.
void LocalLoop::State::move_to(Instant instant) {
  const Duration step = instant - now;
  now = instant;
  std::vector<std::pair<Emulator*, Instant>> targets;
  for (Emulator* server : servers) targets.emplace_back(server, server->now() + step);
  for (const auto& [server, target] : targets) {
    do {
      server->advance(std::clamp<Duration>(target - server->now(), Duration{}, kMaxAdvance));
    } while (server->now() < target);
  }
}

std::optional<Instant> LocalLoop::State::next() const {
  std::optional<Instant> next;
  const auto consider = [&](Instant instant) {
    if (!next || instant < *next) next = std::max(instant, now);
  };
  for (const LocalLink* link : links) {
    if (link->wake()) consider(*link->wake());
  }
  for (const Emulator* server : servers) {
    const auto event = server->next_event();
    if (event && *event > server->now()) consider(now + (*event - server->now()));
  }
  return next;
}

LocalLoop::LocalLoop(std::uint64_t seed) : state_(std::make_shared<State>(seed)) {}
LocalLoop::~LocalLoop() = default;

std::unique_ptr<Link> LocalLoop::connect(Emulator& redis) {
  std::vector<Emulator*>& servers = state_->servers;
  if (servers.empty()) state_->now = redis.now();
  if (std::find(servers.begin(), servers.end(), &redis) == servers.end()) servers.push_back(&redis);
  return std::make_unique<LocalLink>(state_, redis);
}

void LocalLoop::disconnect(Link& link) {
  const auto found = std::find(state_->links.begin(), state_->links.end(), &link);
  if (found == state_->links.end())
    throw std::invalid_argument("this link is none of this loop's: it did not connect() it");
  (*found)->disconnect();
}

void LocalLoop::advance(Duration duration) {
  if (duration < Duration{} || duration > kMaxAdvance)
    throw std::invalid_argument("advance() takes a duration from 0 to a thousand years");
  const Instant target = state_->now + duration;
  while (true) {
    if (state_->deliver_one()) continue;
    const std::optional<Instant> next = state_->next();
    if (!next || *next > target) break;
    state_->move_to(*next);
  }
  state_->move_to(target);
  while (state_->deliver_one()) {
  }
}

bool LocalLoop::State::run_one() {
  if (deliver_one()) return true;
  const std::optional<Instant> instant = next();
  if (!instant) return false;
  move_to(*instant);
  return true;
}

bool LocalLoop::run_one() { return state_->run_one(); }
bool LocalLink::run_one() { return loop_->run_one(); }

Instant LocalLoop::now() const { return state_->now; }

}  // namespace picklock
