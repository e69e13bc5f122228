#include "emulator/server/listeners.hpp"

#include <asio/ip/v6_only.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace picklock {

namespace {

[[noreturn]] void fail(const std::string& where, const std::string& why) {
  throw ListenError("cannot listen on " + where + ": " + why);
}

[[noreturn]] void fail(const std::string& where, const asio::error_code& error) {
  if (error == asio::error::address_in_use || error == asio::error::access_denied)
    throw PortError("cannot listen on " + where + ": " + error.message());
  const bool is_elsewhere = error.value() == EADDRNOTAVAIL;
  fail(where, error.message() + (is_elsewhere ? ": this machine has no such address" : ""));
}

std::string address_text(const std::string& address, std::uint16_t port) {
  const bool v6 = address.find(':') != std::string::npos;
  return (v6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

// Clears the way for a socket at `path`, or says why not.
void make_room(asio::io_context& io, const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0)
    return;  // Nothing there; bind reports any other trouble.
  if (!S_ISSOCK(status.st_mode)) fail(path, "it exists and is not a socket");
  asio::error_code error;
  asio::local::stream_protocol::socket probe(io);
  probe.connect(asio::local::stream_protocol::endpoint(path), error);
  if (!error) fail(path, "another server answers there");
  if (error != asio::error::connection_refused) fail(path, error.message());
  if (::unlink(path.c_str()) != 0) fail(path, std::strerror(errno));
}

}  // namespace

TcpAcceptor listen_tcp(asio::io_context& io, const std::string& address, std::uint16_t port) {
  asio::error_code error;
  const auto ip = asio::ip::make_address(address, error);
  if (error) fail(address_text(address, port), "not an IP address, such as 127.0.0.1 or 0.0.0.0");
  const asio::ip::tcp::endpoint endpoint(ip, port);
  TcpAcceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(TcpAcceptor::reuse_address(true), error);
  // Beside one for IPv4 on the same port. Redis: anetV6Only.
  if (!error && ip.is_v6()) acceptor.set_option(asio::ip::v6_only(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) close_on_exec(acceptor.native_handle());
  if (!error) acceptor.listen(TcpAcceptor::max_listen_connections, error);
  if (error) fail(address_text(address, port), error);
  return acceptor;
}

std::vector<TcpAcceptor> listen_tcp_on_all(asio::io_context& io, const std::string& addresses,
                                           std::uint16_t port) {
  std::vector<TcpAcceptor> acceptors;
  std::istringstream words(addresses);
  for (std::string word; words >> word;) {
    const bool may_fail = word[0] == '-';
    if (may_fail) word.erase(0, 1);
    if (word == "*") word = "0.0.0.0";
    if (word == "::*") word = "::";
    try {
      acceptors.push_back(listen_tcp(io, word, port));
    } catch (const ListenError&) {
      if (!may_fail) throw;
      continue;
    }
    port = acceptors.back().local_endpoint().port();  // All on the one that the system has picked.
  }
  if (acceptors.empty()) fail(address_text(addresses, port), "no address to listen on");
  return acceptors;
}

std::vector<std::vector<TcpAcceptor>> listen_tcp_in_a_row(asio::io_context& io,
                                                          const std::string& addresses,
                                                          std::uint16_t first, std::size_t count) {
  constexpr std::uint32_t kLast = 65535;
  std::vector<std::vector<TcpAcceptor>> row;
  for (std::uint32_t port = first; row.size() < count; ++port) {
    const std::size_t missing = count - row.size();
    if (port + missing - 1 > kLast)
      fail(address_text(addresses, first),
           "no room for " + std::to_string(count) + " ports in a row from there on");
    try {
      row.push_back(listen_tcp_on_all(io, addresses, static_cast<std::uint16_t>(port)));
    } catch (const ListenError&) {
      row.clear();
    }
  }
  return row;
}

UnixAcceptor listen_unix(asio::io_context& io, const std::string& path, unsigned permissions) {
  if (path.size() >= sizeof(sockaddr_un{}.sun_path))
    fail(path, "the path is too long for a socket");
  make_room(io, path);
  const asio::local::stream_protocol::endpoint endpoint(path);
  asio::error_code error;
  UnixAcceptor acceptor(io);
  acceptor.open(endpoint.protocol(), error);
  if (!error) close_on_exec(acceptor.native_handle());
  if (!error) acceptor.bind(endpoint, error);
  if (!error && permissions != 0) ::chmod(path.c_str(), permissions);
  if (!error) acceptor.listen(UnixAcceptor::max_listen_connections, error);
  if (error) fail(path, error.message());
  return acceptor;
}

void close_on_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

std::string to_string(const asio::ip::tcp::endpoint& endpoint) {
  return address_text(endpoint.address().to_string(), endpoint.port());
}

}  // namespace picklock
