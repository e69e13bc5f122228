// The server's event loop: accepts clients, runs the engine for them, keeps the clock's
// appointments.
//
// Everything but post() and connections() happens on the one thread that calls run(). The Server
// owns it, together with that thread.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <picklock/server.hpp>

#include "emulator/engine/script_call.hpp"
#include "emulator/server/listeners.hpp"
#include "emulator/server/nodes.hpp"
#include "emulator/server/place.hpp"
#include "emulator/server/ready_sockets.hpp"
#include "emulator/server/socket_client.hpp"

namespace picklock {

class Loop final : private SocketClient::Host,
                   private Place::Host,
                   private Nodes::Host,
                   private SlowScriptDriver {
 public:
  /// Opens the listening sockets; throws ListenError.
  Loop(Emulator& emulator, const ServerOptions& options);
  ~Loop() override;

  /// Makes the other nodes of a cluster and their listeners, if the options want any; throws
  /// ListenError. Before run(), once the emulator has its settings.
  void add_nodes(const ServerOptions& options);

  /// Serves until stop(), then closes every connection.
  void run();
  /// May be called from any thread.
  void stop() {
    io_.stop();
    ready_.interrupt();
  }
  /// Carries `task` out on the loop's thread. May be called from any thread.
  void post(std::function<void()> task) override {
    asio::post(io_, std::move(task));
    ready_.interrupt();
  }

  asio::io_context& io() { return io_; }
  /// Whether the calling thread is the one that runs it.
  bool runs_here() const { return thread_ == std::this_thread::get_id(); }
  std::uint16_t port() const { return port_; }
  /// On the loop's thread, or while it does not run.
  std::string address() const;
  std::size_t connections() const { return connections_; }
  /// On the loop's thread, or while it does not run.
  const Nodes& servers() const { return servers_; }

  /// Serves one end of a socket pair.
  void adopt(SocketClient::Socket socket);
  /// Sees to the clients whose sessions ended without a word to them: a snapshot was restored.
  void flush_ended();
  /// Flushes what the engine has written, and looks at the clock.
  void turn_ended() override;
  void watch(int socket) override {
    static_cast<void>(ready_.add(socket, kOfAsio));  // Or it is known already.
  }

 private:
  bool serve_others() override;
  void flush_later(std::shared_ptr<SocketClient> client) override;
  void received(std::size_t requests) override {
    is_awaited_ = requests == 1;
    since_poll_ += requests;
  }
  void ended(std::uint64_t number) override;
  std::span<char> read_buffer() override { return read_buffer_; }
  ReadySockets& sockets() override { return ready_; }

  /// No client's number: what has happened there asio knows.
  static constexpr std::uint64_t kOfAsio = 0;

  void serve();
  bool serve_ready(std::chrono::milliseconds longest = {});
  std::chrono::milliseconds sleep_among_clients() const;
  std::size_t poll();
  template <class Acceptor>
  void accept(Acceptor& acceptor, Place& place);
  void accepted(asio::ip::tcp::socket socket, Place& place);
  void accepted(asio::local::stream_protocol::socket socket, Place& place);
  void add(SocketClient::Socket socket, Place& place, std::string_view peer,
           std::string_view local);
  template <class Socket>
  bool send_away(Socket& socket, Place& place, bool from_this_machine);
  std::size_t clients_of(const Place& place) const;
  void flush_all();
  bool advance_if_all_blocked(std::span<Place* const> group);
  void share_time();
  std::vector<TcpAcceptor> listen_for_nodes(const ServerOptions& options);
  bool has_place(const std::string& name) const override { return places_.contains(name); }
  Place& make_node(const std::string& name, Place::Model model) override;
  void remove_node(const std::string& name) override;
  std::uint16_t open_door(Place& place, std::optional<std::uint16_t> port) override;
  void close_door(Place& place) override;
  void set_aside(Place& place, std::uint64_t session, std::string_view reply) override;
  void carry_out(Place& from, std::uint64_t session, NodeOrder order) override;
  void let_in(TcpAcceptor& acceptor, Place& place);
  void let_in(UnixAcceptor& acceptor, Place& place);
  void open_unix();
  bool is_alone(const Place& place) const;
  template <class... Model>
  Place& add_place(const std::string& name, Model&&... model);
  bool make_place(const std::string& name) override;
  bool listen_on(const std::string& addresses, std::uint16_t port) override;
  void take_listeners(std::vector<TcpAcceptor> acceptors);
  bool move_client(Place& from, std::uint64_t session, const std::string& name) override;
  void serve_places(SlowScriptDriver* driver);

  const bool auto_advance_;
  asio::io_context io_{1};
  ReadySockets ready_{io_};  // Of the clients, by their numbers.
  // One for each address; asynchronous accepts point at them, so those that were closed stay, too.
  std::list<TcpAcceptor> tcp_;
  std::string listens_on_;  // The addresses as they were given.
  std::list<UnixAcceptor> unix_;
  std::string unix_path_;
  std::atomic<std::uint16_t> port_ = 0;
  bool runs_ = false;
  std::atomic<std::thread::id> thread_;  // Of run().
  bool is_awaited_ = false;              // The last client heard asks for one thing at a time.
  std::size_t since_poll_ = 0;           // Requests since asio had its turn.
  std::map<std::string, std::unique_ptr<Place>> places_;  // By name; clients refer to them.
  Place& first_;
  // The nodes of a cluster, the first one first; none if it has no others. They have one clock.
  std::vector<Place*> nodes_;
  std::list<TcpAcceptor> node_listeners_;  // Of all but the first.
  Instant nodes_time_{};
  // Where clients come in to the nodes that are no cluster; those that are closed stay, as in tcp_.
  struct Door {
    std::uint16_t port = 0;
    std::list<TcpAcceptor> acceptors;
  };
  std::map<const Place*, Door> doors_;
  std::string doors_address_;
  std::uint16_t first_port_ = 0;  // While the first one is stopped.
  Nodes servers_;
  std::array<char, 16 * 1024> read_buffer_;  // As much as Redis reads at once.
  std::uint64_t last_number_ = 0;
  std::uint64_t ended_ = 0;
  std::map<std::uint64_t, std::shared_ptr<SocketClient>>
      clients_;  // Shared with their pending operations.
  std::vector<std::shared_ptr<SocketClient>> to_flush_;
  std::size_t flushed_ = 0;  // Of those, from the beginning: null.
  std::atomic<std::size_t> connections_ = 0;
};

}  // namespace picklock
