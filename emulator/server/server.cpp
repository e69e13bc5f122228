#include <asio/post.hpp>
#include <cerrno>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <picklock/server.hpp>

#include "emulator/engine/control/control.hpp"
#include "emulator/engine/engine.hpp"
#include "emulator/engine/script_journal.hpp"
#include "emulator/facade/executor.hpp"
#include "emulator/server/loop.hpp"

namespace picklock {

namespace {

LogLevel log_level(const Config& config) {
  const std::string_view name = config.get("loglevel");
  return name == "debug"     ? LogLevel::debug
         : name == "verbose" ? LogLevel::verbose
         : name == "warning" ? LogLevel::warning
                             : LogLevel::notice;
}

}  // namespace

struct Server::Impl final : Executor {
  Impl(Emulator& served, const ServerOptions& options) : emulator(served), loop(served, options) {
    // CONFIG GET shows where the server listens.
    Config& config = served.engine().config;
    config.put("port", std::to_string(loop.port()));
    config.put("bind", options.address);
    config.put("unixsocket", options.unix_socket);
    served.engine().on_shutdown = options.on_shutdown;
    if (options.on_script_log)
      served.engine().journal->on_log = [&served, tell = options.on_script_log](const auto& line) {
        if (line.level >= log_level(served.engine().config)) tell(line);
      };
    try {
      loop.add_nodes(options);
      served.engine().control->start =
          std::make_shared<const Engine::State>(served.engine().save());
      set_executor(emulator, this);
      thread = std::thread([this] { loop.run(); });
    } catch (...) {
      let_go();
      throw;
    }
  }

  ~Impl() override {
    loop.stop();
    thread.join();
    let_go();
  }

  void let_go() {
    set_executor(emulator, nullptr);
    emulator.engine().on_shutdown = nullptr;
    emulator.engine().journal->on_log = nullptr;
    emulator.engine().control->start = nullptr;
  }

  // Carries out `call` on the server's thread and waits for it; what it throws is thrown here.
  void run(void (*call)(void*), void* context) override {
    if (loop.runs_here()) return call(context);
    std::packaged_task<void()> task([=] { call(context); });
    auto done = task.get_future();
    loop.post([this, &task] {
      // The task is moved here because its owner returns as soon as it is done.
      auto mine = std::move(task);
      mine();
      loop.flush_ended();
      loop.turn_ended();
    });
    done.get();
  }

  Emulator& emulator;
  Loop loop;
  std::thread thread;
};

Server::Server(Emulator& emulator, const ServerOptions& options) {
  if (emulator.engine().control->start)
    throw std::logic_error("this emulator has a Server already: use that one, or end it first");
  impl_ = std::make_unique<Impl>(emulator, options);
}

Server::~Server() = default;

std::uint16_t Server::port() const { return impl_->loop.port(); }

namespace {

/// What `ask` answers on the server's thread.
template <class Ask>
auto on_thread_of(Executor& executor, const Ask& ask) {
  std::optional<decltype(ask())> answer;
  auto call = [&] { answer = ask(); };
  executor.run([](void* asked) { (*static_cast<decltype(call)*>(asked))(); }, &call);
  return *std::move(answer);
}

}  // namespace

std::string Server::address() const {
  return on_thread_of(*impl_, [&] { return impl_->loop.address(); });
}

std::uint16_t Server::port(const std::string& node) const {
  return on_thread_of(*impl_, [&] { return impl_->loop.servers().port(node); });
}

std::uint16_t Server::sentinel_port() const {
  return on_thread_of(*impl_, [&] { return impl_->loop.servers().sentinel_port(); });
}

std::string Server::nodes() const {
  return on_thread_of(*impl_, [&] { return impl_->loop.servers().summary(); });
}

std::size_t Server::connections() const { return impl_->loop.connections(); }

int Server::connect_fd() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "connect_fd");
  Loop& loop = impl_->loop;
  const auto theirs = std::make_shared<SocketClient::Socket>(
      loop.io(), asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
  loop.post([&loop, theirs] { loop.adopt(std::move(*theirs)); });
  return ends[0];
}

}  // namespace picklock
