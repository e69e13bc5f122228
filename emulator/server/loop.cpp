#include "emulator/server/loop.hpp"

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/steady_timer.hpp>
#include <malloc.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "emulator/engine/cluster_join.hpp"
#include "emulator/engine/control/node_order.hpp"
#include "emulator/engine/time_travel.hpp"
#include "emulator/server/refusals.hpp"

namespace picklock {

namespace {

using namespace std::chrono_literals;

constexpr auto kRetryAccept = 50ms;
constexpr std::uint64_t kTrimmedAfter = 256;
constexpr const char* kFirst = "default";

// Redis: connKeepAlive, anetKeepAlive. Its errors are of no consequence.
void keep_alive(asio::ip::tcp::socket& socket, std::int64_t seconds) {
  if (seconds <= 0) return;
  const int on = 1;
  const int idle = static_cast<int>(std::min<std::int64_t>(seconds, 32'767));
  const int between = std::max(idle / 3, 1);
  const int probes = 3;
  const int fd = socket.native_handle();
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

}  // namespace

template <class... Model>
Place& Loop::add_place(const std::string& name, Model&&... model) {
  Place::Host& host = *this;
  auto place = std::make_unique<Place>(host, io_, std::forward<Model>(model)...);
  return *places_.emplace(name, std::move(place)).first->second;
}

Loop::Loop(Emulator& emulator, const ServerOptions& options)
    : auto_advance_(options.auto_advance),
      first_(add_place(kFirst, emulator)),
      doors_address_(options.address),
      servers_(static_cast<Nodes::Host&>(*this), io_, first_) {
  if (options.port) {
    take_listeners(listen_tcp_on_all(io_, options.address, *options.port));
    listens_on_ = options.address;
  }
  if (!options.unix_socket.empty()) {
    unix_path_ = options.unix_socket;
    open_unix();
  }
}

Place& Loop::make_node(const std::string& name, Place::Model model) {
  Place& place = add_place(name, std::as_const(first_), std::move(model));
  if (runs_) place.engine().slow_script_driver = this;
  return place;
}

std::string Loop::address() const {
  std::string text;
  for (const TcpAcceptor& acceptor : tcp_)
    if (acceptor.is_open() && text.empty()) text = to_string(acceptor.local_endpoint());
  if (!unix_path_.empty()) text += (text.empty() ? "" : " and ") + unix_path_;
  return text;
}

void Loop::take_listeners(std::vector<TcpAcceptor> acceptors) {
  for (TcpAcceptor& old : tcp_) old.close();
  port_ = acceptors.empty() ? 0 : acceptors.front().local_endpoint().port();
  for (TcpAcceptor& acceptor : acceptors) {
    tcp_.push_back(std::move(acceptor));
    if (runs_) accept(tcp_.back(), first_);
  }
}

// Redis: changeListenPort opens the new sockets first. On the port that it has, as changeBindAddr
// does it, the old ones must make room, and come back if the new ones fail.
bool Loop::listen_on(const std::string& addresses, std::uint16_t port) {
  // Nodes know each other by their ports.
  if (!nodes_.empty() || !doors_.empty()) return false;
  const auto open = [&](const std::string& list, std::uint16_t where) {
    const bool nowhere = where == 0 || list.find_first_not_of(' ') == std::string::npos;
    return nowhere ? std::vector<TcpAcceptor>{} : listen_tcp_on_all(io_, list, where);
  };
  const std::uint16_t before = port_;
  if (port == before) take_listeners({});
  try {
    take_listeners(open(addresses, port));
    listens_on_ = addresses;
    return true;
  } catch (const ListenError&) {
    try {
      if (port == before) take_listeners(open(listens_on_, before));
    } catch (const ListenError&) {  // Somebody else was faster: it listens nowhere any more.
    }
    return false;
  }
}

Loop::~Loop() {
  if (!unix_path_.empty()) ::unlink(unix_path_.c_str());
  if (!nodes_.empty()) stop_sharing_messages(first_.engine());
}

void Loop::serve_places(SlowScriptDriver* driver) {
  for (const auto& [name, place] : places_) {
    place->engine().slow_script_driver = driver;
    if (driver) place->engine().is_abandoned = false;
  }
}

void Loop::run() {
  const auto work = asio::make_work_guard(io_);  // A server without a listener waits for adopt().
  runs_ = true;
  thread_ = std::this_thread::get_id();
  for (TcpAcceptor& acceptor : tcp_) accept(acceptor, first_);
  for (UnixAcceptor& acceptor : unix_) accept(acceptor, first_);
  for (auto& [place, door] : doors_)
    for (TcpAcceptor& acceptor : door.acceptors) accept(acceptor, const_cast<Place&>(*place));
  for (TcpAcceptor& acceptor : node_listeners_) {
    const int port = acceptor.local_endpoint().port();
    accept(acceptor, *nodes_[static_cast<std::size_t>(port - port_)]);
  }
  turn_ended();
  serve_places(this);
  serve();
  serve_places(nullptr);
  while (!clients_.empty()) clients_.begin()->second->close();
  to_flush_.clear();
  flushed_ = 0;
}

template <class Acceptor>
void Loop::accept(Acceptor& acceptor, Place& place) {
  watch(acceptor.native_handle());
  acceptor.async_accept([this, &acceptor, &place](const asio::error_code& error, auto socket) {
    if (!acceptor.is_open()) return;  // CONFIG SET has moved the server, or it was stopped.
    if (!error) {
      accepted(std::move(socket), place);
      return accept(acceptor, place);
    }
    // Out of descriptors, most likely: the waiting client stays in the queue until some are free.
    const auto retry = std::make_shared<asio::steady_timer>(io_, kRetryAccept);
    retry->async_wait([this, &acceptor, &place, retry](const asio::error_code&) {
      if (acceptor.is_open()) accept(acceptor, place);
    });
  });
}

void Loop::let_in(TcpAcceptor& acceptor, Place& place) { accept(acceptor, place); }
void Loop::let_in(UnixAcceptor& acceptor, Place& place) { accept(acceptor, place); }

void Loop::accepted(asio::ip::tcp::socket socket, Place& place) {
  asio::error_code error;
  socket.set_option(asio::ip::tcp::no_delay(true), error);
  const auto peer = socket.remote_endpoint(error);
  if (error) return;  // It went away between connect and accept.
  const auto local = socket.local_endpoint(error);
  if (send_away(socket, place, peer.address().is_loopback())) return;
  keep_alive(socket, place.engine().config.number("tcp-keepalive"));
  add(SocketClient::Socket(std::move(socket)), place, to_string(peer), to_string(local));
}

void Loop::accepted(asio::local::stream_protocol::socket socket, Place& place) {
  if (send_away(socket, place, true)) return;
  // As Redis shows it in CLIENT LIST: the path, and a port 0.
  const std::string address = unix_path_ + ":0";
  add(SocketClient::Socket(std::move(socket)), place, address, address);
}

void Loop::adopt(SocketClient::Socket socket) {
  add(std::move(socket), first_, "socketpair:0", "socketpair:0");
}

void Loop::add(SocketClient::Socket socket, Place& place, std::string_view peer,
               std::string_view local) {
  const std::uint64_t number = ++last_number_;
  SocketClient::Host& host = *this;
  const auto client =
      std::make_shared<SocketClient>(host, number, place, std::move(socket), peer, local);
  if (!ready_.add(client->descriptor(), number)) return;  // Then it is gone at once.
  clients_.emplace(number, client);
  connections_ = clients_.size();
}

void Loop::flush_later(std::shared_ptr<SocketClient> client) {
  to_flush_.push_back(std::move(client));
}

void Loop::ended(std::uint64_t number) {
  clients_.erase(number);
  connections_ = clients_.size();
  if (++ended_ % kTrimmedAfter == 0) ::malloc_trim(0);  // A crowd has gone: so does its memory.
}

void Loop::flush_ended() {
  for (const auto& [number, client] : clients_)
    if (client->has_ended()) to_flush_.push_back(client);
}

std::size_t Loop::clients_of(const Place& place) const {
  if (places_.size() == 1) return clients_.size();
  return static_cast<std::size_t>(std::ranges::count_if(
      clients_, [&](const auto& entry) { return &entry.second->place() == &place; }));
}

template <class Socket>
bool Loop::send_away(Socket& socket, Place& place, bool from_this_machine) {
  const auto error = refusal_of_client(place.engine(), clients_of(place), from_this_machine);
  if (!error) return false;
  ++place.engine().stats.rejected_connections;
  asio::error_code ignored;  // As Redis: it may not even hear why.
  socket.non_blocking(true, ignored);
  socket.send(asio::buffer(*error), 0, ignored);
  return true;
}

bool Loop::make_place(const std::string& name) {
  if (places_.contains(name)) return false;
  Engine& engine = add_place(name, std::as_const(first_)).engine();
  engine.slow_script_driver = this;
  if (nodes_.empty()) return true;
  leave_cluster(engine);
  engine.control->start = std::make_shared<const Engine::State>(engine.save());
  return true;
}

bool Loop::move_client(Place& from, std::uint64_t session, const std::string& name) {
  const auto place = places_.find(name);
  if (place == places_.end()) return false;
  for (const auto& [number, client] : clients_)
    if (client->is_session(from, session)) {
      client->move_to(*place->second);
      return true;
    }
  return false;
}

void Loop::turn_ended() {
  bool more = true;
  while (more) {
    share_time();
    servers_.turn();
    for (const auto& [name, place] : places_) place->follow_primary();
    flush_all();
    more = false;
    for (const auto& [name, place] : places_) {
      look_at_barriers(place->engine());
      Place* const alone = place.get();
      if (is_alone(*place)) more = advance_if_all_blocked({&alone, 1}) || more;
    }
    if (!nodes_.empty()) more = advance_if_all_blocked(nodes_) || more;
    if (nodes_.empty()) more = advance_if_all_blocked(servers_.on_one_clock()) || more;
    more = more || !to_flush_.empty() || servers_.has_orders();
  }
  for (const auto& [name, place] : places_) place->arm_timer();
}

// Flushing may end a session, and that may answer another client: the list can grow meanwhile. It
// may also carry out a slow script, in which all that are left are flushed by a call within this.
void Loop::flush_all() {
  while (flushed_ < to_flush_.size()) {
    const auto client = std::move(to_flush_[flushed_++]);
    client->flush();
  }
  to_flush_.clear();
  flushed_ = 0;
}

// Of a cluster, all clients of all nodes.
bool Loop::advance_if_all_blocked(std::span<Place* const> group) {
  if (!auto_advance_ || group.empty()) return false;
  const auto mine = std::ranges::count_if(clients_, [&](const auto& entry) {
    return !entry.second->is_replica() && !entry.second->has_ended() &&
           std::ranges::find(group, &entry.second->place()) != group.end();
  });
  std::ptrdiff_t waiting = 0;
  std::ptrdiff_t silent = 0;  // One that a fault has cut off waits, too, and for ever.
  Place* next = group.front();
  for (Place* place : group) {
    const Engine& engine = place->engine();
    if (engine.script != nullptr) return false;
    silent += std::ranges::count_if(engine.sessions(),
                                    [](const auto& entry) { return entry.second->silenced; });
    waiting += static_cast<std::ptrdiff_t>(engine.blocked_count());
    const auto event = next_event_beneath(engine);
    const auto first = next_event_beneath(next->engine());
    if (event && (!first || *event < *first)) next = place;
  }
  waiting += silent;
  if (mine == 0 || waiting < mine || waiting == silent) return false;
  return next->skip_to_next_event();
}

bool Loop::is_alone(const Place& place) const {
  return std::ranges::find(nodes_, &place) == nodes_.end() && !servers_.is_node(place);
}

// A request to one node may have moved the clock: for the others it is later, too.
void Loop::share_time() {
  if (nodes_.empty() || !dynamic_cast<SimClock*>(&first_.engine().clock)) return;
  const Instant now = first_.engine().clock.now();
  if (std::exchange(nodes_time_, now) == now) return;
  for (Place* node : nodes_)
    if (node->engine().script == nullptr) node->engine().run_due();
}

// Where the system has picked the first port, the next ones may be taken: then it becomes another.
std::vector<TcpAcceptor> Loop::listen_for_nodes(const ServerOptions& options) {
  const auto count = static_cast<std::size_t>(options.cluster_nodes);
  std::vector<TcpAcceptor> all;
  if (*options.port != 0) {
    for (std::size_t i = 1; i < count; ++i) {
      if (port_ + i > 65535) throw PortError("there are not so many ports after the first one");
      for (TcpAcceptor& acceptor :
           listen_tcp_on_all(io_, options.address, static_cast<std::uint16_t>(port_ + i)))
        all.push_back(std::move(acceptor));
    }
    return all;
  }
  const std::uint16_t picked = port_;
  take_listeners({});
  auto row = listen_tcp_in_a_row(io_, options.address, picked, count);
  take_listeners(std::move(row.front()));
  for (std::size_t i = 1; i < count; ++i)
    for (TcpAcceptor& acceptor : row[i]) all.push_back(std::move(acceptor));
  return all;
}

void Loop::add_nodes(const ServerOptions& options) {
  if (options.cluster_nodes < 2) return servers_.add(options, port_);
  if (!options.port || !first_.engine().cluster.enabled)
    throw ListenError("a cluster of several nodes has ports, and an emulator in cluster mode");
  auto acceptors = listen_for_nodes(options);
  servers_.add(options, port_);  // By the port that has become of the one that was picked.
  for (TcpAcceptor& acceptor : acceptors) node_listeners_.push_back(std::move(acceptor));
  Engine& first = first_.engine();
  nodes_ = {&first_};
  for (int i = 2; i <= options.cluster_nodes; ++i) {
    Place& place =
        add_place("node" + std::to_string(i), std::as_const(first_), Place::OnSameClock{});
    place.engine().restore(first.save());
    nodes_.push_back(&place);
  }
  std::vector<ClusterNode> plan;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Engine& engine = nodes_[i]->engine();
    engine.config.put("port", std::to_string(port_ + i));
    ClusterNode node{.id = engine.cluster.self.id, .host = reachable_host(options.address)};
    node.port = static_cast<std::int64_t>(port_ + i);
    plan.push_back(std::move(node));
  }
  plan_cluster(plan);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Engine& engine = nodes_[i]->engine();
    take_place(engine, plan, i);
    if (i > 0) engine.control->start = std::make_shared<const Engine::State>(engine.save());
  }
  std::vector<Engine*> engines;
  for (Place* node : nodes_) engines.push_back(&node->engine());
  share_messages(engines);
  nodes_time_ = first.clock.now();
}

}  // namespace picklock
