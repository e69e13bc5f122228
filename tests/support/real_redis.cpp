#include "tests/support/real_redis.hpp"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace picklock::test {
namespace {

constexpr const char* kServer = "/usr/bin/redis-server";
constexpr auto kStartLimit = std::chrono::seconds{20};
constexpr auto kStartPoll = std::chrono::milliseconds{1};

class RealChannel final : public Channel {
 public:
  RealChannel(RealRedis& server, RawClient client) : server_(server), client_(std::move(client)) {}

  std::string exchange(std::string_view bytes) override {
    client_.send(bytes);
    // Most answers come at once; to have seen one saves a barrier.
    std::string answer = bytes.empty() ? client_.drain() : client_.drain(1);
    while (true) {
      // Asked before the barrier: a request that the server reads after it may not be answered yet.
      const bool was_read = client_.all_was_read();
      server_.settle();
      const std::string more = client_.drain();
      answer += more;
      if (client_.closed() || (more.empty() && was_read)) return answer;
    }
  }
  std::string heard() override { return client_.drain(); }
  bool closed() const override { return client_.closed(); }

 private:
  RealRedis& server_;
  RawClient client_;
};

std::string make_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "picklock-redis-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("no temporary directory could be made at " + name);
  return name;
}

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A port that nobody listens on, for a cluster's bus.
std::string free_port() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const bool good =
      ::bind(socket, generic, size) == 0 && ::getsockname(socket, generic, &size) == 0;
  ::close(socket);
  return good ? std::to_string(ntohs(address.sin_port)) : "0";
}

// In the child: becomes redis-server, or ends with 127.
[[noreturn]] void become_server(const std::string& directory, const std::string& socket_path,
                                const std::vector<std::string>& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // A test that crashes leaves no server behind.
  const int log = ::open((directory + "/log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::setenv("LC_ALL", "C", 1);
  std::vector<std::string> words{kServer,     "--port",      "0",       "--unixsocket",
                                 socket_path, "--save",      "",        "--appendonly",
                                 "no",        "--dir",       directory, "--enable-debug-command",
                                 "yes",       "--daemonize", "no"};
  if (!options.empty()) words.insert(words.end(), {"--cluster-port", free_port()});
  for (std::size_t i = 0; i < options.size(); ++i)
    words.push_back((i % 2 == 0 ? "--" : "") + options[i]);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  ::execv(kServer, const_cast<char* const*>(arguments.data()));
  ::_exit(127);
}

}  // namespace

RealRedis::RealRedis(const std::vector<std::string>& options, Cluster wait)
    : options_(options), directory_(make_directory()), socket_path_(directory_ + "/redis.sock") {
  if (::access(kServer, X_OK) != 0)
    throw std::runtime_error(std::string{kServer} + " is missing: apt-get install redis-server");
  start_node();
  if (wait == Cluster::now) await_cluster();
}

RealRedis::~RealRedis() {
  kill();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void RealRedis::kill() {
  control_.reset();
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

void RealRedis::start_again() {
  start_node();
  await_cluster();
}

void RealRedis::start_node() {
  start();
  await_ready();
  for (std::size_t i = 0; i + 1 < options_.size(); i += 2)
    if (options_[i] == "cluster-enabled" && options_[i + 1] == "yes") joins_cluster_ = true;
  if (joins_cluster_) control_->call({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
}

void RealRedis::expire_only_on_access() { control_->call({"DEBUG", "SET-ACTIVE-EXPIRE", "0"}); }

// Somebody else may take the port between its choice and the server's bind: then another one.
std::uint16_t RealRedis::listen_tcp() {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const std::string port = free_port();
    // Not by control_: a test may have killed that.
    if (RawClient{socket_path_}.call({"CONFIG", "SET", "port", port}).is_error()) continue;
    return static_cast<std::uint16_t>(number(port));
  }
  throw std::runtime_error("redis-server found no free port");
}

// A node that has just started takes two seconds before it calls the cluster well.
void RealRedis::await_cluster() {
  if (!joins_cluster_) return;
  const auto limit = std::chrono::steady_clock::now() + kStartLimit;
  while (control_->call({"CLUSTER", "INFO"}).text().find("cluster_state:ok") == std::string::npos) {
    if (std::chrono::steady_clock::now() > limit)
      throw std::runtime_error("redis-server did not become a cluster");
    pass(kStartPoll);
  }
  joins_cluster_ = false;
}

void RealRedis::start() {
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("redis-server could not be started: fork failed");
  if (process_ == 0) become_server(directory_, socket_path_, options_);
}

void RealRedis::await_ready() {
  const auto limit = std::chrono::steady_clock::now() + kStartLimit;
  while (true) {
    try {
      control_.emplace(socket_path_);
      const Reply reply = control_->call({"PING"});
      // It answers before it has all of a file's keys.
      if (!reply.is_error() || !reply.text().starts_with("LOADING")) return;
    } catch (const TargetDied&) {
    }
    if (!alive() || std::chrono::steady_clock::now() > limit)
      throw std::runtime_error("redis-server did not start; its log was in " + directory_);
    pass(kStartPoll);
  }
}

bool RealRedis::alive() {
  if (process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) == process_) process_ = -1;
  return process_ > 0;
}

bool RealRedis::is_busy() {
  if (!control_) return false;
  const Reply reply = control_->call({"CONFIG", "GET", "port"});
  return reply.is_error() && reply.text().starts_with("BUSY");
}

std::unique_ptr<Channel> RealRedis::connect() {
  await_cluster();
  return std::make_unique<RealChannel>(*this, RawClient{socket_path_});
}

// Two round trips: the server writes replies at the end of a turn of its loop, in no fixed order of
// clients, so that only a second reply proves that everybody else's of the first turn was written.
// The command is one that MONITOR does not show.
void RealRedis::settle() {
  if (!control_) throw TargetDied("redis-server is not there");
  for (int i = 0; i < 2; ++i) control_->call({"CONFIG", "GET", "port"});
}

std::int64_t RealRedis::barrier() {
  settle();
  const Reply time = control_->call({"TIME"});
  return number(time[0].text()) * 1000 + number(time[1].text()) / 1000;
}

std::int64_t RealRedis::now_ms() { return barrier(); }

// The tests wait nowhere else: a real server's time cannot be moved.
void RealRedis::pass(std::chrono::milliseconds duration) { std::this_thread::sleep_for(duration); }

}  // namespace picklock::test
