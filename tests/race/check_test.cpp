// `picklock-fuzz check`: locks as Lua tables. Every example has its verdict; every bad file gets
// one line.
#include "fuzz/check/check.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuzz/check/check_file.hpp"
#include "tests/race/run_words.hpp"
#include "tests/support/catch.hpp"

using namespace picklock::race;

namespace {

Outcome check_example(const std::string& name, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"check", "../fuzz/examples/" + name + ".lua"});
  if (std::find(more.begin(), more.end(), "--schedules") == more.end())
    more.insert(more.end(), {"--schedules", "1000"});
  return run(more);
}

/// A check file of its own for each text, which goes with the object.
class File {
 public:
  explicit File(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / "picklock-check-test.lua") {
    std::ofstream{path_, std::ios::binary} << text;
  }
  ~File() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Outcome check_text(const std::string& text, std::vector<std::string> more = {}) {
  const File file{text};
  more.insert(more.begin(), {"check", file.path(), "--schedules", "300"});
  return run(more);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kGoodAcquire =
    "acquire = {command = {'SET', '$key', '$token', 'NX', 'PX', '$ttl_ms'}, success = 'OK'},";
constexpr const char* kGoodRelease =
    "release = {script = [[if redis.call('GET', KEYS[1]) == ARGV[1] then "
    "return redis.call('DEL', KEYS[1]) end return 0]], keys = {'$key'}, args = {'$token'}, "
    "success = 1},";

std::string sound(const std::string& more = "") {
  return std::string{"return {"} + kGoodAcquire + kGoodRelease + more + "}";
}

}  // namespace

TEST_CASE("every example has the verdict that its comment promises") {
  struct Example {
    std::string name;
    int exit_code;
    std::string says;
  };
  const std::vector<Example> examples{
      {"del-without-check", 1, "violation (ownership)"},
      {"get-then-del", 1, "violation (ownership)"},
      {"reentrant-hash", 1, "0, -1, \"\", nan, none is success, but a crash"},
      {"reentrant-hash-resent", 1, "violation (belief)"},
      {"reentrant-hget", 1, "0, -1 is success, but nothing is there"},
      {"reentrant-renew", 1, "0, -1 is success, but nothing is there"},
      {"reentrant-renew-client", 1, "0, -1 is success, but nothing is there"},
      {"set-nx-px", 0, "documented limit"},
      {"set-nx-px-script", 0, "documented limit"},
      {"setex-unpack", 0, "documented limit"},
      {"setex-unpack-client", 1, "asks for 1000 ms and the server keeps the lock for 1000000 ms"},
      {"setnx-then-expire", 1, "violation (no key without TTL)"},
      {"simple-setnx", 1, "0.5, inf, 1e17, 9223372036854775807 is no success, but leaves"},
      {"timestamp-getset", 0, "holds"},
      {"typo-release", 3, "user_script:2: 'then' expected near '\\xe5'"},
      {"watchdog", 0, "documented limit"},
  };
  for (const Example& example : examples) {
    const Outcome outcome = check_example(example.name);
    INFO(example.name << "\n" << outcome.out << outcome.err);
    CHECK(outcome.exit_code == example.exit_code);
    CHECK(contains(outcome.out, example.says));
    CHECK(outcome.err.empty());
  }
  const std::filesystem::directory_iterator files{"../fuzz/examples"};
  const auto is_check = [](const auto& entry) { return entry.path().extension() == ".lua"; };
  CHECK(std::count_if(begin(files), end(files), is_check) ==
        static_cast<std::ptrdiff_t>(examples.size()));
}

namespace {

/// `acquire` waits in the script, where nobody can free what it waits for.
std::string waiting(const std::string& more = "") {
  return std::string{
             "return {acquire = {script = [[while redis.call('EXISTS', KEYS[1]) == 1 do "
             "end return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])]], "
             "keys = {'$key'}, args = {'$token', '$ttl_ms'}, success = 'OK'},"} +
         kGoodRelease + more + "}";
}

}  // namespace

TEST_CASE("a script that waits in a loop is told as that, and ends") {
  const Outcome outcome = check_text(waiting("arguments = false"));
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit_code == 3);
  CHECK(contains(outcome.out,
                 "acquire answered nothing: its script was stopped after 50000000 "
                 "instructions; a script that waits in a loop waits for ever"));
  CHECK(contains(outcome.out, "error: script ran too long"));
  CHECK_FALSE(contains(outcome.out, "SCRIPT KILL"));
#ifndef __SANITIZE_ADDRESS__  // There it takes three quarters of a minute.
  const Outcome again = check_text(waiting("arguments = false"));
  CHECK(again.out == outcome.out);
#endif
  const Outcome deep = check_text(waiting("depth = 2"));
  INFO(deep.out);
  CHECK(deep.exit_code == 3);
  CHECK(contains(deep.out, "acquire by its holder answers nothing: its script was stopped"));
  CHECK_FALSE(contains(deep.out, "but success is"));
}

