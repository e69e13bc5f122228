// A server that answers what no Redis answers, or closes, or says nothing.
#include <asio/bind_executor.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/write.hpp>
#include <cstdio>
#include <filesystem>
#include <list>
#include <unistd.h>

#include <picklock/asio.hpp>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using picklock::Hold;
using picklock::Lock;
using picklock::LockError;
using picklock::NodeError;
using picklock::Outcome;

namespace {

using Kind = NodeError::Kind;

constexpr const char* kGreeting = "%1\r\n$5\r\nproto\r\n:3\r\n";
/// Instead of bytes: the server closes the connection.
constexpr const char* kClose = "(closes)";

/// Answers every batch of bytes with the next of its answers, the last one again and again.
class HostileServer {
 public:
  HostileServer(asio::io_context& io, std::vector<std::string> answers)
      : answers_(std::move(answers)), acceptor_(io, path()) {
    accept();
  }
  ~HostileServer() { std::remove(path().c_str()); }

  static std::string path() {
    const auto folder = std::filesystem::temp_directory_path();
    return (folder / ("picklock-hostile-" + std::to_string(::getpid()))).string();
  }
  std::size_t accepted() const { return peers_.size(); }
  void close() {
    acceptor_.close();
    for (Peer& peer : peers_) peer.socket.close();
  }

 private:
  using Socket = asio::local::stream_protocol::socket;
  struct Peer {
    Socket socket;
    std::size_t answered = 0;
    std::array<char, 4096> input{};
  };

  void accept() {
    acceptor_.async_accept([this](const asio::error_code& error, Socket socket) {
      if (error) return;
      serve(peers_.emplace_back(Peer{std::move(socket)}));
      accept();
    });
  }
  void serve(Peer& peer) {
    peer.socket.async_read_some(
        asio::buffer(peer.input), [this, &peer](const asio::error_code& error, std::size_t) {
          if (error) return peer.socket.close();
          const std::string& answer = answers_[std::min(peer.answered++, answers_.size() - 1)];
          if (answer == kClose) return peer.socket.close();
          asio::error_code ignored;  // Then the client has closed already.
          asio::write(peer.socket, asio::buffer(answer), ignored);
          serve(peer);
        });
  }

  std::vector<std::string> answers_;
  asio::local::stream_protocol::acceptor acceptor_;
  std::list<Peer> peers_;
};

/// What an acquisition within 300 ms comes to.
struct Attempt {
  explicit Attempt(std::vector<std::string> answers, picklock::Duration answer_within = 10s) {
    asio::io_context io;
    HostileServer server{io, std::move(answers)};
    auto loop = picklock::redis_loop_on(io);
    auto link = loop.connect({.unix_socket = HostileServer::path(),
                              .connect_within = 100ms,
                              .answer_within = answer_within});
    Lock lock{*link, "ledger", {.ttl = 300ms, .answer_within = 100ms, .give_up_after = 300ms}};
    async_wait(lock.acquire_within(300ms), asio::bind_executor(io, [&](Outcome<Hold> result) {
                 held = result.has_value();
                 if (!held) error = result.error();
                 connections = server.accepted();
                 io.stop();  // The link must outlive its lock.
               }));
    io.run();
  }

  bool held = true;
  LockError error;
  std::size_t connections = 0;
};

}  // namespace

