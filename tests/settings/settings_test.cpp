// CONFIG and INFO against a real redis-server: every setting, its default, what it takes and what
// it refuses; every section and field of INFO.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/resp/reply_parser.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

// One connection to a server.
class Client {
 public:
  explicit Client(Target& server) : channel_(server.connect()) {}
  Reply ask(const std::vector<std::string>& words) {
    ReplyParser parser;
    parser.feed(channel_->exchange(encode_request(words)));
    return parser.next().value();
  }

 private:
  std::unique_ptr<Channel> channel_;
};

// Where the server listens and keeps its files, and how it was started.
bool hangs_on_the_place(std::string_view name) {
  constexpr std::array kNames{"bind"sv, "dir"sv, "port"sv, "save"sv, "unixsocket"sv};
  return std::ranges::find(kNames, name) != kNames.end();
}

// Setting these does something to the real server, or hangs on the machine.
bool is_better_left_alone(std::string_view name) {
  constexpr std::array kNames{
      "bind"sv,          "port"sv,      "maxclients"sv,         "requirepass"sv,
      "oom-score-adj"sv, "maxmemory"sv, "proc-title-template"sv};
  return name.starts_with("tls-") || std::ranges::find(kNames, name) != kNames.end();
}

constexpr std::array kValues{"",
                             "0",
                             "1",
                             "-1",
                             "5",
                             "100",
                             "101",
                             "1000",
                             "abc",
                             "yes",
                             "NO",
                             "1k",
                             "1KB",
                             "5mb",
                             "2g",
                             "1x",
                             " 1",
                             "1.5",
                             "1e3",
                             "0x10",
                             "10%",
                             "-10%",
                             "+5",
                             "01",
                             "a b",
                             "-1kb",
                             "101%",
                             "0%",
                             "2147483647",
                             "2147483648",
                             "9223372036854775807",
                             "9223372036854775808",
                             "99999999999999999999"};

// Values for the settings that have a form of their own, or words.
constexpr std::array kTexts{"60 1",
                            "60 x",
                            "0 1",
                            "60 0",
                            "60 -1",
                            "60 1 300 2",
                            "60 1 300",
                            "60  1",
                            "+60 01",
                            "60 1 ",
                            "normal 0 0 0",
                            "normal 1 2",
                            "pubsub 1mb 2k 3",
                            "slave 1 1 1",
                            "normal 1 1 -1",
                            "master 0 0 0",
                            "foo 0 0 0",
                            "normal x 0 0",
                            "normal 0 x 0",
                            "normal 0 0 x",
                            "replica 1 1 1 normal 5 5 5",
                            "normal 1 1 99999999999",
                            "NORMAL 1kb 1 1",
                            "1 2 3",
                            "1 2 3 4",
                            "-2000 0 2000",
                            "2001 0 0",
                            "1 x 3",
                            "50 99.9",
                            "100.1",
                            "50 abc",
                            "99.999",
                            "33.333333333",
                            "nan",
                            "inf",
                            "0.001",
                            "1e1",
                            "KEA",
                            "Ex",
                            "AKE",
                            "zzz",
                            "AKEnm",
                            "always",
                            "DEBUG",
                            "Volatile-TTL",
                            "absolute",
                            "clients",
                            "save now",
                            "nosave force",
                            "save nosave",
                            "default save",
                            "now now",
                            "abort",
                            "a.b-c",
                            "a_b",
                            "1.2.3.4",
                            "hostname",
                            "swapdb",
                            "panic",
                            "allchannels",
                            "everysec"};

// A value after another: what CONFIG SET says of each, and what is kept then.
void compare(Client& theirs, Client& ours, const std::string& name, std::string value) {
  INFO("CONFIG SET " << name << " " << quote(value));
  const Reply real = theirs.ask({"CONFIG", "SET", name, value});
  CHECK(ours.ask({"CONFIG", "SET", name, value}).to_string() == real.to_string());
  CHECK(ours.ask({"CONFIG", "GET", name}).to_string() ==
        theirs.ask({"CONFIG", "GET", name}).to_string());
}

