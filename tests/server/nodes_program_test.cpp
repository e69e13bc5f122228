// picklock-server with --node, --replica and --sentinel.
#include "emulator/server/command_line.hpp"
#include "tests/server/program.hpp"
#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"

using namespace picklock;
using namespace picklock::replies;
using picklock::test::Process;
using picklock::test::Program;
using picklock::test::run_to_end;
using picklock::test::server_words;
using picklock::test::Socket;
using picklock::test::Words;

namespace {

/// The port that the ready line gives to a name.
std::uint16_t port_of(const Program& program, const std::string& name) {
  const std::string text = ", " + name + " on ";
  const auto at = program.ready.find(text);
  REQUIRE(at != std::string::npos);
  return static_cast<std::uint16_t>(std::stoi(program.ready.substr(at + text.size())));
}

std::string refused(const Words& options) {
  std::vector<const char*> words{"picklock-server"};
  for (const std::string& option : options) words.push_back(option.c_str());
  const CommandLine line = parse_command_line(static_cast<int>(words.size()), words.data());
  CHECK(line.exit_code == 2);
  return line.message;
}

}  // namespace

TEST_CASE("the program says on which ports its nodes and its sentinel are") {
  Program program{{"--replica", "r1", "--node", "other", "--replica", "r2", "--sentinel", "0",
                   "--sentinel-name", "cache"}};
  Socket first = Socket::tcp(program.port);
  first.call({"SET", "k", "v"});
  CHECK(Socket::tcp(port_of(program, "r1")).call({"GET", "k"}) == "v");
  CHECK(Socket::tcp(port_of(program, "r2")).call({"GET", "k"}) == "v");
  CHECK(Socket::tcp(port_of(program, "other")).call({"GET", "k"}) == nil);
  CHECK(Socket::tcp(port_of(program, "sentinel"))
            .call({"SENTINEL", "get-master-addr-by-name", "cache"}) ==
        array("127.0.0.1", std::to_string(program.port)));
  program.process.signal(SIGTERM);
  CHECK(program.process.wait() == 0);
}

TEST_CASE("nodes without a port have those after the first one's") {
  const Words options{"--port", "7100", "--node", "a", "--replica", "b=0", "--node", "c"};
  std::vector<const char*> words{"picklock-server"};
  for (const std::string& option : options) words.push_back(option.c_str());
  const CommandLine line = parse_command_line(static_cast<int>(words.size()), words.data());
  REQUIRE(line.message.empty());
  REQUIRE(line.server.nodes.size() == 3);
  CHECK(line.server.nodes[0].name == "a");
  CHECK_FALSE(line.server.nodes[0].port);
  CHECK(line.server.nodes[1].port == 0);
  CHECK(line.server.nodes[1].is_replica);
  CHECK_FALSE(line.server.nodes[2].is_replica);
}

TEST_CASE("a node without a port has the one after the port that the last one was given") {
  std::string ready;
  std::string wanted;
  // The ports were free a moment ago: whoever takes one of them meanwhile costs another try.
  for (int i = 0; i < 10 && ready.empty(); ++i) {
    const std::uint16_t first = Program{{"--cluster-nodes", "5"}}.port;
    const auto nth = [&](int n) { return std::to_string(first + n); };
    Process program{server_words({"--port", nth(0), "--node", "a=" + nth(2), "--node", "b",
                                  "--node", "c=0", "--node", "d"})};
    ready = program.line();
    wanted = "a on " + nth(2) + ", b on " + nth(3) + ", c on [0-9]+, d on " + nth(4) + "\\)";
  }
  CHECK_THAT(ready, Catch::Matches(".*" + wanted));
}

TEST_CASE("names and ports of nodes that make no sense are refused in one line") {
  for (const Words& options :
       {Words{"--node", "default"}, Words{"--node", ""}, Words{"--node", "a b"},
        Words{"--node", "a=x"}, Words{"--replica", "a=65536"}, Words{"--node", "=1"},
        Words{"--node", "a", "--replica", "a"}, Words{"--node", "a", "--cluster"},
        Words{"--sentinel", "0", "--cluster-nodes", "3"}, Words{"--sentinel", "65536"},
        Words{"--sentinel", "0", "--sentinel-name", ""}}) {
    INFO(options.back());
    const std::string message = refused(options);
    CHECK(message.starts_with("picklock-server: "));
    CHECK(message.find('\n') == std::string::npos);
  }
  CHECK(refused({"--node", "a", "--replica", "a"}) ==
        "picklock-server: there are two nodes 'a'; see picklock-server --help");
}

TEST_CASE("a node whose port is taken keeps the program from starting") {
  Program other;
  const auto ended =
      run_to_end(server_words({"--port", "0", "--node", "a=" + std::to_string(other.port)}));
  CHECK(ended.code == 1);
  CHECK(ended.errors ==
        "picklock-server: cannot listen on 127.0.0.1:" + std::to_string(other.port) +
            ": Address already in use; choose another --port (0 picks a free "
            "one)\n");
}
