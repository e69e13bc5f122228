// What a primary of ours sends to those who ask for it, byte by byte, on a clock that stands still
// or one that flows: data of every form, the stream, PING, and who is cut off.
#include "tests/replicas/servers.hpp"
#include "tests/support/catch.hpp"

namespace picklock::test {
namespace {

using namespace std::chrono_literals;

/// A replica made by hand.
class Listener {
 public:
  explicit Listener(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("nobody listens");
    const timeval limit{10, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~Listener() { ::close(descriptor_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void say(std::initializer_list<std::string_view> words) {
    Scripted::say(descriptor_, request(words));
  }
  /// All up to the end of `text`, which must come.
  std::string hear(std::string_view text) {
    std::size_t at = 0;
    while ((at = heard_.find(text)) == std::string::npos) heard_ += more();
    std::string taken = heard_.substr(0, at + text.size());
    heard_.erase(0, taken.size());
    return taken;
  }
  std::string take(std::size_t size) {
    while (heard_.size() < size) heard_ += more();
    std::string taken = heard_.substr(0, size);
    heard_.erase(0, size);
    return taken;
  }
  /// The data behind "$<size>\r\n" or "$EOF:<mark>\r\n".
  std::string data() {
    std::string head = hear("\r\n");
    head.resize(head.size() - 2);
    if (!head.starts_with("$EOF:")) return take(std::stoul(head.substr(1)));
    const std::string mark = head.substr(5);
    std::string data = hear(mark);
    data.resize(data.size() - mark.size());
    return data;
  }
  /// Whether nothing has come that was not asked for.
  bool is_quiet() {
    char byte = 0;
    return heard_.empty() && ::recv(descriptor_, &byte, 1, MSG_DONTWAIT) < 0;
  }
  bool was_closed() {
    char buffer[65536];
    ssize_t size = 1;
    while (size > 0) size = ::recv(descriptor_, buffer, sizeof buffer, 0);
    return size == 0 || errno == ECONNRESET;
  }

 private:
  std::string more() {
    char buffer[65536];
    const auto size = ::recv(descriptor_, buffer, sizeof buffer, 0);
    if (size <= 0) throw std::runtime_error("heard only: " + heard_);
    return {buffer, static_cast<std::size_t>(size)};
  }

  int descriptor_ = -1;
  std::string heard_;
};

struct Still {
  Emulator emulator;
  Server server{emulator};
  Client client = emulator.connect();
  std::uint16_t port() const { return server.port(); }
};

std::string keys_of(const std::string& rdb) {
  Emulator emulator;
  emulator.load_rdb(rdb);
  const std::size_t libraries = emulator.connect().call("FUNCTION", "LIST").elements().size();
  return std::to_string(emulator.connect().call("DBSIZE").integer()) + " keys, " +
         std::to_string(libraries) + " libraries";
}

void fill(Client& client) {
  client.call("SET", "a", "1");
  client.call("HSET", "h", "f", "v");
  client.call("FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() end)");
}

}  // namespace

TEST_CASE("SYNC sends the data and then effects, without a word before") {
  Still still;
  fill(still.client);
  Listener old{still.port()};
  old.say({"SYNC"});
  CHECK(keys_of(old.data()) == "2 keys, 1 libraries");
  still.client.call("SET", "b", "2");
  CHECK(old.hear("b\r\n$1\r\n2\r\n") == request({"SELECT", "0"}) + request({"SET", "b", "2"}));
  still.emulator.advance(10s);
  CHECK(old.hear("PING\r\n") == request({"PING"}));
}

TEST_CASE("what a replica is sent is nothing that the trace shows") {
  for (const bool data_only : {false, true}) {
    Still still;
    still.emulator.keep_trace(10);
    Listener replica{still.port()};
    if (data_only) {
      replica.say({"REPLCONF", "rdb-only", "1"});
      CHECK(replica.hear("\r\n") == "+OK\r\n");
    }
    replica.say({"SYNC"});
    replica.data();
    CHECK(still.emulator.trace().back().request == "\"SYNC\"");
    CHECK(still.emulator.trace().back().reply == "(none)");
  }
}

TEST_CASE("a reader of marks gets effects once it has confirmed the data") {
  Still still;
  fill(still.client);
  Listener replica{still.port()};
  replica.say({"REPLCONF", "capa", "eof"});
  CHECK(replica.hear("\r\n") == "+OK\r\n");
  replica.say({"PSYNC", "?", "-1"});
  CHECK(replica.hear("\r\n").starts_with("+FULLRESYNC "));
  CHECK(keys_of(replica.data()) == "2 keys, 1 libraries");
  still.client.call("SET", "b", "2");
  CHECK(still.client.call("INFO", "replication").text().find("state=send_bulk") !=
        std::string::npos);
  CHECK(replica.is_quiet());
  replica.say({"REPLCONF", "ACK", "0"});
  CHECK(replica.hear("b\r\n$1\r\n2\r\n") == request({"SELECT", "0"}) + request({"SET", "b", "2"}));
  CHECK(still.client.call("INFO", "replication").text().find("state=online") != std::string::npos);
}

TEST_CASE("who wants data only, or a part of them, gets that") {
  Still still;
  fill(still.client);
  Listener all{still.port()};
  all.say({"REPLCONF", "rdb-only", "1"});
  CHECK(all.hear("\r\n") == "+OK\r\n");
  all.say({"SYNC"});
  CHECK(keys_of(all.data()) == "2 keys, 1 libraries");
  CHECK(all.was_closed());
  for (const auto& [filter, found] :
       {std::pair{"functions", "0 keys, 1 libraries"}, std::pair{"", "0 keys, 0 libraries"}}) {
    Listener part{still.port()};
    part.say({"REPLCONF", "capa", "eof", "rdb-only", "1", "rdb-filter-only", filter});
    CHECK(part.hear("\r\n") == "+OK\r\n");
    part.say({"SYNC"});
    CHECK(keys_of(part.data()) == found);
    CHECK(part.was_closed());
  }
}

TEST_CASE("who comes back for what the backlog has gets just that") {
  Still still;
  Listener replica{still.port()};
  replica.say({"PSYNC", "?", "-1"});
  const std::string answer = replica.hear("\r\n");
  REQUIRE(answer.size() > 52);
  const std::string id = answer.substr(12, 40);
  CHECK(answer == "+FULLRESYNC " + id + " 0\r\n");
  replica.data();
  still.client.call("SET", "a", "1");
  still.client.call("SET", "b", "2");
  const std::string stream =
      request({"SELECT", "0"}) + request({"SET", "a", "1"}) + request({"SET", "b", "2"});
  for (std::size_t from = 0; from <= stream.size(); ++from) {
    Listener again{still.port()};
    if (from % 2 == 0) {
      again.say({"REPLCONF", "capa", "psync2"});
      again.hear("+OK\r\n");
    }
    again.say({"PSYNC", id, std::to_string(from + 1)});
    CHECK(again.hear("\r\n") == (from % 2 == 0 ? "+CONTINUE " + id + "\r\n" : "+CONTINUE\r\n"));
    CHECK(again.take(stream.size() - from) == stream.substr(from));
  }
  for (const std::string& place :
       {std::string{"0"}, std::to_string(stream.size() + 2), std::string{"-9223372036854775808"},
        std::string{"9223372036854775807"}}) {
    Listener lost{still.port()};
    lost.say({"PSYNC", id, place});
    CHECK(lost.hear("\r\n").starts_with("+FULLRESYNC "));
  }
  Listener stranger{still.port()};
  stranger.say({"PSYNC", std::string(40, 'f'), "1"});
  CHECK(stranger.hear("\r\n").starts_with("+FULLRESYNC "));
}

TEST_CASE("two servers with one seed have histories of different names") {
  Still one;
  Still other;
  std::vector<std::string> ids;
  for (Still* still : {&one, &other}) {
    Listener replica{still->port()};
    replica.say({"PSYNC", "?", "-1"});
    ids.push_back(replica.hear("\r\n").substr(12, 40));
  }
  CHECK(ids[0] != ids[1]);
}

TEST_CASE("a replica that does not read is cut off at its limit, the data apart") {
  Still still;
  still.client.call("CONFIG", "SET", "client-output-buffer-limit", "replica 2mb 0 0");
  still.client.call("SET", "large", std::string(32 << 20, 'x'));
  Listener replica{still.port()};
  replica.say({"PSYNC", "?", "-1"});
  replica.hear("\r\n");
  const auto count = [&] { return still.client.call("ROLE")[2].elements().size(); };
  CHECK(count() == 1);
  still.client.call("SET", "some", std::string(1 << 20, 'x'));
  CHECK(count() == 1);
  // The system holds some of it for the reader.
  for (int i = 0; i < 64 && count() == 1; ++i)
    still.client.call("SET", "more", std::string(1 << 20, 'x'));
  CHECK(count() == 0);
}

TEST_CASE("one that has gone silent is given up, and the backlog when nobody comes") {
  OffsetClock clock;
  Emulator emulator{{}, clock};
  Server server{emulator};
  auto client = emulator.connect();
  Listener replica{server.port()};
  replica.say({"PSYNC", "?", "-1"});
  replica.hear("\r\n");
  replica.data();
  replica.say({"REPLCONF", "ACK", "0"});
  const auto role = [&] { return client.call("ROLE")[2].elements().size(); };
  const auto replication = [&] { return std::string{client.call("INFO", "replication").text()}; };
  await("it is there", [&] { return replication().find("state=online") != std::string::npos; });
  client.call("PICKLOCK", "ADVANCE", 30'000);
  CHECK(replication().find(",lag=30") != std::string::npos);
  CHECK(replica.hear("PING\r\n") == request({"PING"}));
  CHECK(role() == 1);
  client.call("PICKLOCK", "ADVANCE", 32'000);
  CHECK(role() == 0);
  CHECK(replica.was_closed());
  CHECK(replication().find("repl_backlog_active:1") != std::string::npos);
  client.call("PICKLOCK", "ADVANCE", 3602'000);
  CHECK(replication().find("repl_backlog_active:0") != std::string::npos);
}

TEST_CASE("another repl-ping-replica-period holds at once") {
  OffsetClock clock;
  Emulator emulator{{}, clock};
  Server server{emulator};
  auto client = emulator.connect();
  client.call("CONFIG", "SET", "repl-ping-replica-period", 3600);
  Listener replica{server.port()};
  replica.say({"PSYNC", "?", "-1"});
  replica.hear("\r\n");
  replica.data();
  replica.say({"REPLCONF", "ACK", "0"});
  await("it is there", [&] {
    return client.call("INFO", "replication").text().find("state=online") != std::string::npos;
  });
  client.call("PICKLOCK", "ADVANCE", 2'000);
  CHECK(replica.is_quiet());
  client.call("CONFIG", "SET", "repl-ping-replica-period", 1);
  CHECK(replica.hear("PING\r\n") == request({"PING"}));
}

}  // namespace picklock::test