TEST_CASE("a lock by the clients' clocks holds until the clocks differ") {
  CHECK(check_example("timestamp-getset", {"--faults", "none"}).exit_code == 0);
  const Outcome outcome = check_example("timestamp-getset", {"--faults", "client-clock"});
  INFO(outcome.out);
  CHECK(outcome.exit_code == 1);
}

TEST_CASE("a failure is shown again by its string and its file, byte for byte") {
  for (const char* name : {"get-then-del", "reentrant-hash-resent"}) {
    const Outcome found = check_example(name, {"--clients", "3", "--rounds", "2"});
    REQUIRE(found.exit_code == 1);
    const std::string string = found.out.substr(found.out.rfind(' ') + 1);
    const std::string file = std::string{"../fuzz/examples/"} + name + ".lua";
    const Outcome again = run({"replay", "--check", file, string.substr(0, string.size() - 1)});
    CHECK(again.exit_code == 1);
    CHECK(again.out.substr(again.out.find("\n\n")) == found.out.substr(found.out.find("\n\n")));
    CHECK(run({"replay", "--check", "../fuzz/examples/watchdog.lua",
               string.substr(0, string.size() - 1)})
              .exit_code == 2);
  }
}

TEST_CASE("the line that replays a failure can be given to a shell, whatever the file is called") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "picklock-check";
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "bob's $(lock).lua").string();
  std::filesystem::copy_file("../fuzz/examples/get-then-del.lua", file,
                             std::filesystem::copy_options::overwrite_existing);
  const Outcome found = run({"check", file});
  REQUIRE(found.exit_code == 1);
  CHECK(contains(found.out, "\nreplay: picklock-fuzz replay --check '" + folder.string() +
                                "/bob'\\''s $(lock).lua' pl2.bob-s---lock-."));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a string is not an integer: a lock whose success never comes is unusable") {
  const Outcome outcome = check_text(
      "return {acquire = {script = \"redis.call('SET', KEYS[1], ARGV[1]) return '1'\", "
      "keys = {'$key'}, args = {'$token'}, success = 1}," +
      std::string{kGoodRelease} + "}");
  CHECK(outcome.exit_code == 3);
  CHECK(contains(outcome.out,
                 "acquire of a free lock answers \"1\" (a string), but success is 1 (an integer)"));
}

TEST_CASE("what the file says, the command line may override") {
  const auto json = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--json", "-"});
    return nlohmann::json::parse(
        check_text(sound("clients = 3, rounds = 2, ttl_ms = 700, faults = 'crash:2',"), more).out);
  };
  const auto as_written = json({});
  CHECK(as_written["clients"] == 3);
  CHECK(as_written["rounds"] == 2);
  CHECK(as_written["ttl_ms"] == 700);
  CHECK(as_written["faults"]["crash"] == 2);
  CHECK(as_written["faults"]["pause"] == 0);
  CHECK(as_written["max_delay_ms"] == 0);
  CHECK(as_written["verdict"] == "holds");
  const auto overridden = json({"--clients", "2", "--rounds", "1", "--ttl-ms", "50", "--faults",
                                "pause,delay", "--seed", "9"});
  CHECK(overridden["clients"] == 2);
  CHECK(overridden["rounds"] == 1);
  CHECK(overridden["ttl_ms"] == 50);
  CHECK(overridden["faults"]["crash"] == 0);
  CHECK(overridden["seed"] == 9);
  CHECK(overridden["verdict"] == "documented limit");
}

