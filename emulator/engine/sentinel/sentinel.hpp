// A sentinel: which servers it watches, what it believes of them, what it says when one of them
// fails.
//
// It pings nobody: the servers live in its process, and SentinelWorld says how they are. What takes
// a real one seconds (votes, INFO every ten seconds) happens within one turn; only
// down-after-milliseconds passes, on the server's clock. Belongs to the engine's thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/clock.hpp>

#include "emulator/engine/replication.hpp"

namespace picklock {

class Engine;

using ServerAddress = Replication::Primary;

/// The servers as they are, and what a sentinel can do to them.
class SentinelWorld {
 public:
  struct Server {
    ServerAddress address = {};
    const Engine* engine = nullptr;
    bool runs = false;
    /// It follows its primary, or would if the primary ran; false: the way between them is cut, or
    /// it takes itself for a primary.
    bool follows = false;
    /// It can be told whom to follow: nothing is cut.
    bool is_reachable = false;
  };
  virtual ~SentinelWorld() = default;
  /// nullopt if no server listens there.
  virtual std::optional<Server> find(const ServerAddress& address) const = 0;
  /// Those that are to follow it, in the order in which they were made.
  virtual std::vector<Server> replicas_of(const ServerAddress& primary) const = 0;
  /// Makes a replica the primary of all that followed its primary; false if it cannot be done yet,
  /// for a script runs.
  virtual bool promote(const ServerAddress& replica) = 0;
  /// Makes a server that came back as a primary follow the new one; false as promote().
  virtual bool convert(const ServerAddress& astray) = 0;
};

class Sentinel {
 public:
  /// What it has seen of one server.
  struct Seen {
    std::optional<Instant> silent_since = {};  ///< It does not answer.
    /// It has been silent for longer than down-after-milliseconds.
    std::optional<Instant> down_since = {};
    bool is_primary = false;  ///< As it says itself.
    Instant role_since{};
  };
  struct Master {
    std::string name = {};
    ServerAddress address = {};
    std::int64_t quorum = 1;
    std::int64_t down_after_ms = 30'000;
    std::int64_t failover_timeout_ms = 180'000;
    std::int64_t parallel_syncs = 1;
    std::int64_t config_epoch = 0;
    Seen seen = {};
    std::optional<Instant> objectively_down_since = {};
    std::map<std::string, Seen> replicas = {};  ///< By "ip:port"; those that were announced.
    bool fails_over = false;                    ///< A failover has begun.
    bool forced = false;                        ///< By SENTINEL FAILOVER.
    /// When the next failover may begin, for the last one was in vain.
    std::optional<Instant> not_before = {};
  };

  /// Both must outlive it; `engine` is the one that its clients speak to.
  Sentinel(Engine& engine, SentinelWorld& world) : engine_(engine), world_(world) {}

  /// By name; those that it watches.
  std::map<std::string, Master, std::less<>>& masters() { return masters_; }
  Master* find(std::string_view name);
  Master* find(const ServerAddress& address);
  void monitor(Master master);
  void remove(const std::string& name);
  /// Forgets what it has seen of a master and of its replicas.
  void reset(Master& master);
  const SentinelWorld& world() const { return world_; }
  const std::string& id() const;
  std::int64_t epoch() const { return epoch_; }

  /// Whether some replica of it could be promoted.
  bool has_candidate(const Master& master) const;
  /// Begins a failover, which the next look() carries out.
  void begin_failover(Master& master, bool forced);
  /// A failover to `chosen` that somebody else has decided; false if it cannot be done yet.
  bool fail_over_to(Master& master, const ServerAddress& chosen);
  /// Looks at all servers, at the present instant: who is down, who is back, who is to be promoted.
  void look();
  /// When look() would find something without anybody doing anything; nullopt if never.
  std::optional<Instant> next_event() const;

  /// Publishes an event: "+sdown" with "master mymaster 127.0.0.1 6379" and `more` behind it.
  void tell(std::string_view event, std::string_view text, std::string_view more = {});
  static std::string describe(const Master& master);
  static std::string describe(const Master& master, const ServerAddress& replica);

  std::map<std::string, std::string> settings;  ///< SENTINEL CONFIG SET.
  std::map<std::string, std::int64_t> periods;  ///< SENTINEL DEBUG, where it was said.

 private:
  void discover(Master& master);
  bool look_at(Master& master, Seen& seen, const SentinelWorld::Server& server,
               const std::string& description);
  void judge(Master& master);
  void carry_out_failover(Master& master);
  void convert_those_astray(Master& master);
  std::optional<ServerAddress> choose(const Master& master) const;
  void tell_of_switch(Master& master, const ServerAddress& chosen);
  void note_role(Seen& seen, bool is_primary, const std::string& description);

  Engine& engine_;
  SentinelWorld& world_;
  std::map<std::string, Master, std::less<>> masters_;
  std::int64_t epoch_ = 0;
};

/// "127.0.0.1:6379", as a sentinel names replicas.
std::string to_text(const ServerAddress& address);

}  // namespace picklock
