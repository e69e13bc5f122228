// Where a real server is, and as whom to speak to it.
//
// A plain value without I/O: nothing is looked up or opened before a RedisLoop connects to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <picklock/clock.hpp>
#include <picklock/lock/errors.hpp>

#pragma GCC visibility push(default)

namespace picklock {

/// Where a server is, and as whom to speak to it. A value.
struct Endpoint {
  std::string host = "127.0.0.1";  ///< A name or an address; not of a Unix socket.
  std::uint16_t port = 6379;       ///< From 1.
  /// The path of a Unix socket; if set, host and port count for nothing.
  std::string unix_socket{};
  std::string user{};          ///< For AUTH, with a password; empty: "default".
  std::string password{};      ///< Empty: no AUTH.
  std::uint32_t database = 0;  ///< SELECTed on every connection.
  std::string client_name{};   ///< What CLIENT LIST shows; empty: nothing.
  /// How long it may take until the server has greeted us.
  Duration connect_within{std::chrono::seconds{1}};
  /// A connection whose oldest request has waited for so long is given up; 0: never. More than any
  /// blocking command on this connection takes.
  Duration answer_within{std::chrono::seconds{10}};

  /// Reads `redis://[[user:]password@]host[:port][/database]` or
  /// `unix://[[user:]password@]/path[?db=database]`; `?name=` after either is the client's name.
  /// What has a meaning in URLs is written %XX. Error: invalid_argument.
  static Outcome<Endpoint> parse(std::string_view url);
  /// For people: "127.0.0.1:6379" or the path.
  std::string address() const;
};

}  // namespace picklock

#pragma GCC visibility pop
