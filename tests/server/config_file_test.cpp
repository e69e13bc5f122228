// The configuration file and the options that are settings, against the real server's words.
#include <filesystem>
#include <sstream>
#include <sys/stat.h>

#include "tests/server/program.hpp"
#include "tests/server/served.hpp"
#include "tests/server/socket.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/words.hpp"

using namespace picklock;
using namespace picklock::replies;
using namespace picklock::test;

namespace {

const Words kOurs{PICKLOCK_SERVER};
const Words kReal{"redis-server"};

/// What a server answers that starts with `text` as its configuration and with `options`.
std::string answers(Words words, const std::string& text, const Words& options,
                    const std::vector<Words>& questions) {
  const TemporaryDirectory directory;
  const std::string socket = directory.file("s.sock");
  words.push_back(directory.write("redis.conf", "port 0\nunixsocket " + socket + "\n" + text));
  words.insert(words.end(), options.begin(), options.end());
  Served server(words, socket);
  std::string all;
  for (const Words& question : questions) {
    server.client->send(encode_request(question));
    all += server.client->reply().to_string() + "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("a mistake in the configuration file is quoted as Redis quotes it") {
  const TemporaryDirectory directory;
  const std::string text = GENERATE(values<std::string>({
      "bogus 1",
      "\n# comment\n\n  maxclients abc  ",
      "maxclients",
      "maxclients 0",
      "timeout 1 2",
      "save 1",
      "client-output-buffer-limit normal 0 0",
      "client-output-buffer-limit foo 0 0 0",
      "port 99999",
      "appendonly maybe",
      "requirepass \"abc",
      "requirepass a b",
      "user alice on nopass\nuser alice on",
      "user bob on bad",
      "user",
      "maxmemory 1zb",
      "maxmemory-policy foo",
      "notify-keyspace-events Qz",
      "unixsocketperm 999",
      "databases 0",
      "enable-debug-command foo",
      "io-threads 0",
      "oom-score-adj-values 1",
      "proto-max-bulk-len 5",
      "loglevel x",
      "aclfile a b",
      "dbfilename a/b",
      "daemonize maybe",
      "activedefrag yes",
      "replicaof host",
      "replicaof host x",
      "slaveof host 65536",
      "replicaof \"host 65536\"",
      "replicaof \"a b c\"",
      "supervised foo",
      "syslog-facility local8",
      "unixsocketperm 1777",
      "appendfilename a/b",
      "appenddirname a/b",
      "appendfilename \"\"",
      "appenddirname \"\"",
      "dir /none/there",
      "lua-replicate-commands",
      "include",
  }));
  const std::string path = directory.write("redis.conf", text + "\n");
  const Ended real = run_to_end({"redis-server", path, "--port", "0"});
  REQUIRE(real.code == 1);
  const Ended ours = run_to_end(server_words({path}));
  CHECK(ours.errors == real.errors);
  CHECK(ours.output.empty());
  CHECK(ours.code == 2);
}

TEST_CASE("an option that is a setting is quoted in the same way") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("redis.conf", "timeout 5");
  const Words options{"--hz", "x"};
  const Ended real = run_to_end({"redis-server", path, "--hz", "x"});
  const Ended ours = run_to_end(server_words({path, "--hz", "x"}));
  CHECK_THAT(ours.errors, Catch::Contains(">>> 'hz \"x\"'\nargument couldn't be parsed into an "
                                          "integer\n"));
  CHECK(ours.errors == real.errors);
}

TEST_CASE("a primary that the configuration names is followed") {
  const TemporaryDirectory directory;
  const Program primary;
  CHECK(primary.cli({"SET", "k", "v"}) == "OK\n");
  const std::string where = "replicaof 127.0.0.1 " + std::to_string(primary.port);
  const Program replica{{directory.write("redis.conf", where + "\n")}};
  CHECK(primary.cli({"WAIT", "1", "10000"}) == "1\n");
  CHECK(replica.cli({"GET", "k"}) == "v\n");
  CHECK(replica.cli({"CONFIG", "REWRITE"}) == "OK\n");
  const auto file = [&] {
    std::ifstream stream(directory.file("redis.conf"));
    return std::string(std::istreambuf_iterator<char>{stream}, {});
  };
  CHECK_THAT(file(), Catch::Contains(where + "\n"));
  CHECK(replica.cli({"REPLICAOF", "NO", "ONE"}) == "OK\n");
  CHECK(replica.cli({"CONFIG", "REWRITE"}) == "OK\n");
  CHECK_THAT(file(), !Catch::Contains("replicaof"));
}

TEST_CASE("what the emulator does not have is refused rather than ignored") {
  const TemporaryDirectory directory;
  const std::string text = GENERATE(
      values<std::string>({"loadmodule /x.so", "rename-command GET \"\"", "daemonize yes"}));
  const Ended ended = run_to_end(server_words({directory.write("redis.conf", text)}));
  CHECK(ended.code == 2);
  CHECK_THAT(ended.errors, Catch::Contains("at line 1\n>>> '" + text + "'\npicklock-server "));
}

TEST_CASE("files that cannot be read are named in one line") {
  const TemporaryDirectory directory;
  const Ended none = run_to_end(server_words({"/none/redis.conf"}));
  CHECK(none.code == 2);
  CHECK(
      none.errors ==
      "picklock-server: can't open config file '/none/redis.conf': No such file or directory; see "
      "picklock-server --help\n");
  CHECK_THAT(run_to_end(server_words({directory.path})).errors,
             Catch::Contains("it is no regular file"));
  const std::string includes = directory.write("a.conf", "include /none/b.conf\n");
  CHECK_THAT(run_to_end(server_words({includes})).errors,
             Catch::Contains("can't open config file '/none/b.conf': No such file or directory"));
  const std::string loop = directory.write("loop.conf", "include " + directory.file("loop.conf"));
  CHECK(run_to_end(server_words({loop})).code == 2);
  CHECK_THAT(run_to_end(server_words({directory.write("c.conf", "port 0\n")})).errors,
             Catch::Contains("there is nothing to listen on"));
}

TEST_CASE("settings of the file take effect, and options win") {
  const TemporaryDirectory directory;
  directory.write("more.conf", "hz 50\nSAVE 60 1\nsave 300 10\n");
  const std::string path =
      directory.write("redis.conf",
                      "# a comment\nsave\nclient-output-buffer-limit\n"
                      "maxclients 7\r\n\nclient-output-buffer-limit pubsub 1mb 1mb 5\n"
                      "requirepass \"a b\"\ndatabases 3\nlist-max-ziplist-size 5\n"
                      "user alice on >secret ~* +@all\ninclude " +
                          directory.file("more.conf") + "\n");
  Program program({path, "--hz", "60", "--notify-keyspace-events", "KEA"});
  Socket client = Socket::tcp(program.port);
  CHECK(client.call({"PING"}) == error("NOAUTH Authentication required."));
  CHECK(client.call({"AUTH", "a b"}) == status("OK"));
  const auto setting = [&](const char* name) { return client.call({"CONFIG", "GET", name})[1]; };
  CHECK(setting("maxclients") == "7");
  CHECK(setting("hz") == "60");
  CHECK(setting("save") == "60 1 300 10");
  CHECK(setting("databases") == "3");
  CHECK(setting("list-max-listpack-size") == "5");
  CHECK(setting("notify-keyspace-events") == "AKE");
  CHECK(setting("port") == std::to_string(program.port));
  CHECK(setting("client-output-buffer-limit") ==
        "normal 0 0 0 slave 268435456 67108864 60 pubsub 1048576 1048576 5");
  CHECK(client.call({"SELECT", "3"}).is_error());
  CHECK(client.call({"AUTH", "alice", "secret"}) == status("OK"));
}

TEST_CASE("what redis.conf may say is taken as by Redis") {
  const TemporaryDirectory directory;
  directory.write("a.part", "timeout 5\nhz 33\n");
  directory.write("b.part", "timeout 7\n");
  std::filesystem::create_directory(directory.file("sub"));
  directory.write("sub/c.conf", "timeout 9\n");
  std::filesystem::create_directory(directory.file("many"));
  std::filesystem::create_directory(directory.file("many/folder"));
  for (int i = 1; i <= 20; ++i)
    directory.write("many/" + std::to_string(i), "timeout " + std::to_string(i) + "\n");
  std::string text = GENERATE(values<std::string>({
      "include HERE/*.part\n",
      "include HERE/*.none\ntimeout 3\n",
      "include HERE/many/*\ninclude /dev/null\n",
      "dir HERE\ninclude sub/c.conf\n",
      "dir HERE/sub/../sub\ninclude c.conf\n",
      "list-max-ziplist-entries 512\nlist-max-ziplist-value 64\nlua-replicate-commands yes\n",
      "supervised AUTO\nsyslog-facility Local3\n",
      "unixsocketperm 0700\n",
      "unixsocketperm \"\"\n",
      "replicaof \"127.0.0.1 1\"\n",
      "replicaof \"127.0.0.1\\t 1 \"\n",
      "slaveof \"NO ONE\"\n",
  }));
  const std::vector<Words> questions{
      {"CONFIG", "GET", "timeout"},        {"CONFIG", "GET", "hz"},
      {"CONFIG", "GET", "supervised"},     {"CONFIG", "GET", "syslog-facility"},
      {"CONFIG", "GET", "unixsocketperm"}, {"CONFIG", "GET", "replicaof"}};
  INFO(text);
  if (const auto at = text.find("HERE"); at != std::string::npos)
    text.replace(at, 4, directory.path);
  CHECK(answers(kOurs, text, {}, questions) == answers(kReal, text, {}, questions));
  if (text.starts_with("dir ")) {
    const std::vector<Words> where{{"CONFIG", "GET", "dir"}};
    CHECK(answers(kOurs, text, {}, where) == answers(kReal, text, {}, where));
  }
}

TEST_CASE("what redis.conf may say is taken as options, too") {
  const TemporaryDirectory directory;
  const std::string part = directory.write("part.conf", "timeout 5\n");
  Words options = GENERATE(values<Words>({
      {"--save"},
      {"--save", "--timeout", "6"},
      {"--SAVE", "60", "1", "--TimeOut", "6"},
      {"--include", ""},
      {"--user", "alice", "on", ">secret", "~*", "+@all"},
      {"--replicaof", "127.0.0.1 1"},
      {"--list-max-ziplist-value", "5", "--DATABASES", "3", "--RequirePass", ""},
  }));
  const std::vector<Words> questions{{"CONFIG", "GET", "timeout"},
                                     {"CONFIG", "GET", "save"},
                                     {"CONFIG", "GET", "replicaof"},
                                     {"ACL", "LIST"}};
  INFO(options[0]);
  if (options[0] == "--include") options[1] = part;
  const std::string file = "save 7 7\n";
  CHECK(answers(kOurs, file, options, questions) == answers(kReal, file, options, questions));
  CHECK_THAT(run_to_end(server_words({"--loadmodule", "/x.so"})).errors,
             Catch::Contains("picklock-server has no modules"));
}

TEST_CASE("users of the configuration have what their lines say, the default one too") {
  const std::string text = GENERATE(values<std::string>({
      "user alice on nopass (+get ~x*) ( +set  %W~y )\n",
      "user default on nopass +acl ~x*\n",
      "requirepass old\nuser default on nopass +acl ~*\n",
      "user default on nopass +@all\nrequirepass old\n",
      "user default reset\nuser alice on nopass +@all\n",
  }));
  const std::vector<Words> questions{{"ACL", "LIST"},          {"GET", "y"},  {"AUTH", "old"},
                                     {"AUTH", "alice", "any"}, {"GET", "x1"}, {"ACL", "LIST"}};
  INFO(text);
  CHECK(answers(kOurs, text, {}, questions) == answers(kReal, text, {}, questions));
  const TemporaryDirectory directory;
  const std::string spaces = directory.write("redis.conf", "user \"a b\" on\n");
  CHECK_THAT(run_to_end(server_words({spaces})).errors,
             Catch::Contains("Spaces not allowed in ACL usernames"));
}

TEST_CASE("an ACL file holds selectors, and a default user if it says so, as on Redis") {
  const TemporaryDirectory directory;
  const std::string lines = GENERATE(values<std::string>({
      "user default on nopass ~* &* +@all\nuser alice on nopass (+get ~x*) ( +set  %W~y )\n",
      "user alice on nopass\n",
  }));
  const std::string text = "dir " + directory.path + "\naclfile users.acl\nrequirepass old\n";
  const std::vector<Words> questions{
      {"ACL", "LIST"}, {"ACL", "SETUSER", "bob", "on", ">secret", "(+get ~x*)", "(+@list ~y &z)"},
      {"ACL", "SAVE"}, {"ACL", "SETUSER", "default", "-flushall"},
      {"ACL", "LOAD"}, {"ACL", "LIST"}};
  const auto with = [&](const Words& program) {
    directory.write("users.acl", lines);
    const std::string said = answers(program, text, {}, questions);
    std::ostringstream file;
    file << std::ifstream(directory.file("users.acl")).rdbuf();
    return said + file.str();
  };
  CHECK(with(kOurs) == with(kReal));
  directory.write("users.acl", "user alice on (+get ~x\n");
  CHECK_THAT(run_to_end(server_words({"--aclfile", directory.file("users.acl")})).errors,
             Catch::Contains(":1: Unmatched parenthesis in acl selector starting at '(+get'. "));
}

TEST_CASE("a Unix socket has the permissions that the configuration gives it") {
  const TemporaryDirectory directory;
  for (const unsigned wanted : {0700U, 0777U}) {
    const std::string path = directory.file(wanted == 0700 ? "few" : "all");
    const Served server(
        server_words({"--unixsocket", path, "--unixsocketperm", wanted == 0700 ? "700" : "777"}),
        path);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == wanted);
  }
}