TEST_CASE("a lock that its holder cannot free is broken, and one that blocks unusable") {
  const Outcome stays =
      check_text(std::string{"return {"} + kGoodAcquire + "release = {command = {'GET', '$key'}}}");
  CHECK(stays.exit_code == 1);
  CHECK(contains(stays.out, "and leaves the lock"));
  CHECK(check_text(std::string{"return {"} + kGoodAcquire +
                   "release = {command = {'BLPOP', 'queue', '0'}}}")
            .exit_code == 3);
}

TEST_CASE("who says QUIT goes on with another connection, in the trial too") {
  const Outcome outcome = check_text(std::string{"return {"} + kGoodAcquire + R"(release = {
      {command = {'QUIT'}, success = 'OK'},
      {command = {'DEL', '$key'}, success = 1}}, clients = 1, faults = 'none'})");
  INFO(outcome.out);
  CHECK(outcome.exit_code != 3);
}

TEST_CASE("a lock that is freed by a transaction is tried on one connection") {
  const Outcome outcome = check_text(std::string{"return {"} + kGoodAcquire + R"(release = {
      {command = {'WATCH', '$key'}, success = 'OK'},
      {command = {'GET', '$key'}, success = '$token'},
      {command = {'MULTI'}, success = 'OK'},
      {command = {'DEL', '$key'}, success = 'QUEUED'},
      {command = {'EXEC'}, success = true}}, faults = 'delay'})");
  INFO(outcome.out);
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, ": holds\n"));
}

