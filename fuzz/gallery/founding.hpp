// A founding protocol at work: its requests, worded by the lock client's own registry, sent by a
// plain client as its users write one.
//
// Immutable once made, and shared by all schedules of a search; what the workers of one schedule
// share is in Bench. Used by the gallery alone.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/lock/script_lock.hpp>
#include <picklock/race.hpp>

#include "fuzz/gallery/gallery.hpp"
#include "lockclient/machine/protocol.hpp"

namespace picklock::race {

inline constexpr std::string_view kLockKey = "lock";

/// What can be asked of a lock.
enum class Ask : std::uint8_t { acquire, extend, release };

/// A request as it is sent: EVALSHA with its script, or a command.
struct Wording {
  lock::ScriptRef script;  ///< Null: a command.
  std::vector<std::string> words;
};

/// One worker in one round.
struct Bid {
  std::size_t worker = 0;
  int round = 1;
  std::string_view token{};  ///< What stands in the key while it holds the lock.
  lock::Demand demand{};
  std::string heard{};             ///< What `demand` shows of it.
  std::optional<Instant> until{};  ///< While it holds the lock; nullopt: for ever.
  Wording scratch{};               ///< Of protocols whose requests are never the same.
};

class Founding {
 public:
  Founding(const WellKnownProtocol& known, const LockSettings& settings);

  Bid bid(std::size_t worker, int round) const;
  /// The request of `what` for the step that the bid is at.
  const Wording& wording(Ask what, Bid& bid) const;
  lock::Answer read(Ask what, const Reply& reply, const Bid& bid) const;
  /// Every script that it sends, to be loaded.
  std::vector<std::string> scripts() const;

  const LockSettings& settings() const { return settings_; }
  /// How long a holder may count on it, less what clocks may differ; nullopt: for ever.
  std::optional<Duration> lease() const { return lease_; }
  /// How long the server should keep it at most.
  Duration kept() const { return kept_; }
  /// How often a client asks before it gives up.
  int tries() const { return tries_; }
  /// Whether the server counts a client's holds: then a holder takes the lock twice.
  bool counts() const { return counts_; }
  /// Its end stands in the key's value, not in its ttl: then the key may be another's before it
  /// goes.
  bool keeps_time_in_value() const { return by_value_; }
  bool is_by_majority() const { return protocol_.by_majority; }
  bool is_renewed() const { return renewed_; }
  bool renews_after_release() const { return protocol_.renews_after_release; }

 private:
  Wording word(Ask what, const lock::Demand& demand) const;
  const std::vector<Wording>& prepared(Ask what, const Bid& bid) const;
  void prepare();

  ScriptProtocol protocol_;
  lock::ProtocolRef api_;
  LockSettings settings_;
  bool renewed_;
  bool counts_;
  bool by_value_;
  std::int64_t ttl_ms_ = 0;
  std::optional<Duration> lease_;
  Duration kept_{};
  int tries_ = 4;
  std::deque<std::string> owners_;  ///< What the bids' demands show.
  std::vector<Bid> bids_;
  /// By worker, round and what is asked: the wordings of the steps. Empty if they change.
  std::vector<std::vector<Wording>> prepared_;
};

/// What the workers of one schedule share.
struct Bench {
  const Founding* lock = nullptr;
  Node* redis = nullptr;
  Exclusive* section = nullptr;
  std::optional<LockKey> key{};
  int waits = 0;  ///< So many replicas must confirm.
};

std::string_view worker_name(std::size_t index);

/// A worker's life: `rounds` times acquire, be inside, release.
Task<> take_turns(Worker& worker, const Bench& bench, std::size_t index);

}  // namespace picklock::race
