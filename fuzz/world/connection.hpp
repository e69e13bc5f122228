// A worker's simulated connection to a server: requests and replies in flight, in order.
//
// A Link for the worker's code; the simulation decides when the oldest message of each direction
// arrives. Its memory is used again from schedule to schedule. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <picklock/emulator.hpp>
#include <picklock/link.hpp>

#include "fuzz/world/ids.hpp"

namespace picklock::race {

class Simulation;

/// A first-in, first-out queue that keeps its elements' memory.
template <class T>
class Pipe {
 public:
  bool empty() const { return head_ == tail_; }
  T& front() { return slots_[head_]; }
  const T& front() const { return slots_[head_]; }
  /// A used element to fill in.
  T& push() {
    if (tail_ == slots_.size()) slots_.emplace_back();
    return slots_[tail_++];
  }
  void pop() {
    if (++head_ == tail_) head_ = tail_ = 0;
  }
  void clear() { head_ = tail_ = 0; }
  Pipe() = default;
  Pipe(const Pipe& other) { *this = other; }
  Pipe& operator=(const Pipe& other) {
    if (this == &other) return *this;
    clear();
    other.for_each([this](const T& element) { push() = element; });
    return *this;
  }
  std::size_t size() const { return tail_ - head_; }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = head_; i < tail_; ++i) visit(slots_[i]);
  }

 private:
  std::vector<T> slots_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

struct Request {
  Instant sent;
  Link::Ticket ticket = 0;
  std::string bytes;               ///< All words, one after the other.
  std::vector<std::size_t> sizes;  ///< Of each word.
};

struct Answer {
  Instant sent;
  Link::Ticket ticket = 0;   ///< 0: a message.
  std::uint64_t digest = 0;  ///< Of the reply.
  Reply reply;
};

/// What a run changes of a connection on which no command blocks.
struct Traffic {
  Pipe<Request> requests;
  Pipe<Answer> answers;
  Pipe<Request> orphans;  ///< Still on their way from a connection that is broken.
  std::vector<std::pair<Link::Ticket, Reply>> arrived;
  Pipe<Reply> messages;
  Instant stalled_until{};  ///< Nothing passes before.
  Link::Ticket last_ticket = 0;
  Link::Ticket lost_up_to = 0;
  Link::Ticket repeated = 0;     ///< Of the request that has been carried out once too often.
  std::uint64_t generation = 1;  ///< Counts the connections.
  std::size_t at = 0;  ///< The server at its other end: an old primary, if nobody has told it.
};

class SimulatedConnection final : public Link, public Traffic {
 public:
  /// `index`: among all of the simulation's.
  SimulatedConnection(Simulation& simulation, std::size_t index, std::size_t worker,
                      std::size_t node)
      : request_option(option_of(Step::request, connection_actor(worker, node))),
        reply_option(option_of(Step::reply, connection_actor(worker, node))),
        orphan_option(option_of(Step::orphan, connection_actor(worker, node))),
        simulation_(&simulation),
        index_(index),
        worker_(worker),
        node_(node) {
    at = node;
  }

  Ticket send(std::span<const std::string_view> words) override;
  std::optional<Reply> reply(Ticket ticket) override;
  Instant now() const override;
  void wake_at(Instant instant) override;
  std::optional<Reply> message() override;
  std::uint64_t random() override;
  bool is_lost(Ticket ticket) const override {
    return ticket <= lost_up_to && !has_arrived(ticket);
  }
  std::uint64_t connections() const override { return generation; }

  std::size_t index() const { return index_; }
  std::size_t worker() const { return worker_; }
  std::size_t node() const { return node_; }
  bool has_arrived(Ticket ticket) const;
  using Link::end_listening;
  void clear();
  /// Whether nothing is in flight that the connection still knows of.
  bool is_silent() const { return requests.empty() && answers.empty(); }
  /// Whether messages are on their way, either way.
  bool has_traffic() const { return !is_silent() || !orphans.empty(); }
  /// Whether the server has carried out the oldest request already, and is to do so once more.
  bool is_repeated() const { return !requests.empty() && requests.front().ticket == repeated; }
  /// The connection breaks, and is at once a new one: what has not arrived never will.
  void lose_all();
  /// Which of the requests it is, counted from the last one: tickets themselves count those of the
  /// whole run. 0 for ticket 0.
  std::uint64_t age(Ticket ticket) const { return ticket == 0 ? 0 : last_ticket + 1 - ticket; }
  /// Names a request of this connection among all requests of the run; 0 for ticket 0.
  std::uint64_t message_id(Ticket ticket) const {
    return ticket == 0 ? 0 : ticket << 16 | node_ << 8 | worker_;
  }

  /// What may happen to the oldest of its messages.
  const Option request_option, reply_option, orphan_option;
  std::optional<Client> client;
  std::optional<Pending> held_back;  ///< The reply to a command that blocks...
  Ticket held_ticket = 0;            ///< ...and the request.

 private:
  void speak_resp3() override;

  Simulation* simulation_;
  std::size_t index_;
  std::size_t worker_;
  std::size_t node_;
};

}  // namespace picklock::race
