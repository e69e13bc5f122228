#include "tests/support/emulator_target.hpp"

#include <optional>
#include <utility>

#include "emulator/engine/connection.hpp"

namespace picklock::test {
namespace {

class EmulatorChannel final : public Channel {
 public:
  explicit EmulatorChannel(Engine& engine) {
    connection_.emplace(engine, nullptr, "/tmp/picklock.sock:0", "/tmp/picklock.sock:0");
  }

  std::string exchange(std::string_view bytes) override {
    if (connection_) connection_->receive(bytes);
    return heard();
  }
  std::string heard() override {
    if (!connection_) return {};
    std::string answer = std::exchange(connection_->output(), {});
    while (connection_->is_held_back()) {
      connection_->drained();
      answer += std::exchange(connection_->output(), {});
    }
    if (connection_->should_close()) connection_.reset();
    return answer;
  }
  bool closed() const override { return !connection_; }

 private:
  std::optional<Connection> connection_;
};

}  // namespace

Options to_options(const std::vector<std::string>& settings) {
  Options options;
  for (std::size_t i = 0; i + 1 < settings.size(); i += 2) {
    if (settings[i] != "cluster-enabled")
      throw std::runtime_error("@options: the emulator cannot be started with " + settings[i]);
    options.cluster = settings[i + 1] == "yes";
  }
  return options;
}

std::unique_ptr<Channel> EmulatorTarget::connect() {
  return std::make_unique<EmulatorChannel>(emulator_.engine());
}

}  // namespace picklock::test