TEST_CASE("a release may send what the acquisition was answered, in the trial too") {
  const std::string text = R"(return {
    acquire = {script = [[local id = ARGV[1] .. redis.call('INCR', KEYS[1] .. ':ids')
      if redis.call('SET', KEYS[1], id, 'NX', 'PX', ARGV[2]) then return id end
      return false]], keys = {'$key'}, args = {'$client', '$ttl_ms'}, success = true},
    release = {script = [[if redis.call('GET', KEYS[1]) == ARGV[1] then
      return redis.call('DEL', KEYS[1]) end return 0]], keys = {'$key'}, args = {'$heard'},
      success = 1},
    arguments = false})";
  const Outcome outcome = check_text(text);
  INFO(outcome.out);
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("a script's file is looked for beside the check file, or where its whole path says") {
  const auto folder = std::filesystem::temp_directory_path() / "picklock-check-scripts";
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "free.lua"}
      << "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end "
         "return 0";
  for (const std::string& path :
       {(folder / "free.lua").string(), std::string{"picklock-check-scripts/free.lua"}}) {
    const Outcome outcome =
        check_text(std::string{"return {"} + kGoodAcquire + "release = {file = '" + path +
                   "', keys = {'$key'}, args = {'$token'}, success = 1}}");
    INFO(path << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit_code == 0);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a bad check file is one line that says what to do, and exit 2") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"return {", ":1: unexpected symbol near '<eof>'"},
      {"return {\n  acquire = = {},\n}", ":2: unexpected symbol near '='"},
      {"return 7", "it returns no table: begin with `return {`"},
      {"local x = nil\nreturn x.y", ":2: attempt to index local 'x' (a nil value)"},
      {"while true do end", "this file does not end"},
      {"return ('x'):rep(1e9)", "not enough memory"},
      {"return {io.open('/etc/passwd')}", "attempt to index global 'io' (a nil value)"},
      {"return {os.time()}", "attempt to index global 'os' (a nil value)"},
      {"\x1bLua", "this is compiled Lua: give the source"},
      {"error({})", "an error that is no text"},
      {"local t = {} for i = 1, 1000 do t[i] = t end return t",
       "its table is too large, or stands in itself"},
      {"local t, s = {}, ('x'):rep(2e7) for i = 1, 9 do t[i] = s end return t",
       "its table is too large, or stands in itself"},
      {"local t = {} for i = 1, 9 do t[('k'):rep(1e6) .. i] = t end return t",
       "its table is too large, or stands in itself"},
      {"error('\xff\\n')", "\\xff\\x0a"},
      {std::string{"return {"} + kGoodRelease + "}",
       "acquire: there is no script: give script, file or command"},
      {std::string{"return {"} + kGoodAcquire + "}",
       "release: there is no script: give script, file or command"},
      {std::string{"return {acquire = {success = 1},"} + kGoodRelease + "}",
       "acquire: there is no script: give script, file or command"},
      {std::string{"return {acquire = {file = 'no-such.lua', success = 1},"} + kGoodRelease + "}",
       "acquire: file: "},
      {std::string{"return {acquire = {command = {'SET', '$lock', 'x'}, success = 'OK'},"} +
           kGoodRelease + "}",
       "acquire: command: '$lock' is no placeholder: take $key, $token, $client, $ttl_ms, $ttl_s, "
       "$until_ms, $heard, or $$ for a dollar"},
      {std::string{"return {acquire = {command = {'SET', '$key', '$Token'}, success = 'OK'},"} +
           kGoodRelease + "}",
       "acquire: command: '$Token' is no placeholder: take $key, $token,"},
      {std::string{"return {acquire = {{command = {'SETNX', '$key', '1'}, success = 1}, "
                   "success = 1},"} +
           kGoodRelease + "}",
       "acquire: 'success' stands beside a list of requests: put it into the one that it is for"},
      {std::string{"return {acquire = {command = {'SET', '$key', token = '$token'}, "
                   "success = 'OK'},"} +
           kGoodRelease + "}",
       "acquire: command: 'token' has no place in a list: give the values alone, in order"},
      {sound("extend = {command = {'PING'}, success = {'PONG', pong = 1}}"),
       "extend: success: 'pong' has no place in a list: give the values alone, in order"},
      {std::string{"return {acquire = {command = {'SETNX', '$key', '$token'}},"} + kGoodRelease +
           "}",
       "acquire: there is no success rule: say which reply means success, as success = 1"},
      {sound("clients = 0"), "clients must be a whole number from 2 to 8"},
      {sound("clients = 1e9"), "clients must be a whole number from 2 to 8"},
      {sound("rounds = 0"), "rounds must be a whole number from 1 to 100"},
      {sound("rounds = 1e9"), "rounds must be a whole number from 1 to 100"},
      {sound("depth = 1e9"), "depth must be a whole number from 1 to 8"},
      {sound("ttl_ms = 0"), "ttl_ms must be a whole number from 1 to 100000000"},
      {sound("ttl_ms = 0/0"), "ttl_ms must be a whole number from 1 to 100000000"},
      {sound("ttl_ms = 'soon'"), "ttl_ms must be a whole number from 1 to 100000000"},
      {sound("faults = 'gremlins'"), "faults: 'gremlins' is no fault: take a list of"},
      {sound("watchdog = true"), "watchdog = true wants an extend"},
      {sound("retry = 3"), "retry must be true or false"},
      {sound("lock = 'x'"), "'lock' is no field here: take acquire, release, extend,"},
      {sound("extend = {command = {}, success = 1}"), "extend: command must not be empty"},
      {sound("extend = {command = {'PING'}, success = {{}}}"), "extend: success must be"},
      {sound("extend = 'PING'"), "extend: this must be a table, as in fuzz/examples"},
  };
  for (const auto& [text, says] : cases) {
    const Outcome outcome = check_text(text);
    INFO(text << "\n" << outcome.out << outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.starts_with("picklock-fuzz: "));
    CHECK(contains(outcome.err, says));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("bad words for check are one line, and exit 2") {
  const File file{sound()};
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"check"},
           {"check", "/no/such/file.lua"},
           {"check", "/tmp"},
           {"check", "/dev/zero"},
           {"check", file.path(), "--clients", "0"},
           {"check", file.path(), "--clients", "1000000000"},
           {"check", file.path(), "--rounds", "0"},
           {"check", file.path(), "--schedules", "0"},
           {"check", file.path(), "--ttl-ms", "0"},
           {"check", file.path(), "--faults", "gremlins"},
           {"check", file.path(), "--json", "/no/such/folder/report.json"},
           {"replay", "--check", file.path(), "nonsense"},
           {"replay", "--check", "/no/such/file.lua", "pl2.x.AAAA"}}) {
    const Outcome outcome = run(words);
    INFO(words.back() << ": " << outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}
