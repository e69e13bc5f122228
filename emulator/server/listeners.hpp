// Opens the sockets on which a server listens, with errors that say where and why.
//
// Knows nothing of clients. Used by the thread that constructs a Server.
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include <picklock/server.hpp>

namespace picklock {

/// The port is taken, or not for everyone: another one would do.
class PortError : public ListenError {
 public:
  using ListenError::ListenError;
};

using TcpAcceptor = asio::ip::tcp::acceptor;
using UnixAcceptor = asio::local::stream_protocol::acceptor;

/// Listens on an IP address and port (0 picks one); throws ListenError.
TcpAcceptor listen_tcp(asio::io_context& io, const std::string& address, std::uint16_t port);

/// Listens on every address of a list as redis.conf has it: words, '*' and '::*' for all of a kind,
/// '-' before one that may be missing. Throws ListenError.
std::vector<TcpAcceptor> listen_tcp_on_all(asio::io_context& io, const std::string& addresses,
                                           std::uint16_t port);

/// Listens so on `count` ports in a row, from `first` or the next one behind it that has room for
/// all. Throws ListenError if there is none. The acceptors of each port stand together.
std::vector<std::vector<TcpAcceptor>> listen_tcp_in_a_row(asio::io_context& io,
                                                          const std::string& addresses,
                                                          std::uint16_t first, std::size_t count);

/// Listens on a Unix socket. One that a dead server left behind is replaced; throws ListenError
/// when a server answers there, or when the path is something else. `permissions` as for chmod; 0
/// leaves those that the system gives.
UnixAcceptor listen_unix(asio::io_context& io, const std::string& path, unsigned permissions);

/// Keeps a socket to this process: a child that a test starts would hold it open.
void close_on_exec(int descriptor);

/// "127.0.0.1:6380", "[::1]:6380".
std::string to_string(const asio::ip::tcp::endpoint& endpoint);

}  // namespace picklock
