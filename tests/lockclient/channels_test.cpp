// Channels beside a model that computes everything anew, and a client of very many locks at once.
#include "lockclient/machine/channels.hpp"

#include <algorithm>
#include <map>

#include <picklock/local_loop.hpp>
#include <picklock/lock.hpp>

#include "emulator/base/random.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace picklock;
using lock::Channels;
using lock::SlotId;

namespace {

constexpr std::size_t kNodes = 2;
using Names = std::vector<std::string>;
/// Node, channel, and whether it is to be subscribed to.
using Orders = std::vector<std::tuple<std::size_t, std::string, bool>>;

/// What waiters want and what is open, gone through whole at each question.
class Model {
 public:
  void want(SlotId slot, const Names& channels) { wants_[slot] = channels; }
  void leave(SlotId slot) { wants_.erase(slot); }
  void heard(std::size_t node, const std::string& channel, bool is_open) {
    const auto ear = ears_[node].find(channel);
    if (ear != ears_[node].end() && ear->second == Channels::Ear::opening)
      ear->second = is_open ? Channels::Ear::open : Channels::Ear::failed;
  }
  void reconnected(std::size_t node) { ears_[node].clear(); }

  Orders take_orders() {
    Orders orders;
    std::set<std::string> wanted;
    for (const auto& [slot, channels] : wants_) wanted.insert(channels.begin(), channels.end());
    for (std::size_t node = 0; node < kNodes; ++node) {
      for (const std::string& channel : wanted) {
        if (ears_[node].emplace(channel, Channels::Ear::opening).second)
          orders.emplace_back(node, channel, true);
      }
      for (const auto& [channel, ear] : std::exchange(ears_[node], {})) {
        if (wanted.contains(channel))
          ears_[node].emplace(channel, ear);
        else if (ear != Channels::Ear::failed)
          orders.emplace_back(node, channel, false);
      }
    }
    return orders;
  }
  std::vector<SlotId> listening() const {
    std::vector<SlotId> slots;
    for (const auto& [slot, channels] : wants_) {
      bool open = true;
      for (const auto& ears : ears_) {
        for (const std::string& channel : channels)
          open &= ears.contains(channel) && ears.at(channel) == Channels::Ear::open;
      }
      if (open) slots.push_back(slot);
    }
    return slots;
  }
  std::vector<SlotId> waiters(const std::string& channel) const {
    std::vector<SlotId> slots;
    for (const auto& [slot, channels] : wants_) {
      if (std::find(channels.begin(), channels.end(), channel) != channels.end())
        slots.push_back(slot);
    }
    return slots;
  }
  const std::map<SlotId, Names>& wants() const { return wants_; }
  const Channels::Ears& at(std::size_t node) const { return ears_.at(node); }

 private:
  std::map<SlotId, Names> wants_;
  std::array<Channels::Ears, kNodes> ears_;
};

/// Both at once: each step is asked of one, then of the other.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : random_(seed) {}

  void step() {
    const SlotId slot = 1 + random_.below(5);
    const std::string channel(1, static_cast<char>('a' + random_.below(4)));
    const std::size_t node = random_.below(kNodes);
    const auto found = model_.wants().find(slot);
    switch (random_.below(8)) {
      case 0:
        channels_.reconnected(node);
        model_.reconnected(node);
        told_.clear();
        break;
      case 1:
      case 2:
      case 3:
        if (found == model_.wants().end()) {
          const Names names =
              random_.below(3) == 0 ? Names{channel, channel + "2"} : Names{channel};
          channels_.want(slot, names);
          model_.want(slot, names);
        } else {
          channels_.leave(slot, found->second);
          model_.leave(slot);
          told_.erase(slot);
        }
        break;
      default: {
        const bool is_open = random_.below(5) != 0;
        for (const std::string& one : {channel, channel + "2"}) {
          channels_.heard(node, one, is_open);
          model_.heard(node, one, is_open);
        }
      }
    }
    if (random_.below(3) != 0) compare();
  }

 private:
  void compare() {
    Orders orders;
    for (const Channels::Order& one : channels_.take_orders())
      orders.emplace_back(one.node, one.channel, one.opens);
    REQUIRE(orders == model_.take_orders());
    for (const SlotId slot : channels_.take_hopeful()) {
      if (channels_.are_open(model_.wants().at(slot))) told_.insert(slot);
    }
    const std::vector<SlotId> listening = model_.listening();
    // Who has heard that all is open stays told, as in the Core, until a connection is a new one.
    for (const SlotId slot : listening) REQUIRE(told_.contains(slot));
    for (std::size_t node = 0; node < kNodes; ++node)
      REQUIRE(channels_.at(node) == model_.at(node));
    REQUIRE(channels_.count() == model_.at(0).size() + model_.at(1).size());
    for (const std::string channel : {"a", "b2"})
      REQUIRE(channels_.waiters(channel) == model_.waiters(channel));
    if (random_.below(10) == 0) channels_ = Channels{channels_};  // A value.
  }

  Random random_;
  Channels channels_{kNodes};
  Model model_;
  std::set<SlotId> told_;
};

}  // namespace

TEST_CASE("what has changed is all that channels have to look at") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Pair pair{seed};
    for (int step = 0; step < 200; ++step) pair.step();
  }
}

TEST_CASE("a client takes very many locks at once, and asks for each of them once") {
  constexpr std::size_t kLocks = 12'000;  // More than requests that are kept in mind for nobody.
  Emulator redis;
  LocalLoop loop;
  const auto link = loop.connect(redis);
  const auto other_link = loop.connect(redis);
  LockClient client{*link};
  LockClient other{*other_link};
  const auto lock_of = [](LockClient& owner, std::size_t number) {
    return Lock{owner, "lock " + std::to_string(number), {.ttl = 30s}};
  };
  std::vector<Ongoing<Outcome<Hold>>> acquiring;
  for (std::size_t i = 0; i < kLocks; ++i) acquiring.push_back(lock_of(client, i).acquire());
  std::vector<Hold> holds;
  for (auto& one : acquiring) holds.push_back(one.get().value());
  CHECK(client.counters().requests == kLocks);

  // As many wait for them, and each hears of its own lock.
  acquiring.clear();
  for (std::size_t i = 0; i < kLocks; ++i) acquiring.push_back(lock_of(other, i).acquire());
  loop.advance(1ms);
  CHECK(other.subscriptions() == kLocks);
  const std::uint64_t asked = other.counters().requests;
  const Instant begin = loop.now();
  for (Hold& hold : holds) REQUIRE(hold.release().get() == Released::released);
  CHECK(client.counters().requests == 2 * kLocks);
  CHECK(client.counters().retried == 0);
  CHECK(client.under_way() == 0);
  for (auto& one : acquiring) {
    auto hold = one.get();
    REQUIRE(hold);
    REQUIRE(hold->release().get() == Released::released);
  }
  CHECK(other.counters().requests == asked + 3 * kLocks);  // It asks again, unsubscribes, releases.
  CHECK(other.subscriptions() == 0);
  CHECK(loop.now() - begin < 1s);  // Nobody has looked by itself.
}
