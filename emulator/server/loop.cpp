#include "emulator/server/loop.hpp"

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <unistd.h>
#include <utility>

namespace picklock {

namespace {

using namespace std::chrono_literals;

// A flowing clock may be set meanwhile (NTP, an ADVANCE): look again at least this often while
// something is pending. An event that is due waits a millisecond at least, Redis's own resolution.
constexpr Duration kLongestWait = 1s;
constexpr Duration kShortestWait = 1ms;
constexpr auto kRetryAccept = 50ms;

}  // namespace

Loop::Loop(Emulator& emulator, const ServerOptions& options)
    : emulator_(emulator),
      engine_(emulator.engine()),
      clock_flows_(dynamic_cast<SimClock*>(&engine_.clock) == nullptr),
      auto_advance_(options.auto_advance) {
  if (options.port) {
    tcp_ = listen_tcp(io_, options.address, *options.port);
    port_ = tcp_->local_endpoint().port();
    address_ = to_string(tcp_->local_endpoint());
  }
  if (!options.unix_socket.empty()) {
    unix_ = listen_unix(io_, options.unix_socket);
    unix_path_ = options.unix_socket;
    address_ += (address_.empty() ? "" : " and ") + unix_path_;
  }
}

Loop::~Loop() {
  engine_.slow_script_driver = nullptr;
  if (!unix_path_.empty()) ::unlink(unix_path_.c_str());
}

void Loop::run() {
  const auto work = asio::make_work_guard(io_);  // A server without a listener waits for adopt().
  if (tcp_) accept(*tcp_);
  if (unix_) accept(*unix_);
  turn_ended();
  engine_.slow_script_driver = this;
  io_.run();
  engine_.slow_script_driver = nullptr;
  while (!clients_.empty()) clients_.begin()->second->close();
  to_flush_.clear();
}

template <class Acceptor>
void Loop::accept(Acceptor& acceptor) {
  acceptor.async_accept([this, &acceptor](const asio::error_code& error, auto socket) {
    if (!error) {
      accepted(std::move(socket));
      return accept(acceptor);
    }
    // Out of descriptors, most likely: the waiting client stays in the queue until some are free.
    const auto retry = std::make_shared<asio::steady_timer>(io_, kRetryAccept);
    retry->async_wait([this, &acceptor, retry](const asio::error_code&) { accept(acceptor); });
  });
}

void Loop::accepted(asio::ip::tcp::socket socket) {
  asio::error_code error;
  socket.set_option(asio::ip::tcp::no_delay(true), error);
  const auto peer = socket.remote_endpoint(error);
  if (error) return;  // It went away between connect and accept.
  const auto local = socket.local_endpoint(error);
  add(SocketClient::Socket(std::move(socket)), to_string(peer), to_string(local));
}

void Loop::accepted(asio::local::stream_protocol::socket socket) {
  // As Redis shows it in CLIENT LIST: the path, and a port 0.
  const std::string address = unix_path_ + ":0";
  add(SocketClient::Socket(std::move(socket)), address, address);
}

void Loop::adopt(SocketClient::Socket socket) {
  add(std::move(socket), "socketpair:0", "socketpair:0");
}

void Loop::add(SocketClient::Socket socket, std::string_view peer, std::string_view local) {
  const std::uint64_t number = ++last_number_;
  SocketClient::Host& host = *this;
  const auto client =
      std::make_shared<SocketClient>(host, number, engine_, std::move(socket), peer, local);
  clients_.emplace(number, client);
  connections_ = clients_.size();
  client->start();
}

// Called from within a handler of this very loop: what is ready now is served, inside it.
bool Loop::serve_others() {
  io_.poll();
  return !io_.stopped();
}

void Loop::flush_later(std::shared_ptr<SocketClient> client) {
  to_flush_.push_back(std::move(client));
}

void Loop::ended(std::uint64_t number) {
  clients_.erase(number);
  connections_ = clients_.size();
}

void Loop::flush_ended() {
  for (const auto& [number, client] : clients_)
    if (client->has_ended()) to_flush_.push_back(client);
}

void Loop::turn_ended() {
  do {
    flush_all();
  } while (advance_if_all_blocked());
  arm_timer();
}

// Flushing may end a session, and that may answer another client: the list can grow meanwhile.
void Loop::flush_all() {
  for (std::size_t i = 0; i < to_flush_.size(); ++i) {
    const auto client = std::move(to_flush_[i]);
    if (client) client->flush();  // A slow script may have had it flushed meanwhile.
  }
  to_flush_.clear();
}

bool Loop::advance_if_all_blocked() {
  if (!auto_advance_ || engine_.script != nullptr || clients_.empty() ||
      emulator_.blocked_clients() < clients_.size())
    return false;
  const auto next = emulator_.next_event();
  if (!next) return false;
  emulator_.set_time(*next);
  return true;
}

void Loop::arm_timer() {
  if (!clock_flows_) return;
  const auto next = engine_.next_event();
  if (next == armed_) return;
  armed_ = next;
  if (!next) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(
      std::clamp<Duration>(*next - engine_.clock.now(), kShortestWait, kLongestWait));
  timer_.async_wait([this](const asio::error_code& error) {
    if (error) return;  // Another event has taken its place.
    armed_.reset();
    if (engine_.script == nullptr) engine_.run_due();  // Keys do not expire within a script.
    turn_ended();
  });
}

}  // namespace picklock
