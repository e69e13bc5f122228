// Emulators in simulated time, and the simulated world.
#include <deque>

#include <picklock/local_loop.hpp>

#include "tests/lockclient/world_place.hpp"

namespace picklock::test {
namespace {

class SimulatedPlace final : public Place {
 public:
  std::unique_ptr<Link> connect(std::size_t server) override {
    return loop_.connect(redis(server));
  }
  Reply ask(const std::vector<std::string>& words, std::size_t server) override {
    const std::vector<std::string_view> views{words.begin(), words.end()};
    Client client = redis(server).connect();
    return client.send(views).reply();
  }
  bool is_exact() const override { return true; }
  Instant now() const override { return loop_.now(); }
  void pass(Duration duration) override { loop_.advance(duration); }
  bool soon(const std::function<bool()>& is_done) override {
    loop_.advance(Duration{});
    return is_done();
  }

 private:
  Emulator& redis(std::size_t server) {
    while (servers_.size() <= server) servers_.emplace_back();
    return servers_[server];
  }

  std::deque<Emulator> servers_;
  LocalLoop loop_;
};

/// Once with messages that are up to 5 ms late, and once with a fault of the network besides: what
/// a case says of a primitive holds in spite of it.
void search_world(const std::function<void(Place&)>& body) {
  race::ExploreOptions options;
  options.schedules = 200;
  for (const bool faulty : {false, true}) {
    options.faults = race::Faults::none();
    if (faulty) {
      options.faults.lost_requests = options.faults.lost_replies = options.faults.duplicates = 1;
      options.faults.resets = options.faults.script_flushes = options.faults.most = 1;
    }
    const race::Verdict verdict = run_in_world(options, body);
    INFO(verdict);
    CHECK(verdict);
  }
}

}  // namespace

const std::vector<PlaceKind>& place_kinds() {
  static const std::vector<PlaceKind> kinds{{"emulators",
                                             [](const std::function<void(Place&)>& body) {
                                               SimulatedPlace place;
                                               body(place);
                                             }},
                                            {"the simulated world", search_world}};
  return kinds;
}

}  // namespace picklock::test
