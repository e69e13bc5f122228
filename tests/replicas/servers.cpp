#include "tests/replicas/servers.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/rdb/pipeline.hpp"
#include "tests/support/dataset.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr std::int64_t kToleranceMs = 20'000;

int connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("nobody listens");
  return descriptor;
}

void be_patient(int descriptor) {
  const timeval limit{10, 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

/// Whether a key, "database/name" with the name quoted, is the same but for instants within it.
bool is_same_stream(Channel& theirs, Channel& ours, const std::string& fact) {
  const auto slash = fact.find('/');
  if (slash == std::string::npos) return false;
  const auto words = split_words(fact.substr(slash + 1));
  if (!words || words->size() != 1) return false;
  const std::string& key = words->front();
  const std::vector<std::vector<std::string>> questions{{"SELECT", fact.substr(0, slash)},
                                                        {"PEXPIRETIME", key},
                                                        {"TYPE", key},
                                                        {"DUMP", key},
                                                        {"SELECT", "0"}};
  const auto one = pipeline(theirs, questions);
  const auto other = pipeline(ours, questions);
  return one[1] == other[1] && one[2] == other[2] && one[2].text() == "stream" &&
         !one[3].is_null() && !other[3].is_null() &&
         same_but_instants(one[3].text(), other[3].text(), kToleranceMs);
}

}  // namespace

SocketChannel::SocketChannel(std::uint16_t port)
    : descriptor_(connect_to(port)), socket_(descriptor_) {}

// A question of its own behind the requests: once that is answered, they all are.
std::string SocketChannel::exchange(std::string_view bytes) {
  const std::string mark = "-- answer " + std::to_string(++last_) + " --";
  socket_->send(bytes);
  socket_->send(request({"ECHO", mark}));
  const std::string end = "$" + std::to_string(mark.size()) + "\r\n" + mark + "\r\n";
  std::string answer;
  while (!answer.ends_with(end)) {
    char buffer[65536];
    const auto size = ::recv(descriptor_, buffer, sizeof buffer, 0);
    if (size <= 0) throw std::runtime_error("no answer");
    answer.append(buffer, static_cast<std::size_t>(size));
  }
  answer.resize(answer.size() - end.size());
  return answer;
}

Scripted::Scripted() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(descriptor_, generic, size) != 0 || ::listen(descriptor_, 8) != 0 ||
      ::getsockname(descriptor_, generic, &size) != 0)
    throw std::runtime_error("no port");
  port_ = ntohs(address.sin_port);
  be_patient(descriptor_);
}

Scripted::~Scripted() { ::close(descriptor_); }

int Scripted::accept() {
  const int connection = ::accept(descriptor_, nullptr, nullptr);
  if (connection < 0) throw std::runtime_error("nobody connects");
  be_patient(connection);
  return connection;
}

std::string Scripted::hear(int connection, std::string_view text) {
  std::string heard;
  while (heard.find(text) == std::string::npos) {
    char buffer[4096];
    const auto size = ::recv(connection, buffer, sizeof buffer, 0);
    if (size <= 0) throw std::runtime_error("heard only: " + heard);
    heard.append(buffer, static_cast<std::size_t>(size));
  }
  return heard;
}

void Scripted::say(int connection, std::string_view bytes) {
  ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

bool Scripted::was_closed(int connection) {
  char buffer[4096];
  ssize_t size = 1;
  while (size > 0) size = ::recv(connection, buffer, sizeof buffer, 0);
  ::close(connection);
  return size == 0 || errno == ECONNRESET;
}

std::string Scripted::greet(int& connection) {
  connection = accept();
  hear(connection, "PING");
  say(connection, "+PONG\r\n");
  hear(connection, "psync2\r\n");
  say(connection, "+OK\r\n+OK\r\n");
  std::string heard = hear(connection, "PSYNC");
  while (std::count(heard.begin(), heard.end(), '\n') < 7) heard += hear(connection, "\n");
  return heard;
}

std::string info(Socket& socket, const std::string& name) {
  const std::string text{socket.call({"INFO", "replication"}).text()};
  const auto at = text.find("\n" + name + ":");
  if (at == std::string::npos) return {};
  const auto from = at + name.size() + 2;
  return text.substr(from, text.find('\r', from) - from);
}

void await_link(Socket& replica, std::string_view status) {
  await("the link is " + std::string{status},
        [&] { return info(replica, "master_link_status") == status; });
}

void follow(Socket& replica, std::uint16_t port) {
  replica.call({"REPLICAOF", "127.0.0.1", std::to_string(port)});
  await_link(replica);
}

void await_equal_offsets(Socket& primary, Socket& replica) {
  await("the replica has caught up",
        [&] { return info(primary, "master_repl_offset") == info(replica, "master_repl_offset"); });
}

namespace {

Differences differences(Channel& theirs, Channel& ours) {
  const auto one = dataset(theirs);
  const auto other = dataset(ours);
  Differences found;
  for (const auto& [name, fact] : one) {
    const auto same = other.find(name);
    if (same == other.end())
      found[name] = name + " is theirs alone: " + fact + "\n";
    else if (same->second != fact && !is_same_stream(theirs, ours, name))
      found[name] = name + " is " + fact + " there, and here " + same->second + "\n";
  }
  for (const auto& [name, fact] : other)
    if (!one.contains(name)) found[name] = name + " is ours alone: " + fact + "\n";
  return found;
}

}  // namespace

Differences differences_that_stay(Channel& theirs, Channel& ours) {
  constexpr int kAttempts = 4;
  Differences found = differences(theirs, ours);
  for (int i = 1; i < kAttempts && !found.empty(); ++i) found = differences(theirs, ours);
  return found;
}

}  // namespace picklock::test
