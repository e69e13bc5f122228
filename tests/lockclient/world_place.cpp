#include "tests/lockclient/world_place.hpp"

#include <array>
#include <chrono>
#include <utility>

#include <picklock/race.hpp>
#include <picklock/race/blocking.hpp>

namespace picklock::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kServers = 5;
constexpr std::size_t kClients = 6;

std::string client_name(std::size_t i) { return "client" + std::to_string(i); }

/// What the workers of one schedule share.
struct Session {
  std::array<race::Node*, kServers> servers{};
  /// Where clients say that they have started: no case sees it.
  race::Node* porter = nullptr;
  std::vector<race::Worker*> clients;
  bool over = false;
};

/// The connection of one client process, for the case's worker to use: it goes on by itself, and
/// who blocks on it lets the world go on.
class WorldLink final : public Link, private Link::Listener {
 public:
  WorldLink(race::BlockingWorker& waits, Link& inner) : waits_(waits), inner_(inner) {}
  ~WorldLink() override {
    if (listens_) inner_.listen(nullptr);
  }

  Ticket send(std::span<const std::string_view> words) override { return inner_.send(words); }
  std::optional<Reply> reply(Ticket ticket) override { return inner_.reply(ticket); }
  Instant now() const override { return inner_.now(); }
  void wake_at(Instant instant) override { inner_.wake_at(instant); }
  std::optional<Reply> message() override { return inner_.message(); }
  bool is_lost(Ticket ticket) const override { return inner_.is_lost(ticket); }
  std::string why_broken() const override { return inner_.why_broken(); }
  std::uint64_t connections() const override { return inner_.connections(); }
  std::uint64_t random() override { return inner_.random(); }
  bool run_one() override {
    waits_.sleep(1ms);
    return true;
  }

 private:
  void speak_resp3() override {
    if (!std::exchange(listens_, true)) inner_.listen(this);
  }
  void on_event() override {
    if (listener() != nullptr) listener()->on_event();
  }

  race::BlockingWorker& waits_;
  Link& inner_;
  bool listens_ = false;
};

/// What cases ask may be asked twice.
Reply ask_until_answered(race::BlockingWorker& worker, race::Node& node,
                         const std::vector<std::string>& words) {
  const std::vector<std::string_view> views{words.begin(), words.end()};
  while (true) {
    try {
      return worker.call(node, views);
    } catch (const race::ConnectionLost&) {
    }
  }
}

class WorldPlace final : public Place {
 public:
  WorldPlace(race::BlockingWorker& worker, Session& session, bool is_faulty)
      : worker_(worker), session_(session), is_faulty_(is_faulty) {}

  std::unique_ptr<Link> connect(std::size_t server) override {
    race::Worker& client = *session_.clients.at(connected_++);
    return std::make_unique<WorldLink>(worker_, client.link(*session_.servers.at(server)));
  }
  Reply ask(const std::vector<std::string>& words, std::size_t server) override {
    return ask_until_answered(worker_, *session_.servers.at(server), words);
  }
  bool is_exact() const override { return false; }
  bool is_faulty() const override { return is_faulty_; }
  Instant now() const override { return worker_.now(); }
  void pass(Duration duration) override { worker_.sleep(duration); }
  bool soon(const std::function<bool()>& is_done) override {
    const Instant limit = now() + 2s;
    while (!is_done()) {
      if (now() > limit) return false;
      worker_.sleep(1ms);
    }
    return true;
  }

 private:
  race::BlockingWorker& worker_;
  Session& session_;
  const bool is_faulty_;
  std::size_t connected_ = 0;
};

/// Says that it has started, and again if that was lost.
race::Task<> report(race::Worker& worker, race::Node& porter) {
  bool is_heard = false;
  while (!is_heard) {
    try {
      const race::Call here = worker.call(porter, "RPUSH", worker.name(), "here");
      co_await here;
      is_heard = true;
    } catch (const race::ConnectionLost&) {
    }
  }
}

/// A client process: what arrives for it is its links' to deal with, until the case is over.
void add_client(race::World& world, const std::string& name,
                const std::shared_ptr<Session>& session) {
  world.spawn(name, [session](race::Worker& worker) -> race::Task<> {
    session->clients.push_back(&worker);
    co_await report(worker, *session->porter);
    while (!session->over) co_await worker.event();
  });
}

void play(race::BlockingWorker& worker, Session& session, bool is_faulty,
          const std::function<void(Place&)>& body) {
  for (std::size_t i = 0; i < kClients; ++i) {
    const std::string name = client_name(i);
    ask_until_answered(worker, *session.porter, {"BLMOVE", name, name, "LEFT", "LEFT", "0"});
  }
  WorldPlace place{worker, session, is_faulty};
  body(place);
  session.over = true;
  constexpr std::string_view kPing = "PING";  // The answer wakes the client, which sees the end.
  for (race::Worker* client : session.clients) client->link(*session.porter).send({&kPing, 1});
}

}  // namespace

race::Verdict run_in_world(const race::ExploreOptions& options,
                           const std::function<void(Place&)>& body) {
  const bool is_faulty = options.faults != race::Faults::none();
  return race::explore(options, [is_faulty, &body](race::World& world) {
    const auto session = std::make_shared<Session>();
    for (std::size_t i = 0; i < kServers; ++i)
      session->servers[i] = &world.redis("redis" + std::to_string(i));
    session->porter = &world.redis("porter");
    for (std::size_t i = 0; i < kClients; ++i) add_client(world, client_name(i), session);
    race::spawn_blocking(world, "case", [session, is_faulty, &body](race::BlockingWorker& worker) {
      play(worker, *session, is_faulty, body);
    });
  });
}

}  // namespace picklock::test
