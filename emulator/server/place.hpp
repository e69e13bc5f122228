// One of the servers behind a port: its emulator, and what of the real world that one may ask for.
//
// The first serves the emulator that a Server was made for; PICKLOCK NEW adds others, which own
// theirs. Belongs to the loop's thread.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <picklock/emulator.hpp>

#include "emulator/engine/control/control.hpp"
#include "emulator/server/files.hpp"
#include "emulator/server/follower.hpp"

namespace picklock {

class Place final : public ControlHost {
 public:
  /// The loop that places live in.
  class Host {
   public:
    virtual ~Host() = default;
    virtual bool make_place(const std::string& name) = 0;
    virtual bool move_client(Place& from, std::uint64_t session, const std::string& name) = 0;
    virtual bool listen_on(const std::string& addresses, std::uint16_t port) = 0;
    virtual void carry_out(Place& from, std::uint64_t session, NodeOrder order) = 0;
    /// Something has happened outside of a request.
    virtual void turn_ended() = 0;
    /// What arrives at a socket of asio's is not to wait for clients.
    virtual void watch(int socket) = 0;
  };

  /// Serves `emulator`, which must outlive the place.
  Place(Host& host, asio::io_context& io, Emulator& emulator);
  /// Serves an emulator of its own like that of `model`.
  Place(Host& host, asio::io_context& io, const Place& model);
  /// The same on the model's clock: another node of its cluster.
  struct OnSameClock {};
  Place(Host& host, asio::io_context& io, const Place& model, OnSameClock);
  /// A server of its own: on a clock that it owns, or on one that outlives it.
  struct Model {
    Options options;
    std::unique_ptr<Clock> clock;
    Clock* borrowed = nullptr;
  };
  /// It starts with the settings and users of `like`, unless it is a sentinel.
  Place(Host& host, asio::io_context& io, const Place& like, Model model);
  ~Place() override;

  Emulator& emulator() { return emulator_; }
  Engine& engine() { return engine_; }

  /// Sees to it that the loop has a turn when the clock, which flows, reaches the next event.
  void arm_timer();
  /// Whether it may have a turn by itself within that time, by a timer.
  bool is_due_within(Duration time) const;
  /// One that does not run, as after a crash, has no turns of its own.
  void set_running(bool on);
  /// Connects to the primary that REPLICAOF has named, or away from it; goes on with what it has
  /// sent.
  void follow_primary();
  /// Jumps to the next event; false if there is none.
  bool skip_to_next_event();

 private:
  /// Of the timer.
  Duration wait_for(Instant event) const;

  struct Own;

  Place(Host& host, asio::io_context& io, Emulator& emulator, std::unique_ptr<Own> own);
  static std::unique_ptr<Own> like(const Place& model, bool same_clock = false);
  static std::unique_ptr<Own> modelled(const Place& like, Model model);

  std::optional<std::string> read_file(const std::string& path, std::string& why) override {
    return read_whole_file(path, why);
  }
  bool write_file(const std::string& path, std::string_view text, std::string& why) override {
    return replace_file(path, text, why);
  }
  bool listen_on(const std::string& addresses, std::uint16_t port) override {
    return host_.listen_on(addresses, port);
  }
  void limit_barrier(std::uint64_t session, std::chrono::milliseconds limit) override;
  bool make_server(const std::string& name) override { return host_.make_place(name); }
  bool use_server(std::uint64_t session, const std::string& name) override {
    return host_.move_client(*this, session, name);
  }
  void carry_out(std::uint64_t session, NodeOrder order) override;
  std::uint64_t draw() override;

  Host& host_;
  asio::io_context& io_;
  std::unique_ptr<Own> own_;  // Null if the emulator is somebody else's.
  Emulator& emulator_;
  Engine& engine_;
  const bool clock_flows_;
  bool runs_ = true;
  asio::steady_timer timer_;
  std::optional<Instant> armed_;  // The event that the timer waits for.
  // Of sessions that wait, or have waited, for others: the last one of each.
  std::map<std::uint64_t, std::shared_ptr<asio::steady_timer>> barrier_limits_;
  std::shared_ptr<Follower> follower_;  // Null until there is a primary.
};

}  // namespace picklock
