// Emulators in simulated time.
#include <deque>

#include <picklock/local_loop.hpp>

#include "tests/lockclient/place.hpp"

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
  bool is_simulated() const override { return true; }
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

}  // namespace

const std::vector<PlaceKind>& place_kinds() {
  static const std::vector<PlaceKind> kinds{
      {"emulator", [] { return std::make_unique<SimulatedPlace>(); }}};
  return kinds;
}

}  // namespace picklock::test
