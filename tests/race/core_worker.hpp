// A client of the world that is a value: the lock client's Core, driven over the world's links.
//
// It asks for the lock once, is inside for as long as the search chooses, and gives it back.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <picklock/race.hpp>

#include "lockclient/machine/core.hpp"

namespace picklock::race {

class CoreWorker {
 public:
  CoreWorker(Node& node, Exclusive& section, std::string_view key, lock::HoldMachine machine)
      : node_(&node), section_(&section), key_(key), fresh_(std::move(machine)) {}

  Next operator()(Worker& worker) {
    const Instant now = worker.now();
    if (fresh_) slot_ = core_.add(std::move(*fresh_), now);
    fresh_.reset();
    if (std::exchange(inside_, false)) {
      turn_.leave();
      core_.release(slot_, now);
    }
    Link& link = worker.link(*node_);
    hear(link, now);
    for (auto wake = core_.wake(); wake && *wake <= now; wake = core_.wake()) core_.time(now);
    const bool enters = was_acquired();
    send(link);
    if (enters) return stay(worker);
    if (core_.slots() == 0) return Next::end();
    if (const auto wake = core_.wake()) link.wake_at(*wake);
    return worker.event();
  }

 private:
  struct Flight {
    std::uint64_t tag = 0;
    Link::Ticket ticket = 0;
  };

  /// In the order of the requests; a lost connection ends all that is not answered.
  void hear(Link& link, Instant now) {
    while (!flights_.empty()) {
      const Flight flight = flights_.front();
      const bool lost = link.is_lost(flight.ticket);
      const std::optional<Reply> reply = lost ? std::nullopt : link.reply(flight.ticket);
      if (!lost && !reply) break;
      flights_.pop_front();
      core_.answered(flight.tag, reply ? &*reply : nullptr, now);
    }
    if (link.connections() != connection_) core_.reconnected(0, now);
    connection_ = link.connections();
    while (const std::optional<Reply> message = link.message()) core_.messaged(0, *message, now);
  }

  void send(Link& link) {
    for (const lock::Core::Send& send : core_.take_sends()) {
      const std::vector<std::string_view> words(send.words.begin(), send.words.end());
      flights_.push_back({send.tag, link.send(words)});
    }
  }

  bool was_acquired() {
    bool acquired = false;
    for (const lock::Core::News& news : core_.take_news())
      acquired |= news.notice.kind == lock::Notice::Kind::acquired;
    return acquired;
  }

  Next stay(Worker& worker) {
    const lock::HoldMachine& hold = *core_.hold(slot_);
    turn_ = section_->enter(worker, {.node = node_, .key = key_, .token = hold.owner(),
                                     .until = hold.valid_until()})
                .keep();
    inside_ = true;
    return worker.pause(Duration{}, hold.valid_until() - worker.now());
  }

  Node* node_;
  Exclusive* section_;
  std::string_view key_;
  std::optional<lock::HoldMachine> fresh_;
  lock::Core core_{1};
  lock::SlotId slot_ = 0;
  std::deque<Flight> flights_;
  std::uint64_t connection_ = 1;
  bool inside_ = false;
  KeptTurn turn_;
};

}  // namespace picklock::race
