// The sockets on which a server listens: rows of ports.
#include "emulator/server/listeners.hpp"

#include <asio/io_context.hpp>

#include <picklock/server.hpp>

#include "tests/support/catch.hpp"

using namespace picklock;

namespace {

const std::string kHere = "127.0.0.1";

std::uint16_t port_of(const TcpAcceptor& acceptor) { return acceptor.local_endpoint().port(); }

std::vector<std::uint16_t> ports_of(const std::vector<std::vector<TcpAcceptor>>& row) {
  std::vector<std::uint16_t> ports;
  for (const auto& acceptors : row)
    for (const TcpAcceptor& acceptor : acceptors) ports.push_back(port_of(acceptor));
  return ports;
}

}  // namespace

TEST_CASE("a row of ports begins behind those that are taken") {
  asio::io_context io;
  auto row = listen_tcp_in_a_row(io, kHere, port_of(listen_tcp(io, kHere, 0)), 3);
  const std::uint16_t first = ports_of(row).front();
  CHECK(ports_of(row) == std::vector<std::uint16_t>{first, static_cast<std::uint16_t>(first + 1),
                                                    static_cast<std::uint16_t>(first + 2)});

  row[0].clear();  // Now only the middle one is taken, or others have come.
  row[2].clear();
  const auto behind = listen_tcp_in_a_row(io, kHere, first, 3);
  REQUIRE(ports_of(behind).size() == 3);
  CHECK(ports_of(behind).front() > first + 1);
  CHECK(ports_of(behind).back() == ports_of(behind).front() + 2);
}

TEST_CASE("a row of ports has every address of each port") {
  asio::io_context io;
  const auto row =
      listen_tcp_in_a_row(io, "127.0.0.1 127.0.0.2", port_of(listen_tcp(io, kHere, 0)), 2);
  const std::uint16_t first = ports_of(row).front();
  const auto next = static_cast<std::uint16_t>(first + 1);
  CHECK(ports_of(row) == std::vector<std::uint16_t>{first, first, next, next});
}

TEST_CASE("a row of ports that does not fit behind its first is refused") {
  asio::io_context io;
  CHECK_THROWS_WITH(listen_tcp_in_a_row(io, kHere, 65534, 3),
                    "cannot listen on 127.0.0.1:65534: no room for 3 ports in a row from there on");
}