TEST_CASE("users of an ACL file are loaded, saved and loaded again") {
  const TemporaryDirectory directory;
  const std::string path =
      directory.write("users.acl", "user alice on >secret ~* &* +@all\n\nuser bob off\n");
  Program program({"--aclfile", path});
  Socket alice = Socket::tcp(program.port);
  CHECK(alice.call({"AUTH", "alice", "secret"}) == status("OK"));
  Socket other = Socket::tcp(program.port);
  CHECK(other.call({"ACL", "SETUSER", "carol", "on", "nopass"}) == status("OK"));
  CHECK(other.call({"ACL", "SAVE"}) == status("OK"));
  std::ostringstream saved;
  saved << std::ifstream(path).rdbuf();
  CHECK_THAT(saved.str(), Catch::Contains("user carol on nopass resetchannels -@all\n"));
  directory.write("users.acl", "user alice on >secret ~* &* +@all\n");
  CHECK(other.call({"ACL", "LOAD"}) == status("OK"));
  CHECK(alice.ended());  // As on Redis 7.0: its user is another one now.
  CHECK(other.call({"ACL", "USERS"}) == array("alice", "default"));
}

TEST_CASE("an ACL file with mistakes is told in the words of Redis") {
  const TemporaryDirectory directory;
  const std::string path = directory.write(
      "users.acl", "user a on\nuser a off\nuser x bad\nnouser a\n  # c\nuser q +nosuch\nuser\n");
  const Ended real = run_to_end(
      {"redis-server", "--port", "0", "--unixsocket", directory.file("s.sock"), "--aclfile", path});
  const Ended ours = run_to_end(server_words({"--aclfile", path}));
  CHECK(ours.code == 2);
  const std::string said = ours.errors.substr(ours.errors.find(": ") + 2);
  CHECK_THAT(said, Catch::StartsWith("WARNING: Duplicate user 'a' found on line 2. "));
  CHECK_THAT(real.output, Catch::Contains("because of ACL errors: " + said));
  CHECK_THAT(run_to_end(server_words({"--aclfile", "/none.acl"})).errors,
             Catch::Contains("Error loading ACLs, opening file '/none.acl': No such file"));
}

TEST_CASE("an ACL file that cannot be written is told in the words of Redis") {
  const TemporaryDirectory directory;
  const auto failure = [&](const std::string& name, Words words) {
    const std::string folder = directory.file(name);
    std::filesystem::create_directory(folder);
    const std::string socket = directory.file(name + ".sock");
    words.insert(words.end(),
                 {"--unixsocket", socket, "--aclfile",
                  directory.write(name + "/users.acl", "user default on nopass +@all\n")});
    Served server(words, socket);
    std::filesystem::remove_all(folder);
    return server.client->call({"ACL", "SAVE"});
  };
  const Reply ours = failure("ours", {PICKLOCK_SERVER});
  CHECK(ours == failure("real", {"redis-server", "--port", "0", "--save", ""}));
  CHECK(ours ==
        error("ERR There was an error trying to save the ACLs. Please check the server logs "
              "for more information"));
}
