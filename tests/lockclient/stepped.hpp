// Clients of one server whose every step is somebody's choice: which request is carried out next,
// whose answer arrives, when the holder lets go. And a chooser that goes through all of them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <picklock/emulator.hpp>

#include "lockclient/machine/core.hpp"

namespace picklock::test {

/// Goes through every list of choices, in order: the same questions are asked again after the same
/// answers.
class Enumerator {
 public:
  std::size_t choose(std::size_t options) {
    if (place_ == path_.size()) path_.push_back({0, options});
    return path_[place_++].first;
  }
  /// Moves on to the next list; false after the last.
  bool next() {
    place_ = 0;
    while (!path_.empty() && ++path_.back().first >= path_.back().second) path_.pop_back();
    return !path_.empty();
  }
  /// The same list once more.
  void again() { place_ = 0; }
  std::string to_string() const {
    std::string text;
    for (const auto& [choice, options] : path_) text += std::to_string(choice) + ' ';
    return text;
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> path_;
  std::size_t place_ = 0;
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
    slot = core.add(lock::HoldMachine{std::move(protocol), std::move(terms), 1}, now);
    collect();
    return slot;
  }
  /// Takes what the Core wants sent and told.
  void collect() {
    for (auto& send : core.take_sends()) requests.push_back(std::move(send));
    for (auto& news : core.take_news()) heard.push_back(news.notice);
  }
  void execute() {
    const lock::Core::Send send = std::move(requests.front());
    requests.pop_front();
    ++executed;
    const std::vector<std::string_view> words(send.words.begin(), send.words.end());
    answers.push_back({send.tag, connection.call(words)});
    if (story != nullptr) {
      *story += id + ":";
      for (const std::string& word : send.words) *story += ' ' + word.substr(0, 24);
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
  std::string* story = nullptr;  ///< What happens is told here, if somebody listens.
};

}  // namespace picklock::test
