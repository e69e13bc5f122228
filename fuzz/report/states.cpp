#include "fuzz/report/states.hpp"

#include <algorithm>

#include "fuzz/report/phrases.hpp"

namespace picklock::race {
namespace {

/// Follows a run, event by event.
class Follower {
 public:
  explicit Follower(const Recorder& recorder) : recorder_(recorder) {
    for (const std::string& server : recorder.servers) states_.cells.push_back(server);
    for (const std::string& worker : recorder.workers) states_.cells.push_back(worker);
    for (const std::string& worker : recorder.workers) {
      for (const std::string& server : recorder.servers)
        states_.cells.push_back(worker + " ↔ " + server);
    }
    now_.assign(states_.cells.size(), "");
    keys_.resize(recorder.servers.size());
    workers_.assign(recorder.workers.size(), "not started");
    insides_.resize(recorder.workers.size());
    flights_.resize(recorder.workers.size() * recorder.servers.size());
  }

  States follow() {
    for (const Event& event : recorder_.events) {
      take(event);
      std::vector<std::pair<std::size_t, std::string>> changes;
      for (std::size_t cell = 0; cell < now_.size(); ++cell) {
        std::string text = describe(cell, event.at);
        if (text == now_[cell]) continue;
        now_[cell] = text;
        changes.emplace_back(cell, std::move(text));
      }
      states_.changes.push_back(std::move(changes));
    }
    return std::move(states_);
  }

 private:
  struct Message {
    std::uint64_t id;
    std::string text;
    bool carried_out;
  };

  std::vector<Message>& flight(std::size_t worker, std::size_t server) {
    return flights_[worker * recorder_.servers.size() + server];
  }
  std::string time(Instant instant) const { return phrase_time(instant, recorder_.start); }

  void take(const Event& event) {
    if (!event.keys.empty()) keys_[event.keys_of] = event.keys;
    switch (event.kind) {
      case Event::Kind::send:
        flight(event.actor, event.node).push_back({event.message, event.text, false});
        workers_[event.actor] = "waits for a reply";
        return;
      case Event::Kind::execute:
        return execute(event);
      case Event::Kind::reply:
        std::erase_if(flight(event.actor, event.node),
                      [&](const Message& message) { return message.id == event.message; });
        workers_[event.actor] = "runs";
        return;
      case Event::Kind::enter:
        insides_[event.actor].push_back(event.text);
        return;
      case Event::Kind::leave:
        return leave(insides_[event.actor], event.text);
      case Event::Kind::pause:
        workers_[event.actor] = "is paused until " + time(event.until);
        return;
      case Event::Kind::resume:
        workers_[event.actor] = "runs";
        return;
      case Event::Kind::crash:
        workers_[event.actor] = "has crashed";
        insides_[event.actor].clear();
        return;
      case Event::Kind::finish:
        workers_[event.actor] = "is done";
        insides_[event.actor].clear();
        return;
      case Event::Kind::wait:
        workers_[event.actor] = "waits until " + time(event.until);
        return;
      case Event::Kind::cut:
        flight(event.actor, event.node).clear();
        return;
      case Event::Kind::fault:
      case Event::Kind::finding:
        return;
    }
  }

  static void leave(std::vector<std::string>& stays, const std::string& section) {
    const std::size_t stay = find_stay(stays, section);
    if (stay < stays.size()) stays.erase(stays.begin() + static_cast<std::ptrdiff_t>(stay));
  }

  void execute(const Event& event) {
    for (std::vector<Message>& messages : flights_) {
      for (Message& message : messages) {
        if (message.id != event.message) continue;
        message.carried_out = true;
        message.text = "reply to " + message.text;
      }
    }
  }

  std::string describe(std::size_t cell, Instant at) const {
    const std::size_t servers = recorder_.servers.size();
    const std::size_t workers = recorder_.workers.size();
    if (cell < servers) return describe_keys(keys_[cell], at);
    cell -= servers;
    std::string text;
    if (cell < workers) {
      text = workers_[cell];
      for (const std::string& stay : insides_[cell]) text += ", inside " + stay;
      return text;
    }
    for (const Message& message : flights_[cell - workers])
      text += (text.empty() ? "" : "; ") + message.text;
    return text;
  }

  std::string describe_keys(const std::vector<Event::Key>& keys, Instant at) const {
    std::string text;
    for (const Event::Key& key : keys) {
      if (!text.empty()) text += "; ";
      text += key.name;
      if (!key.present) {
        text += " is free";
      } else if (key.until && at > *key.until) {
        text += " has expired at " + time(*key.until);
      } else {
        text += " = " + key.token + (key.owner.empty() ? "" : " of " + key.owner);
        text += key.until ? " until " + time(*key.until) + " (" + phrase_time(*key.until, at) +
                                " ms left)"
                          : ", for ever";
      }
    }
    return text;
  }

  const Recorder& recorder_;
  States states_;
  std::vector<std::string> now_;
  std::vector<std::vector<Event::Key>> keys_;
  std::vector<std::string> workers_;
  std::vector<std::vector<std::string>> insides_;
  std::vector<std::vector<Message>> flights_;
};

}  // namespace

States tell_states(const Recorder& recorder) { return Follower{recorder}.follow(); }

}  // namespace picklock::race
