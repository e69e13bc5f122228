// Clients of one server whose every step is somebody's choice: which request is carried out next,
// whose answer arrives, when the holder lets go. And a chooser that goes through all of them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <picklock/emulator.hpp>

#include "emulator/base/sha1.hpp"
#include "lockclient/machine/core.hpp"

namespace picklock::test {

inline std::string digest_of(std::string_view text) {
  const auto digits = sha1_hex(text);
  return {digits.begin(), digits.end()};
}

/// Goes through every list of choices, in order: the same questions are asked again after the same
/// answers. Who names its states goes through what follows from each of them only once.
class Enumerator {
 public:
  using Costs = std::vector<std::uint8_t>;

  /// To be called before choose(), with all that decides what can still happen and what will be
  /// found wrong with it. True if what follows has been gone through: the list ends here. `costs`
  /// are what only counts up, and must not grow too large: a state that was reached with less than
  /// now is gone through again.
  bool has_met(std::string_view state, const Costs& costs = {}) {
    if (place_ < path_.size()) return false;
    std::string digest = digest_of(state);
    const auto before = met_.find(digest);
    if (before == met_.end() || !is_within(costs, before->second.costs)) {
      state_ = std::move(digest);
      costs_ = costs;
      return false;
    }
    orders_here_ = before->second.orders;
    return true;
  }
  std::size_t choose(std::size_t options) {
    if (place_ == path_.size())
      path_.push_back({0, options, 0, std::exchange(state_, {}), std::exchange(costs_, {})});
    return path_[place_++].choice;
  }
  /// Moves on to the next list; false after the last.
  bool next() {
    place_ = 0;
    std::uint64_t orders = std::exchange(orders_here_, 1);
    while (!path_.empty()) {
      Place& last = path_.back();
      last.orders += orders;
      if (++last.choice < last.options) return true;
      orders = last.orders;
      if (!last.state.empty())
        met_.insert_or_assign(std::move(last.state), Met{orders, std::move(last.costs)});
      path_.pop_back();
    }
    all_orders_ = orders;
    return false;
  }
  /// The same list once more.
  void again() { place_ = 0; }
  /// After the last list: how many there are, those included that went on from a known state.
  std::uint64_t orders() const { return all_orders_; }
  std::size_t states() const { return met_.size(); }
  std::string to_string() const {
    std::string text;
    for (const Place& place : path_) text += std::to_string(place.choice) + ' ';
    return text;
  }

 private:
  struct Place {
    std::size_t choice = 0;
    std::size_t options = 0;
    std::uint64_t orders = 0;  ///< Of those that have been gone through from here on.
    std::string state;
    Costs costs;
  };
  struct Met {
    std::uint64_t orders = 0;  ///< Of what follows.
    Costs costs;
  };
  static bool is_within(const Costs& costs, const Costs& others) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (costs[i] > others.at(i)) return false;
    }
    return true;
  }
  std::vector<Place> path_;
  std::size_t place_ = 0;
  std::string state_;
  Costs costs_;
  std::uint64_t orders_here_ = 1;
  std::uint64_t all_orders_ = 0;
  std::unordered_map<std::string, Met> met_;  ///< Looked up only.
};

/// One client process, without links: its Core, and what is on its way.
struct SteppedClient {
  SteppedClient(Emulator& redis, std::string client_id)
      : id(std::move(client_id)), connection(redis.connect()) {
    connection.call("HELLO", "3");
  }

  lock::SlotId acquire(lock::ProtocolRef protocol, const LockOptions& options,
                       std::optional<Duration> wait, Instant now) {
    lock::Terms terms{.client_id = id, .options = options, .wait = wait};
    slot = core.add(std::move(protocol), std::move(terms), 1, now);
    collect();
    return slot;
  }
  /// Takes what the Core wants sent and told.
  void collect() {
    while (auto send = core.take_send()) requests.push_back(*std::move(send));
    for (auto& notice : core.take_news()) heard.push_back(std::move(notice));
  }
  void execute() {
    const lock::Core::Send send = std::move(requests.front());
    requests.pop_front();
    ++executed;
    const std::span<const std::string_view> words = send.words();
    if (words[0] == "SUBSCRIBE") subscribed = true;
    if (words[0] == "UNSUBSCRIBE") subscribed = false;
    answers.push_back({send.tag, connection.call(words)});
    if (story != nullptr) {
      *story += id + ":";
      for (const std::string_view word : words) *story += ' ' + std::string{word.substr(0, 24)};
      *story += " -> " + answers.back().second.to_string() + '\n';
    }
  }
  /// What was published comes behind what was answered before.
  void take_messages() {
    while (auto message = connection.next_message()) answers.push_back({0, std::move(*message)});
  }
  void deliver(Instant now) {
    const auto [tag, reply] = std::move(answers.front());
    answers.pop_front();
    if (story != nullptr) *story += id + " hears " + reply.to_string() + '\n';
    if (tag == 0) {
      core.messaged(0, reply, now);
    } else {
      core.answered(tag, &reply, now);
    }
    collect();
  }
  /// All that decides what it will do, and what of it the server knows beside its keys. Requests
  /// are carried out in order: how many are left says which. Pauses must not depend on chance.
  std::string state() const {
    std::string text = core.state_text() + std::to_string(requests.size());
    text += subscribed ? 'S' : '-';
    text += executed > 0 ? 'E' : '-';
    for (const auto& [tag, reply] : answers)
      text += ' ' + std::to_string(tag == 0 ? 0 : core.requests() + 1 - tag) + reply.to_string();
    return text + '\n';
  }
  bool has_heard(lock::Notice::Kind kind) const {
    for (const lock::Notice& notice : heard) {
      if (notice.kind == kind) return true;
    }
    return false;
  }

  std::string id;
  Client connection;
  lock::Core core{1};
  lock::SlotId slot = 0;
  std::deque<lock::Core::Send> requests;
  std::deque<std::pair<std::uint64_t, Reply>> answers;  ///< Tag 0: a message.
  std::vector<lock::Notice> heard;
  std::size_t executed = 0;
  bool subscribed = false;
  std::string* story = nullptr;  ///< What happens is told here, if somebody listens.
};

}  // namespace picklock::test
