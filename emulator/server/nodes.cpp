#include "emulator/server/nodes.hpp"

#include <algorithm>
#include <utility>
#include <xxhash.h>

#include "emulator/engine/cluster_join.hpp"
#include "emulator/engine/control/restart.hpp"
#include "emulator/engine/time_travel.hpp"
#include "emulator/server/node.hpp"

namespace picklock {

namespace {

using namespace std::chrono_literals;

constexpr const char* kFirstNode = "default";
constexpr const char* kSentinelPlace = "sentinel";

// Servers of one seed would have one run id, by which a sentinel tells them apart.
std::uint64_t seed_for(std::string_view name, std::uint64_t seed) {
  return XXH64(name.data(), name.size(), seed);
}

}  // namespace

Nodes::Nodes(Host& host, asio::io_context& io, Place& first)
    : host_(host), nodes_(1), first_(nodes_.front()), timer_(io) {
  first_.name = kFirstNode;
  first_.place = &first;
}

Nodes::~Nodes() {
  if (sentinel_place_) sentinel_place_->engine().control->sentinel = nullptr;
  first_.engine().control->stopped = false;
}

void Nodes::add(const ServerOptions& options, std::uint16_t port) {
  address_ = options.address;
  first_.port = port;
  std::uint16_t last = port;
  for (const NodeOptions& wanted : options.nodes) {
    if (host_.has_place(wanted.name))
      throw ListenError("there are two servers '" + wanted.name + "': give them other names");
    const bool counts_on = options.port.value_or(0) != 0 && last < 65'535;
    const int by_itself = counts_on ? last + 1 : 0;
    const auto wants = wanted.port.value_or(static_cast<std::uint16_t>(by_itself));
    make(wanted.name, wants, wanted.is_replica ? &first_ : nullptr);
    if (wants != 0) last = wants;  // One that the system picks is no place to count on from.
  }
  if (options.sentinel_port) add_sentinel(*options.sentinel_port, options.sentinel_name);
  time_ = first_.engine().clock.now();
}

Nodes::Node& Nodes::make(const std::string& name, std::optional<std::uint16_t> port,
                         Node* follows) {
  Engine& model = first_.engine();
  Options options = model.control->options;
  options.seed = seed_for(name, options.seed);
  auto clock = std::make_unique<NodeClock>(model.clock);
  NodeClock* const borrowed = clock.get();
  Place& place = host_.make_node(name, {std::move(options), std::move(clock), nullptr});
  std::uint16_t opened = 0;
  try {
    opened = host_.open_door(place, port.value_or(0));
  } catch (const ListenError&) {
    host_.remove_node(name);
    throw;
  }
  Node& node = nodes_.emplace_back();
  node.name = name;
  node.place = &place;
  node.clock = borrowed;
  node.port = opened;
  node.follows = follows;
  node.engine().config.put("port", std::to_string(node.port));
  node.engine().control->start = std::make_shared<const Engine::State>(node.engine().save());
  node.engine().on_shutdown = [this, &place] {
    ask(place, 0, {.kind = NodeOrder::Kind::stop, .name = find(place)->name});
  };
  keep_disks();
  settle();
  return node;
}

// From the second one on: a lone server need not copy its data every second.
void Nodes::keep_disks() {
  for (const Node& node : nodes_)
    if (node.runs && !node.engine().control->disk) sync_every_second(node.engine(), true);
}

void Nodes::add_sentinel(std::uint16_t port, const std::string& name) {
  Engine& model = first_.engine();
  if (host_.has_place(kSentinelPlace))
    throw ListenError("'sentinel' is the sentinel's own name: give the node another one");
  Options options;
  options.profile = "sentinel";
  options.seed = seed_for(kSentinelPlace, model.control->options.seed);
  sentinel_place_ = &host_.make_node(kSentinelPlace, {std::move(options), nullptr, &model.clock});
  Engine& engine = sentinel_place_->engine();
  sentinel_port_ = host_.open_door(*sentinel_place_, port);
  engine.config.put("port", std::to_string(sentinel_port_));
  engine.on_shutdown = [this] { ask(*sentinel_place_, 0, {.kind = NodeOrder::Kind::stop}); };
  SentinelWorld& world = *this;
  engine.control->sentinel = &sentinel_.emplace(engine, world);
  sentinel_->monitor({.name = name, .address = address_of(first_)});
  sentinel_->look();
}

Nodes::Node* Nodes::find(const Place& place) const {
  for (const Node& node : nodes_)
    if (node.place == &place) return const_cast<Node*>(&node);
  return nullptr;
}

Nodes::Node* Nodes::find_name(std::string_view name) const {
  for (const Node& node : nodes_)
    if (node.name == name) return const_cast<Node*>(&node);
  return nullptr;
}

Nodes::Node* Nodes::find_address(const ServerAddress& address) const {
  for (const Node& node : nodes_)
    if (address_of(node) == address) return const_cast<Node*>(&node);
  return nullptr;
}

ServerAddress Nodes::address_of(const Node& node) const {
  return {reachable_host(address_), node.port};
}

std::uint16_t Nodes::port(std::string_view name) const {
  const Node* const node = find_name(name);
  return node ? node->port : std::uint16_t{0};
}

std::string Nodes::summary() const {
  std::string text;
  for (const Node& node : nodes_)
    if (&node != &first_) text += ", " + node.name + " on " + std::to_string(node.port);
  if (sentinel_) text += ", sentinel on " + std::to_string(sentinel_port_);
  return text;
}

/// Primaries before those that follow them, and else in the order of their making.
std::vector<Nodes::Node*> Nodes::by_depth() const {
  const auto depth = [](const Node* node) {
    int steps = 0;
    for (; node->follows; node = node->follows) ++steps;
    return steps;
  };
  std::vector<Node*> sorted;
  for (const Node& node : nodes_) sorted.push_back(const_cast<Node*>(&node));
  std::ranges::stable_sort(sorted, {}, depth);
  return sorted;
}

std::vector<Place*> Nodes::on_one_clock() const {
  std::vector<Place*> places;
  for (const Node& node : nodes_)
    if (node.runs) places.push_back(node.place);
  return places;
}

void Nodes::ask(Place& place, std::uint64_t session, NodeOrder order) {
  asked_.push_back({&place, session, std::move(order)});
}

// Within a turn a slow script lets others have theirs: links that are at work must stay.
bool Nodes::turn() {
  if (in_turn_ || (nodes_.size() == 1 && asked_.empty() && !sentinel_)) return false;
  in_turn_ = true;
  const bool worked = work();
  in_turn_ = false;
  return worked;
}

bool Nodes::work() {
  bool worked = !asked_.empty();
  share_time();
  while (!asked_.empty()) {
    const Asked asked = std::move(asked_.front());
    asked_.pop_front();
    carry_out(asked);
  }
  settle();
  worked = deliver() || worked;
  if (!sentinel_) return worked;
  sentinel_->look();
  settle();
  arm_timer();
  return worked;
}

// A request to one node may have moved the clock: for the others it is later, too.
void Nodes::share_time() {
  Clock& clock = first_.engine().clock;
  const Instant now = clock.now();
  const bool moved = std::exchange(time_, now) != now;
  if ((!moved && !owes_time_) || clock_flows(clock)) return;
  owes_time_ = false;
  for (const Node& node : nodes_) {
    if (!node.runs) continue;
    if (node.is_idle())
      node.engine().run_due();
    else
      owes_time_ = true;  // Once the script has ended.
  }
}

/// What clients have told the node itself: another primary, or none; or its state was put back,
/// which brings no topology along.
void Nodes::heed(Node& node) {
  Engine& engine = node.engine();
  if (std::exchange(node.returns, engine.control->returns) != engine.control->returns) {
    node.link.reset();
    node.told.reset();
    for (Node& other : nodes_)
      if (other.follows == &node) other.link.reset();
    // The state brings along who followed it then.
    std::erase_if(engine.replication.replicas, [](const auto& one) { return !one.over_network; });
    const auto& primary = engine.replication.primary;
    const bool astray = (!node.follows || node.unaware) && !engine.replication.over_network;
    if (astray && primary && find_address(*primary)) engine.promote();
    return;
  }
  if (!node.runs) return;
  const auto& said = engine.replication.primary;
  if (!node.follows || node.unaware) node.told.reset();
  if (!node.link) {
    if (node.told && said != node.told) node.follows = nullptr;
    return;
  }
  for (const Node& other : nodes_)
    if (&other.engine() == &node.link->primary() && said == address_of(other)) return;
  node.link.reset();
  node.follows = nullptr;
}

void Nodes::settle() {
  for (Node& node : nodes_) heed(node);
  for (Node* node : by_depth()) settle_link(*node);
}

/// Lets it know whom it follows, though there can be no link yet.
void Nodes::tell(Node& node) {
  node.told = address_of(*node.follows);
  Engine& engine = node.engine();
  if (engine.replication.primary == node.told) return;
  engine.begin_turn();  // Who waits there hears of it.
  engine.follow(*node.told);
  engine.end_turn();
}

/// Makes the link what it is to be; true if the two are connected.
bool Nodes::settle_link(Node& node) {
  if (!node.follows || node.unaware) return false;
  Engine& primary = node.follows->engine();
  if (node.link && &node.link->primary() != &primary) node.link.reset();
  if (!node.runs || node.cut || !node.follows->runs) {
    if (node.link && node.link->is_connected()) node.link->cut();
    if (!node.link && node.runs && node.is_idle()) tell(node);
    return false;
  }
  const bool idle = node.is_idle() && node.follows->is_idle();
  if (node.link && node.link->is_connected()) {
    if (idle) node.link->apply(0);  // Its primary may have taken over other data.
    return true;
  }
  if (!idle) return false;  // Once the script has ended.
  node.told.reset();
  if (node.link) {
    node.link->connect();
  } else {
    node.link = std::make_unique<ReplicaLink>(
        primary, node.engine(),
        ReplicaLink::Addresses{address_of(*node.follows), address_of(node)});
  }
  return true;
}

/// Lets through what need not wait; true if there was anything.
bool Nodes::deliver() {
  bool worked = false;
  for (bool more = true; more;) {
    more = false;
    for (Node* node : by_depth()) {
      if (!node->link || !node->link->is_connected() || node->lag == NodeOrder::kAll) continue;
      if (!node->is_idle() || !node->follows->is_idle()) continue;
      const std::size_t waiting = node->link->pending().size();
      if (waiting > node->lag && node->link->apply(waiting - node->lag) > 0) more = true;
    }
    worked = worked || more;
  }
  return worked;
}

/// Whether data pass from the top of its chain to it.
bool Nodes::is_linked_up(const Node& node) const {
  for (const Node* one = &node; one->follows; one = one->follows)
    if (!one->runs || one->cut || one->unaware || !one->follows->runs) return false;
  return true;
}

void Nodes::make_primary(Node& node) {
  Node* old = node.follows;
  while (old->follows && !old->unaware) old = old->follows;
  const bool all_hear = is_linked_up(node);
  if (node.link)
    node.link->promote();
  else
    node.engine().promote();
  node.link.reset();
  std::vector<const Node*> told{&node};
  for (Node& other : nodes_) {
    const bool would_follow = all_hear || !old->runs;
    if (&other == &node || other.follows != old || !would_follow) continue;
    other.follows = &node;
    told.push_back(&other);
  }
  node.follows = nullptr;
  node.cut = false;
  old->follows = &node;
  old->unaware = !all_hear;
  old->cut = old->runs && !all_hear;
  if (!old->unaware) told.push_back(old);
  settle();
  if (sentinel_) end_clients_of_reconfigured(told);
}

// Redis 7.0, sentinelSendSlaveOf: CLIENT KILL TYPE normal and pubsub, so that they ask where to go.
// Who steers stays.
void Nodes::end_clients_of_reconfigured(const std::vector<const Node*>& nodes) {
  for (const Node* node : nodes) {
    if (!node->runs || node->cut) continue;
    end_connections(node->engine(), [](const Session& session) { return !session.steers; });
  }
}

void Nodes::arm_timer() {
  if (!clock_flows(first_.engine().clock)) return;
  const auto next = sentinel_->next_event();
  if (next == armed_) return;
  armed_ = next;
  timer_.cancel();
  if (!next) return;
  const Duration left = *next - first_.engine().clock.now();
  timer_.expires_after(std::clamp<Duration>(left, 1ms, 1s));
  timer_.async_wait([this](const asio::error_code& error) {
    if (error) return;
    armed_.reset();
    host_.turn_ended();
  });
}

bool Nodes::is_due_within(Duration time) const {
  return armed_ && timer_.expiry() - std::chrono::steady_clock::now() <= time;
}

Nodes::Server Nodes::server_of(const Node& node) const {
  return {address_of(node), &node.engine(), node.runs,
          is_linked_up(node) && node.follows != nullptr, node.runs && !node.cut};
}

std::optional<Nodes::Server> Nodes::find(const ServerAddress& address) const {
  const Node* const node = find_address(address);
  if (!node) return std::nullopt;
  return server_of(*node);
}

std::vector<Nodes::Server> Nodes::replicas_of(const ServerAddress& primary) const {
  std::vector<Server> servers;
  for (const Node& node : nodes_)
    if (node.follows && address_of(*node.follows) == primary) servers.push_back(server_of(node));
  return servers;
}

bool Nodes::promote(const ServerAddress& replica) {
  Node* const node = find_address(replica);
  if (!node || !node->follows || node->is_primary() || !node->runs) return false;
  for (const Node& other : nodes_)
    if (other.runs && !other.is_idle()) return false;
  make_primary(*node);
  return true;
}

bool Nodes::convert(const ServerAddress& astray) {
  Node* const node = find_address(astray);
  if (!node || !node->follows || !node->is_idle() || !node->follows->is_idle()) return false;
  node->unaware = false;
  settle();
  end_clients_of_reconfigured({node});
  return true;
}

}  // namespace picklock
