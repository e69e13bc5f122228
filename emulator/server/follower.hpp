// The connection of a replica to its primary: carries bytes between a socket and the engine's
// PrimaryLink.
//
// The network is real, and so is its time, whatever clock the server has: it tries again, and
// confirms, once a second, and gives a silent primary up after repl-timeout. Belongs to the loop's
// thread; shared with its pending operations.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "emulator/engine/primary_link.hpp"

namespace picklock {

class Follower final : public std::enable_shared_from_this<Follower> {
 public:
  /// What it asks of its place.
  struct Hooks {
    std::function<void()> turn_ended;       ///< The engine has worked.
    std::function<void(int socket)> watch;  ///< What arrives there is not to wait.
  };
  Follower(asio::io_context& io, Engine& engine, Hooks hooks);

  /// To be called whenever the engine has worked: it may have another primary, or none.
  void look();
  /// The engine goes.
  void stop();

 private:
  void connect();
  void connect_to_one_of(const asio::ip::tcp::resolver::results_type& found);
  void connect_to(const asio::ip::tcp::endpoint& endpoint);
  void connected(const asio::error_code& error);
  void read();
  void received(const asio::error_code& error, std::size_t size);
  void flush();
  void lose();
  void hang_up();
  void await_tick();
  void tick();

  Engine* engine_;  // Null once it has gone.
  Hooks hooks_;
  PrimaryLink link_;
  std::optional<Replication::Primary> target_;
  asio::ip::tcp::resolver resolver_;
  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  std::uint64_t attempt_ = 0;  // Operations of an earlier one have nothing to say any more.
  bool is_connecting_ = false;
  bool is_writing_ = false;
  std::int64_t quiet_seconds_ = 0;
  std::string sending_;
  std::array<char, 64 * 1024> buffer_;
};

}  // namespace picklock
