// The loop's part of several servers in one process: where clients come in, and those that stay
// while their server ends.
#include <cstdlib>
#include <utility>

#include "emulator/engine/control/node_order.hpp"
#include "emulator/server/loop.hpp"

namespace picklock {

void Loop::remove_node(const std::string& name) {
  const auto found = places_.find(name);
  doors_.erase(found->second.get());
  places_.erase(found);
}

void Loop::open_unix() {
  if (unix_path_.empty()) return;
  const std::string permissions{first_.engine().config.get("unixsocketperm")};
  unix_.push_back(listen_unix(
      io_, unix_path_, static_cast<unsigned>(std::strtoul(permissions.c_str(), nullptr, 8))));
  if (runs_) let_in(unix_.back(), first_);
}

std::uint16_t Loop::open_door(Place& place, std::optional<std::uint16_t> port) {
  if (&place == &first_) {
    std::vector<TcpAcceptor> opened;  // Both or neither: a Unix socket may be refused.
    if (first_port_ != 0) opened = listen_tcp_on_all(io_, listens_on_, first_port_);
    open_unix();
    if (first_port_ != 0) take_listeners(std::move(opened));
    return port_;
  }
  const auto known = doors_.find(&place);
  const std::uint16_t wanted = port.value_or(known == doors_.end() ? 0 : known->second.port);
  auto opened = listen_tcp_on_all(io_, doors_address_, wanted);
  Door& door = doors_[&place];
  door.port = opened.front().local_endpoint().port();
  for (TcpAcceptor& acceptor : opened) {
    door.acceptors.push_back(std::move(acceptor));
    if (runs_) let_in(door.acceptors.back(), place);
  }
  return door.port;
}

void Loop::close_door(Place& place) {
  if (&place != &first_) {
    for (TcpAcceptor& acceptor : doors_[&place].acceptors) acceptor.close();
    return;
  }
  first_port_ = port_;
  take_listeners({});
  for (UnixAcceptor& acceptor : unix_) acceptor.close();
}

void Loop::set_aside(Place& place, std::uint64_t session, std::string_view reply) {
  for (const auto& [number, client] : clients_)
    if (client->is_session(place, session)) return client->set_aside(reply);
}

void Loop::carry_out(Place& from, std::uint64_t session, NodeOrder order) {
  servers_.ask(from, session, std::move(order));
}

}  // namespace picklock
