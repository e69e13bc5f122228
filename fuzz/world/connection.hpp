// A worker's simulated connection to a server: requests and replies in flight, in order.
//
// A Link for the worker's code; the simulation decides when the oldest message of each direction
// arrives. Its memory is used again from schedule to schedule. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <picklock/emulator.hpp>
#include <picklock/link.hpp>

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
  std::size_t size() const { return tail_ - head_; }

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
  Link::Ticket ticket = 0;  ///< 0: a message.
  Reply reply;
};

class SimulatedConnection final : public Link {
 public:
  SimulatedConnection(Simulation& simulation, std::size_t worker, std::size_t node)
      : simulation_(&simulation), worker_(worker), node_(node) {}

  Ticket send(std::span<const std::string_view> words) override;
  std::optional<Reply> reply(Ticket ticket) override;
  Instant now() const override;
  void wake_at(Instant instant) override;
  std::optional<Reply> message() override;
  std::uint64_t random() override;

  std::size_t worker() const { return worker_; }
  std::size_t node() const { return node_; }
  bool has_arrived(Ticket ticket) const;
  void clear();
  /// Whether nothing is in flight.
  bool is_silent() const { return requests.empty() && answers.empty(); }

  Pipe<Request> requests;
  Pipe<Answer> answers;
  std::vector<std::pair<Ticket, Reply>> arrived;
  std::deque<Reply> messages;
  std::optional<Client> client;

 private:
  void speak_resp3() override;

  Simulation* simulation_;
  std::size_t worker_;
  std::size_t node_;
  Ticket last_ticket_ = 0;
};

}  // namespace picklock::race
