// Several servers in one process, each behind a port of its own: who follows whom, who runs, whose
// clock is wrong; and the sentinel that watches them.
//
// What is asked of them (PICKLOCK NODE) and what falls due is done between the loop's turns, never
// within a request. What a node's data do is for ReplicaLink, what a sentinel says for Sentinel.
// Belongs to the loop's thread.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <picklock/server.hpp>

#include "emulator/engine/control/node_order.hpp"
#include "emulator/engine/replica_link.hpp"
#include "emulator/engine/sentinel/sentinel.hpp"
#include "emulator/server/place.hpp"

namespace picklock {

class Nodes final : private SentinelWorld {
 public:
  /// The loop that the servers live in.
  class Host {
   public:
    virtual ~Host() = default;
    virtual bool has_place(const std::string& name) const = 0;
    /// Makes a server of that name, behind no port.
    virtual Place& make_node(const std::string& name, Place::Model model) = 0;
    /// Lets clients in on `port` (0 picks one), or where they came in before if it is empty.
    /// Returns the port; throws ListenError, with nothing changed.
    virtual std::uint16_t open_door(Place& place, std::optional<std::uint16_t> port) = 0;
    virtual void close_door(Place& place) = 0;
    /// Takes back make_node(), to whose server nobody has come yet.
    virtual void remove_node(const std::string& name) = 0;
    /// Takes a client out of its server, answers `reply`, and lets it back in after this turn.
    virtual void set_aside(Place& place, std::uint64_t session, std::string_view reply) = 0;
    virtual void turn_ended() = 0;
  };

  /// `first` is the server that is there already, 'default'.
  Nodes(Host& host, asio::io_context& io, Place& first);
  ~Nodes() override;

  /// Makes those that the options want; throws ListenError. `port` is the first server's.
  void add(const ServerOptions& options, std::uint16_t port);
  /// Keeps an order of the session's until the turn has ended.
  void ask(Place& place, std::uint64_t session, NodeOrder order);
  /// Carries out what was asked, lets data through, lets the sentinel look; true if it did
  /// anything.
  bool turn();

  bool has_orders() const { return !in_turn_ && !asked_.empty(); }
  /// Whether the sentinel will look within that time.
  bool is_due_within(Duration time) const;

  /// Those that are on one clock: all that run, the first one first; only one if there are no
  /// others.
  std::vector<Place*> on_one_clock() const;
  bool is_node(const Place& place) const { return find(place) != nullptr; }
  /// Its port; 0 if there is no node of that name.
  std::uint16_t port(std::string_view name) const;
  std::uint16_t sentinel_port() const { return sentinel_port_; }
  /// ", replica on 6381, sentinel on 26379": for the line that says that all are ready.
  std::string summary() const;

 private:
  struct Node;
  struct Asked {
    Place* place;
    std::uint64_t session;
    NodeOrder order;
  };
  using Answer = std::function<void(ReplyWriter&)>;

  Node* find(const Place& place) const;
  Node* find_name(std::string_view name) const;
  Node* find_address(const ServerAddress& address) const;
  ServerAddress address_of(const Node& node) const;
  std::vector<Node*> by_depth() const;

  // nodes_orders.cpp: what is asked. An Answer that is empty: the client has been answered.
  void carry_out(const Asked& asked);
  Answer answer_to(const Asked& asked, Node* node);
  Answer add_node(const NodeOrder& order);
  Answer apply(Node& node, std::size_t count);
  Answer connect(Node& node, const std::string& to);
  Answer cut(Node& node);
  Answer pending(const Node& node) const;
  Answer promote(Node& node);
  Answer stop(Node& node, const Asked& asked);
  Answer start(Node& node, const Asked& asked);
  Answer restart(Node& node, const Asked& asked);
  Answer move_clock(Node& node, const NodeOrder& order);
  Answer list() const;
  void write_node(ReplyWriter& reply, const Node& node) const;
  void reply_to(const Asked& asked, const Answer& answer);
  void end_clients(Node& node, const Asked& asked);
  static bool order_wants_disk(const NodeOrder& order);
  static Answer refuse_without_disk(const Node& node);
  void stop_sentinel();

  // nodes.cpp: what follows.
  Node& make(const std::string& name, std::optional<std::uint16_t> port, Node* follows);
  void add_sentinel(std::uint16_t port, const std::string& name);
  void keep_disks();
  bool work();
  void share_time();
  void heed(Node& node);
  void settle();
  void tell(Node& node);
  bool settle_link(Node& node);
  bool deliver();
  bool is_linked_up(const Node& node) const;
  void make_primary(Node& node);
  void end_clients_of_reconfigured(const std::vector<const Node*>& nodes);
  void arm_timer();

  std::optional<Server> find(const ServerAddress& address) const override;
  std::vector<Server> replicas_of(const ServerAddress& primary) const override;
  bool promote(const ServerAddress& replica) override;
  bool convert(const ServerAddress& astray) override;
  Server server_of(const Node& node) const;

  Host& host_;
  std::string address_;    // Where all listen, as redis.conf's `bind` has it.
  std::list<Node> nodes_;  // The first one first; links refer to engines, so none ever goes.
  Node& first_;
  std::deque<Asked> asked_;
  Instant time_{};          // The first one's, when the others last looked.
  bool owes_time_ = false;  // To one that was busy then.
  bool in_turn_ = false;
  Place* sentinel_place_ = nullptr;
  std::uint16_t sentinel_port_ = 0;
  std::optional<Sentinel> sentinel_;
  asio::steady_timer timer_;
  std::optional<Instant> armed_;
};

}  // namespace picklock
