// What PICKLOCK NODE asks: each order is carried out, or refused in one line with nothing changed.
#include <stdexcept>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/control/restart.hpp"
#include "emulator/server/node.hpp"
#include "emulator/server/nodes.hpp"

namespace picklock {

namespace {

using NodeAnswer = std::function<void(ReplyWriter&)>;
using OrderKind = NodeOrder::Kind;

constexpr std::size_t kMostNodesHere = 64;

NodeAnswer refuse(std::string why) {
  return [why = "ERR " + std::move(why)](ReplyWriter& reply) { reply.error(why); };
}

NodeAnswer fine() {
  return [](ReplyWriter& reply) { reply.ok(); };
}

NodeAnswer number(std::size_t value) {
  return [value](ReplyWriter& reply) { reply.integer(static_cast<std::int64_t>(value)); };
}

std::string quoted(const std::string& name) { return "'" + name + "'"; }

NodeAnswer refuse_for_script(const std::string& name) {
  return refuse("a script is running at " + quoted(name) + ": end it before");
}

}  // namespace

void Nodes::carry_out(const Asked& asked) {
  if (asked.place == sentinel_place_) return stop_sentinel();
  Answer answer;
  try {
    answer = answer_to(asked, find_name(asked.order.name));
  } catch (const ListenError& error) {
    answer = refuse(error.what());
  } catch (const std::invalid_argument& error) {
    answer = refuse(error.what());
  }
  settle();
  if (answer) reply_to(asked, answer);
}

void Nodes::reply_to(const Asked& asked, const Answer& answer) {
  Engine& engine = asked.place->engine();
  const auto found = engine.sessions().find(asked.session);
  if (found == engine.sessions().end() || !found->second->blocked) return;  // It has gone.
  answer(engine.replies_to(*found->second));
  engine.begin_turn();
  engine.unblock(*found->second, [](ReplyWriter&) {});
  engine.end_turn();
}

Nodes::Answer Nodes::answer_to(const Asked& asked, Node* node) {
  const NodeOrder& order = asked.order;
  if (order.kind == OrderKind::list) return list();
  if (first_.engine().cluster.enabled)
    return refuse("this is a cluster: CLUSTER says what its nodes are");
  if (order.kind == OrderKind::add) return add_node(order);
  if (!node)
    return refuse("there is no node " + quoted(order.name) + ": PICKLOCK NODE LIST names them");
  switch (order.kind) {
    case OrderKind::apply:
      return apply(*node, order.count);
    case OrderKind::connect:
      return connect(*node, order.other);
    case OrderKind::cut:
      return cut(*node);
    case OrderKind::lag:
      node->lag = order.count;
      return fine();
    case OrderKind::pending:
      return pending(*node);
    case OrderKind::promote:
      return promote(*node);
    case OrderKind::restart:
      return restart(*node, asked);
    case OrderKind::start:
      return start(*node, asked);
    case OrderKind::stop:
      return stop(*node, asked);
    default:
      return move_clock(*node, order);
  }
}

Nodes::Answer Nodes::add_node(const NodeOrder& order) {
  if (host_.has_place(order.name))
    return refuse("there is a server " + quoted(order.name) + " already: choose another name");
  if (order.other == order.name) return refuse("a server cannot be its own replica");
  Node* const primary = order.other.empty() ? nullptr : find_name(order.other);
  if (!order.other.empty() && !primary)
    return refuse("there is no node " + quoted(order.other) + ": PICKLOCK NODE LIST names them");
  if (nodes_.size() >= kMostNodesHere)
    return refuse("there are " + to_text(static_cast<std::int64_t>(kMostNodesHere)) +
                  " nodes already: no more fit in one process");
  return number(make(order.name, order.port, primary).port);
}

Nodes::Answer Nodes::apply(Node& node, std::size_t count) {
  if (!node.link || !node.link->is_connected())
    return refuse("nothing comes to " + quoted(node.name) +
                  ": it follows nobody, or one of the two is cut off or stopped");
  for (const Node* end : {&node, node.follows})
    if (!end->is_idle()) return refuse_for_script(end->name);
  return number(node.link->apply(count));
}

Nodes::Answer Nodes::pending(const Node& node) const {
  if (!node.follows) return refuse(quoted(node.name) + " is a primary: nothing comes to it");
  std::vector<std::string> units;
  if (node.link)
    for (const ReplicaLink::Unit& unit : node.link->pending()) units.push_back(to_text(unit));
  return [units](ReplyWriter& reply) {
    reply.array(units.size());
    for (const std::string& unit : units) reply.bulk(unit);
  };
}

Nodes::Answer Nodes::connect(Node& node, const std::string& to) {
  if (!node.runs) return refuse(quoted(node.name) + " is stopped: start it first");
  Node* other = node.follows;
  if (!to.empty()) {
    other = find_name(to);
    if (!other) return refuse("there is no node " + quoted(to) + ": PICKLOCK NODE LIST names them");
    if (other == &node) return refuse("a server cannot be its own replica");
    for (const Node* one = other->follows; one; one = one->follows)
      if (one == &node)
        return refuse(quoted(to) + " follows " + quoted(node.name) + ": replicas go in no circle");
  }
  if (!other)
    return refuse(quoted(node.name) +
                  " is a primary: PICKLOCK NODE CONNECT <name> TO <other> says whom to follow");
  for (const Node* end : {&node, other})
    if (!end->is_idle()) return refuse_for_script(end->name);
  node.follows = other;
  node.cut = node.unaware = false;
  return fine();
}

Nodes::Answer Nodes::cut(Node& node) {
  if (!node.follows || node.unaware)
    return refuse(quoted(node.name) + " is a primary: cut its replicas, or stop it");
  node.cut = true;
  return fine();
}

Nodes::Answer Nodes::promote(Node& node) {
  if (!node.runs) return refuse(quoted(node.name) + " is stopped: start it first");
  if (!node.follows || node.is_primary())
    return refuse(quoted(node.name) + " is a primary already");
  for (const Node& other : nodes_)
    if (other.runs && !other.is_idle()) return refuse_for_script(other.name);
  const Node* top = node.follows;
  while (top->follows && !top->unaware) top = top->follows;
  Sentinel::Master* const watched = sentinel_ ? sentinel_->find(address_of(*top)) : nullptr;
  if (watched)
    sentinel_->fail_over_to(*watched, address_of(node));
  else
    make_primary(node);
  return fine();
}

/// Who steers stays: as if it had just connected, after this turn, with what it has said of itself.
/// All others are gone.
void Nodes::end_clients(Node& node, const Asked& asked) {
  const bool is_here = asked.place == node.place;
  std::vector<std::uint64_t> staying;
  for (const auto& [id, session] : node.engine().sessions())
    if (session->steers && !session->is_blocked()) staying.push_back(id);
  for (const std::uint64_t id : staying) host_.set_aside(*node.place, id, "");
  if (is_here && asked.session != 0) host_.set_aside(*node.place, asked.session, "+OK\r\n");
  end_connections(node.engine(), [](const Session&) { return true; });
}

Nodes::Answer Nodes::stop(Node& node, const Asked& asked) {
  if (!node.runs) return refuse(quoted(node.name) + " is stopped already");
  if (!node.is_idle()) return refuse_for_script(node.name);
  Engine& engine = node.engine();
  if (engine.control->disk) sync(*engine.control->disk, engine);
  node.disk = std::move(engine.control->disk);
  node.runs = false;
  end_clients(node, asked);
  engine.control->stopped = engine.steered = true;
  host_.close_door(*node.place);
  node.place->set_running(false);
  return asked.place == node.place ? Answer{} : fine();
}

Nodes::Answer Nodes::start(Node& node, const Asked& asked) {
  if (node.runs) return refuse(quoted(node.name) + " runs already");
  if (order_wants_disk(asked.order) && !node.disk) return refuse_without_disk(node);
  host_.open_door(*node.place, std::nullopt);
  end_clients(node, asked);
  Engine& engine = node.engine();
  engine.control->stopped = false;
  engine.control->disk = std::move(node.disk);
  if (engine.control->disk)  // What was not on it when it stopped has not got there since.
    engine.control->disk->second = to_unix_ms(engine.clock.now()) / 1000;
  node.place->set_running(true);
  node.runs = true;
  picklock::restart(engine, asked.order.kept);
  return asked.place == node.place ? Answer{} : fine();
}

Nodes::Answer Nodes::restart(Node& node, const Asked& asked) {
  if (!node.runs) return refuse(quoted(node.name) + " is stopped: start it");
  if (!node.is_idle()) return refuse_for_script(node.name);
  if (order_wants_disk(asked.order) && !node.engine().control->disk)
    return refuse_without_disk(node);
  end_clients(node, asked);
  picklock::restart(node.engine(), asked.order.kept);
  return asked.place == node.place ? Answer{} : fine();
}

bool Nodes::order_wants_disk(const NodeOrder& order) { return order.kept == Restart::keeps_synced; }

Nodes::Answer Nodes::refuse_without_disk(const Node& node) {
  return refuse("nothing is synchronised at " + quoted(node.name) +
                ": start the server with --node, --replica or --sentinel, or add a node before");
}

Nodes::Answer Nodes::move_clock(Node& node, const NodeOrder& order) {
  if (!node.clock)
    return refuse("all go by the clock of " + quoted(node.name) +
                  ": PICKLOCK ADVANCE and SET-TIME move it");
  switch (order.kind) {
    case OrderKind::clock_drift:
      node.clock->drift(order.number);
      break;
    case OrderKind::clock_step:
      node.clock->step(std::chrono::milliseconds{order.number});
      break;
    case OrderKind::clock_freeze:
      node.clock->freeze();
      break;
    default:
      node.clock->thaw();
  }
  if (node.runs && node.is_idle()) node.engine().run_due();
  return fine();
}

void Nodes::stop_sentinel() {
  Engine& engine = sentinel_place_->engine();
  engine.control->sentinel = nullptr;
  sentinel_.reset();
  end_connections(engine, [](const Session&) { return true; });
  host_.close_door(*sentinel_place_);
  sentinel_place_->set_running(false);
}

namespace {

std::string_view link_word_of(bool follows, bool cut, bool connected) {
  if (!follows) return "none";
  if (cut) return "cut";
  return connected ? "up" : "down";
}

}  // namespace

void Nodes::write_node(ReplyWriter& reply, const Node& node) const {
  const auto& primary = node.engine().replication.primary;
  const bool connected = node.link && node.link->is_connected();
  const auto text = [&](std::string_view name, std::string_view value) {
    reply.bulk(name);
    reply.bulk(value);
  };
  const auto count = [&](std::string_view name, std::int64_t value) {
    reply.bulk(name);
    reply.integer(value);
  };
  const Node* const known = primary ? find_address(*primary) : nullptr;
  reply.map(12);
  text("name", node.name);
  text("address", to_text(address_of(node)));
  text("role", primary ? "slave" : "master");
  text("primary", known ? known->name : primary ? to_text(*primary) : "");
  text("link", link_word_of(node.follows != nullptr, node.cut, connected));
  count("behind", node.link ? static_cast<std::int64_t>(node.link->pending().size()) : 0);
  text("lag", node.lag == NodeOrder::kAll ? "all" : to_text(static_cast<std::int64_t>(node.lag)));
  text("running", node.runs ? "yes" : "no");
  count("now", to_unix_ms(node.engine().clock.now()));
  const Duration ahead = node.clock ? node.clock->ahead() : Duration{0};
  count("clock-ahead-ms", std::chrono::floor<std::chrono::milliseconds>(ahead).count());
  count("clock-drift-ppm", node.clock ? node.clock->ppm() : 0);
  text("clock-frozen", node.clock && node.clock->is_frozen() ? "yes" : "no");
}

Nodes::Answer Nodes::list() const {
  return [this](ReplyWriter& reply) {
    reply.array(nodes_.size());
    for (const Node& node : nodes_) write_node(reply, node);
  };
}

}  // namespace picklock
