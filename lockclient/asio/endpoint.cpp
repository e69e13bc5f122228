#include <algorithm>
#include <charconv>
#include <optional>

#include <picklock/endpoint.hpp>

namespace picklock {
namespace {

/// What of a URL has gone wrong, thrown within this file only.
struct BadUrl {
  std::string reason;
};

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2)
      throw BadUrl{"a % must be followed by two hexadecimal digits"};
    plain += static_cast<char>(byte);
    i += 2;
  }
  return plain;
}

/// Errors do not show what was read: where an @ is missing it may be a password, and errors end in
/// logs.
template <class Number>
Number number(std::string_view text, const char* what) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw BadUrl{std::string{"the "} + what + " is not a number that can be one"};
  return value;
}

/// Takes what stands before `mark` off `text`, with the mark; nullopt if it is not there.
std::optional<std::string_view> take_until(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return std::nullopt;
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at + 1);
  return head;
}

void read_user(std::string_view& rest, Endpoint& endpoint) {
  const std::size_t at = rest.find('@');
  if (at == rest.npos) return;
  std::string_view secret = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  // A single word is a password, as for redis-cli.
  if (const auto user = take_until(secret, ':')) endpoint.user = decoded(*user);
  endpoint.password = decoded(secret);
  if (endpoint.password.empty()) throw BadUrl{"there is a user without a password"};
}

void read_parameters(std::string_view text, Endpoint& endpoint) {
  while (!text.empty()) {
    std::string_view value = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(value.size() + 1, text.size()));
    const std::string_view name = take_until(value, '=').value_or("");
    if (name == "db") {
      endpoint.database = number<std::uint32_t>(value, "database");
    } else if (name == "name") {
      endpoint.client_name = decoded(value);
    } else {
      throw BadUrl{"after the ? stand db= and name= only"};
    }
  }
}

/// `host`, `host:port`, `[IPv6 address]` or `[IPv6 address]:port`.
void read_host(std::string_view text, Endpoint& endpoint) {
  std::string_view port = text;
  if (text.starts_with('[')) {
    port.remove_prefix(1);
    const auto address = take_until(port, ']');
    if (!address) throw BadUrl{"an IPv6 address ends with ]"};
    endpoint.host = *address;
    if (port.empty()) return;
    if (!port.starts_with(':')) throw BadUrl{"after ] stands :port only"};
    port.remove_prefix(1);
  } else {
    const auto host = take_until(port, ':');
    endpoint.host = decoded(host.value_or(text));
    if (endpoint.host.empty()) throw BadUrl{"there is no host"};
    if (endpoint.host.find('@') != endpoint.host.npos)
      throw BadUrl{"an @ in a user or a password is written %40"};
    if (!host) return;
  }
  endpoint.port = number<std::uint16_t>(port, "port");
  if (endpoint.port == 0) throw BadUrl{"0 is no port"};
}

Endpoint read(std::string_view url) {
  constexpr std::string_view kTcp = "redis://";
  constexpr std::string_view kUnix = "unix://";
  const bool is_unix = url.starts_with(kUnix);
  if (url.starts_with("rediss://"))
    throw BadUrl{"TLS is not supported: put a tunnel before the server"};
  if (!is_unix && !url.starts_with(kTcp))
    throw BadUrl{"it begins with neither redis:// nor unix://"};
  url.remove_prefix(is_unix ? kUnix.size() : kTcp.size());

  Endpoint endpoint;
  std::string_view parameters = url;
  const std::string_view place = take_until(parameters, '?').value_or(url);
  if (place.size() == url.size()) parameters = {};
  std::string_view rest = place;
  read_user(rest, endpoint);
  if (is_unix) {
    endpoint.unix_socket = decoded(rest);
    if (endpoint.unix_socket.empty()) throw BadUrl{"there is no path"};
  } else {
    std::string_view database = rest;
    const auto host = take_until(database, '/');
    read_host(host.value_or(rest), endpoint);
    if (host && !database.empty()) endpoint.database = number<std::uint32_t>(database, "database");
  }
  read_parameters(parameters, endpoint);
  return endpoint;
}

}  // namespace

Outcome<Endpoint> Endpoint::parse(std::string_view url) {
  try {
    return read(url);
  } catch (const BadUrl& bad) {
    return LockError{.code = LockError::Code::invalid_argument,
                     .message = "this is no URL of a server: " + bad.reason};
  }
}

std::string Endpoint::address() const {
  if (!unix_socket.empty()) return unix_socket;
  const bool is_ipv6 = host.find(':') != host.npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace picklock