// Titles and names of INFO's lines, as far as they do not hang on what the server has done.
std::vector<std::string> outline(const Reply& info) {
  std::vector<std::string> names;
  std::string_view text = info.text();
  while (!text.empty()) {
    const auto end = std::min(text.find("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    const std::string name{line.substr(0, line.find(':'))};
    if (!name.starts_with("cmdstat_") && !name.starts_with("errorstat_") &&
        !name.starts_with("latency_percentiles_usec_"))
      names.push_back(name);
  }
  return names;
}

}  // namespace

TEST_CASE("every setting of Redis is there with its default, and no other") {
  RealRedis real;
  EmulatorTarget emulator;
  Client theirs{real};
  Client ours{emulator};
  const Reply expected = theirs.ask({"CONFIG", "GET", "*"});
  const Reply actual = ours.ask({"CONFIG", "GET", "*"});
  CHECK(expected.size() == actual.size());
  for (std::size_t i = 0; i + 1 < expected.size(); i += 2) {
    const std::string& name = expected[i].text();
    if (hangs_on_the_place(name)) continue;
    INFO(name);
    CHECK(ours.ask({"CONFIG", "GET", name}).to_string() ==
          theirs.ask({"CONFIG", "GET", name}).to_string());
  }
}

TEST_CASE("every setting takes and refuses what it does on Redis") {
  RealRedis real;
  EmulatorTarget emulator;
  Client theirs{real};
  Client ours{emulator};
  const Reply all = theirs.ask({"CONFIG", "GET", "*"});
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    const std::string& name = all[i].text();
    if (is_better_left_alone(name)) continue;
    if (name == "dir") {
      const std::vector<std::string> words{"CONFIG", "SET", name, "/"};
      CHECK(ours.ask(words).to_string() == theirs.ask(words).to_string());
      continue;
    }
    if (name == "unixsocket") continue;
    for (const char* value : kValues) compare(theirs, ours, name, value);
    for (const char* value : kTexts) compare(theirs, ours, name, value);
    compare(theirs, ours, name, std::string(300, 'x'));
    compare(theirs, ours, name, std::string{"1\0", 2});
    compare(theirs, ours, name, all[i + 1].text());
  }
}

TEST_CASE("INFO has the sections and fields of Redis in their order") {
  RealRedis real;
  EmulatorTarget emulator;
  Client theirs{real};
  Client ours{emulator};
  const std::vector<std::vector<std::string>> wanted{{},
                                                     {"all"},
                                                     {"everything"},
                                                     {"default"},
                                                     {"server"},
                                                     {"clients"},
                                                     {"memory"},
                                                     {"persistence"},
                                                     {"stats"},
                                                     {"replication"},
                                                     {"cpu"},
                                                     {"modules"},
                                                     {"commandstats"},
                                                     {"errorstats"},
                                                     {"latencystats"},
                                                     {"cluster"},
                                                     {"keyspace"},
                                                     {"nonsense"},
                                                     {"server", "CPU"},
                                                     {"cpu", "server"},
                                                     {"default", "commandstats"},
                                                     {"nonsense", "cluster"},
                                                     {"cluster", "cluster"},
                                                     {"all", "x"},
                                                     {"sentinel"}};
  for (std::vector<std::string> words : wanted) {
    words.insert(words.begin(), "INFO");
    INFO(words.back() << ", " << words.size() - 1 << " words");
    CHECK(outline(ours.ask(words)) == outline(theirs.ask(words)));
  }
  for (Client* client : {&theirs, &ours}) {
    client->ask({"SET", "k", "v"});
    client->ask({"REPLICAOF", "127.0.0.1", "1"});
  }
  CHECK(outline(ours.ask({"INFO"})) == outline(theirs.ask({"INFO"})));
}

}  // namespace picklock::test
