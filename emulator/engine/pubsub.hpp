// Who has subscribed to what, seen from the channels and from the sessions.
//
// Knows sessions by their ids only and delivers nothing; that is the engine's part. Everything is
// in order of subscription, so that deliveries are. Copyable values, which a snapshot carries
// along; not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/keyspace/dict.hpp"

namespace picklock {

/// What one can subscribe to: SUBSCRIBE, PSUBSCRIBE, SSUBSCRIBE.
enum class Topic : std::uint8_t { channel, pattern, shard_channel };
inline constexpr std::array kTopics{Topic::channel, Topic::pattern, Topic::shard_channel};

/// The subscriptions of one session.
class Subscriptions {
 public:
  Subscriptions() = default;
  /// Most sessions have none, are kept so by every snapshot, and put back to none for every
  /// simulated run.
  Subscriptions(const Subscriptions& other) { *this = other; }
  Subscriptions& operator=(const Subscriptions& other) {
    if (any_ || other.any_) names_ = other.names_;
    any_ = other.any_;
    return *this;
  }
  std::size_t count(Topic topic) const { return of(topic).size(); }
  /// What the replies to SUBSCRIBE, PSUBSCRIBE and their like count: shard channels are apart.
  std::size_t shown_count(Topic topic) const {
    if (topic == Topic::shard_channel) return count(topic);
    return count(Topic::channel) + count(Topic::pattern);
  }
  bool any() const { return any_; }
  /// False if it was there already.
  bool add(Topic topic, std::string_view name) {
    any_ = true;
    return of(topic).insert(name).second;
  }
  /// False if it was not there.
  bool remove(Topic topic, std::string_view name) {
    const bool removed = of(topic).erase(name);
    any_ = std::any_of(kTopics.begin(), kTopics.end(), [this](Topic t) { return count(t) > 0; });
    return removed;
  }
  std::vector<std::string> names(Topic topic) const {
    std::vector<std::string> all;
    of(topic).for_each([&](const auto& entry) { all.push_back(entry.key); });
    return all;
  }

 private:
  struct Nothing {};
  Dict<Nothing>& of(Topic topic) { return names_[static_cast<std::size_t>(topic)]; }
  const Dict<Nothing>& of(Topic topic) const { return names_[static_cast<std::size_t>(topic)]; }

  bool any_ = false;  // Looked at by every request.
  std::array<Dict<Nothing>, 3> names_;
};

/// The subscribers of every channel and pattern.
class PubSub {
 public:
  using Subscribers = std::vector<std::uint64_t>;

  PubSub() = default;
  /// As for Subscriptions.
  PubSub(const PubSub& other) { *this = other; }
  PubSub& operator=(const PubSub& other) {
    if (used_ || other.used_) subscribers_ = other.subscribers_;
    used_ = other.used_;
    return *this;
  }
  void add(Topic topic, std::string_view name, std::uint64_t session) {
    used_ = true;
    of(topic).insert(name).first->value.push_back(session);
  }
  void remove(Topic topic, std::string_view name, std::uint64_t session) {
    Subscribers* subscribers = of(topic).find(name);
    if (!subscribers) return;
    std::erase(*subscribers, session);
    if (subscribers->empty()) of(topic).erase(name);
  }
  /// The subscribers of `name`; null if there are none.
  const Subscribers* find(Topic topic, std::string_view name) const {
    return all(topic).find(name);
  }
  const Dict<Subscribers>& all(Topic topic) const {
    return subscribers_[static_cast<std::size_t>(topic)];
  }

 private:
  Dict<Subscribers>& of(Topic topic) { return subscribers_[static_cast<std::size_t>(topic)]; }

  bool used_ = false;  // Whether there has ever been any.
  std::array<Dict<Subscribers>, 3> subscribers_;
};

}  // namespace picklock