TEST_CASE("a server that answers nonsense or closes gives no lock, and an error that says why") {
  const auto [answers, kind] = GENERATE(table<std::vector<std::string>, Kind>({
      {{kClose}, Kind::closed},
      {{kGreeting, kClose}, Kind::closed},
      {{"HTTP/1.1 400 Bad Request\r\n\r\n"}, Kind::closed},
      {{std::string{"\0\xff\r\n", 4}}, Kind::closed},
      {{kGreeting, "?\r\n"}, Kind::closed},
      {{kGreeting, "$-5\r\n"}, Kind::closed},
      {{kGreeting, "*99999999999\r\n"}, Kind::closed},
      {{std::string{kGreeting} + "+OK\r\n"}, Kind::closed},
      {{kGreeting, "+OK\r\n"}, Kind::protocol},
      {{kGreeting, ":-77\r\n"}, Kind::protocol},
      {{kGreeting, "_\r\n"}, Kind::protocol},
      {{kGreeting, "*0\r\n"}, Kind::protocol},
      {{kGreeting, "*1\r\n$1\r\nx\r\n"}, Kind::protocol},
      {{kGreeting, "*3\r\n*0\r\n*0\r\n*0\r\n"}, Kind::protocol},
      {{kGreeting, "%1\r\n+a\r\n+b\r\n"}, Kind::protocol},
      {{kGreeting, "-LOADING Redis is loading the dataset in memory\r\n"}, Kind::loading},
      {{kGreeting, "-BUSY Redis is busy running a script.\r\n"}, Kind::busy_script},
      {{kGreeting, "-MOVED 9 127.0.0.1:7000\r\n"}, Kind::moved},
      {{kGreeting, "-CROSSSLOT Keys in request don't hash to the same slot\r\n"}, Kind::moved},
      {{kGreeting, "-READONLY You can't write against a read only replica.\r\n"}, Kind::read_only},
      {{kGreeting, "-ERR ouch\r\n"}, Kind::other},
      {{kGreeting, "-\r\n"}, Kind::other},
      {{"-NOAUTH Authentication required.\r\n"}, Kind::no_access},
      {{"-ERR unknown command 'HELLO'\r\n"}, Kind::other},
      {{kGreeting, "$5\r\nab", ""}, Kind::no_answer},
      {{kGreeting, ">2\r\n+message\r\n+x\r\n"}, Kind::no_answer},
      {{kGreeting, ""}, Kind::no_answer},
  }));
  CAPTURE(answers);
  const Attempt attempt{answers};
  INFO(attempt.error);
  CHECK_FALSE(attempt.held);
  REQUIRE(attempt.error.nodes.size() == 1);
  CHECK(attempt.error.nodes[0].kind == kind);
  if (kind == Kind::closed) CHECK(attempt.error.nodes[0].text.starts_with(HostileServer::path()));
  if (kind == Kind::no_answer) CHECK(attempt.error.nodes[0].text.empty());
  CHECK(attempt.connections >= 1);
  CHECK(attempt.connections < 15);  // No storm of connections.
}

TEST_CASE("a server that says nothing at all is left when the time to connect is over") {
  const Attempt attempt{{""}};
  CHECK_FALSE(attempt.held);
  CHECK(attempt.connections >= 2);
  CHECK(attempt.connections < 5);
}

TEST_CASE("a connection on which requests are not answered is given up") {
  CHECK(Attempt{{kGreeting, ""}, 10s}.connections == 1);
  const Attempt attempt{{kGreeting, ""}, 50ms};
  CHECK_FALSE(attempt.held);
  CHECK(attempt.connections >= 2);
}

namespace {

/// The error of `operation(client)` at a server that answers every request with `answer`.
template <class Operation>
LockError error_of(const std::string& answer, Operation operation) {
  asio::io_context io;
  HostileServer server{io, {kGreeting, answer}};
  auto loop = picklock::redis_loop_on(io);
  auto link = loop.connect({.unix_socket = HostileServer::path()});
  picklock::LockClient client{*link};
  LockError error;
  async_wait(operation(client), asio::bind_executor(io, [&](auto result) {
               if (!result) error = result.error();
               io.stop();
             }));
  io.run_for(5s);
  return error;
}

}  // namespace

TEST_CASE("nonsense in answer to questions is an error, never an exception or nobody") {
  for (const std::string answer :
       {"+OK\r\n", "$1\r\nx\r\n", "*1\r\n:1\r\n", "*1\r\n*3\r\n:1\r\n:2\r\n:3\r\n",
        "*1\r\n*3\r\n$1\r\na\r\n$1\r\nb\r\n:3\r\n", "%1\r\n+a\r\n+b\r\n", "#t\r\n"}) {
    CAPTURE(answer);
    const auto check = [](const LockError& error) {
      INFO(error);
      CHECK(error.code == LockError::Code::node_failed);
      REQUIRE(error.nodes.size() == 1);
      CHECK(error.nodes[0].kind == Kind::protocol);
    };
    check(error_of(answer, [](auto& client) { return client.who_holds("ledger"); }));
    check(error_of(answer, [](auto& client) { return client.force_release("ledger"); }));
    const bool is_state = answer == "*1\r\n:1\r\n";
    check(error_of(answer, [](auto& client) {
      return picklock::CountDownLatch{client, "g"}.count_down();
    }));
    if (is_state) continue;
    check(error_of(answer, [](auto& client) {
      return picklock::CountDownLatch{client, "g"}.count();
    }));
    check(error_of(answer, [](auto& client) {
      return picklock::CountDownLatch{client, "g"}.try_set_count(2);
    }));
  }
}
