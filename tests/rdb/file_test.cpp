// Whole RDB files: a real server that starts from ours holds the same, and so does an emulator.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/rdb/generated_values.hpp"
#include "tests/rdb/pipeline.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dataset.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/transcript.hpp"
#include "tests/support/transcript_player.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

using namespace std::chrono_literals;

/// A day ahead of the real server, so that no key expires on its way.
Options a_day_ahead() {
  Options options;
  options.start = Instant{std::chrono::duration_cast<Duration>(
      std::chrono::system_clock::now().time_since_epoch() + 24h)};
  return options;
}

/// A file that is gone with the object.
class SavedFile {
 public:
  explicit SavedFile(const std::string& bytes) : bytes_(bytes) {
    std::string name = (std::filesystem::temp_directory_path() / "picklock-rdb-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    directory_ = name;
    if (!bytes.empty()) std::ofstream{name + "/ours.rdb", std::ios::binary} << bytes;
  }
  ~SavedFile() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  SavedFile(const SavedFile&) = delete;
  SavedFile& operator=(const SavedFile&) = delete;

  /// Settings by which a server starts from it.
  std::vector<std::string> settings() const {
    return {"dir", directory_, "dbfilename", "ours.rdb"};
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::string directory_;
};

/// The settings on which encodings depend, from one server to another.
void copy_limits(Channel& from, Channel& to) {
  const Reply limits = pipeline(from, {{"CONFIG", "GET", "*-max-listpack-*", "*-max-intset-*",
                                        "stream-node-*", "hll-*", "maxmemory-policy"}})[0];
  std::vector<std::vector<std::string>> requests;
  for (std::size_t i = 0; i + 1 < limits.elements().size(); i += 2)
    requests.push_back(
        {"CONFIG", "SET", std::string{limits[i].text()}, std::string{limits[i + 1].text()}});
  for (const Reply& reply : pipeline(to, requests)) REQUIRE(reply == replies::status("OK"));
}

/// Has `real` read what `emulator` holds, by DEBUG RELOAD, asks it `questions`, and compares it
/// with what another emulator reads from the same file.
std::vector<Reply> compare_with_reloaded(EmulatorTarget& emulator, RealRedis& real,
                                         const std::string& path,
                                         const std::vector<Words>& questions = {}) {
  const std::string file = emulator.emulator().save_rdb();
  std::ofstream{path, std::ios::binary} << file;
  EmulatorTarget again{a_day_ahead()};
  const auto ours = emulator.connect();
  const auto theirs = real.connect();
  const auto reread = again.connect();
  copy_limits(*ours, *theirs);
  copy_limits(*ours, *reread);
  pipeline(*theirs, {{"FUNCTION", "FLUSH"}});
  again.emulator().load_rdb(file);
  REQUIRE(pipeline(*theirs, {{"DEBUG", "RELOAD", "NOSAVE"}})[0] == replies::status("OK"));
  const auto digest = pipeline(*ours, {{"DEBUG", "DIGEST"}});
  CHECK(pipeline(*theirs, {{"DEBUG", "DIGEST"}}) == digest);
  CHECK(pipeline(*reread, {{"DEBUG", "DIGEST"}}) == digest);
  const auto answers = pipeline(*theirs, questions);
  CHECK(difference(dataset(*theirs), dataset(*reread)) == "");
  return answers;
}

/// A file of these keys in database 0, without a checksum.
std::string file_of(const std::string& keys) {
  return "REDIS0010" + std::string("\xfe\x00", 2) + keys + '\xff' + std::string(8, '\0');
}

std::vector<Words> generated(std::uint64_t seed, int how_many) {
  GeneratedValues values{seed};
  std::vector<Words> commands;
  for (int i = 0; i < how_many; ++i) {
    if (i % 50 == 0) commands.push_back({"SELECT", std::to_string(i / 50 % 16)});
    const std::string key = "key:" + std::to_string(i);
    for (Words& words : values.commands(key)) commands.push_back(std::move(words));
    if (i % 7 == 0) commands.push_back({"PEXPIRE", key, std::to_string(1'000'000 + 1001 * i)});
  }
  commands.push_back({"SELECT", "0"});
  return commands;
}

std::vector<Words> libraries() {
  return {{"FUNCTION", "LOAD",
           "#!lua name=one\nredis.register_function('one', function() return 1 end)"},
          {"FUNCTION", "LOAD",
           "#!lua name=two\nredis.register_function('two', function() return '" +
               std::string(500, '2') + "' end)"}};
}

}  // namespace

TEST_CASE("a real server that starts from a saved file holds the same") {
  EmulatorTarget emulator{a_day_ahead()};
  const auto ours = emulator.connect();
  pipeline(*ours, libraries());
  pipeline(*ours, generated(7, 1000));
  const SavedFile file{emulator.emulator().save_rdb()};
  RealRedis real{file.settings()};
  const auto theirs = real.connect();
  CHECK(pipeline(*theirs, {{"DEBUG", "DIGEST"}}) == pipeline(*ours, {{"DEBUG", "DIGEST"}}));
  CHECK(pipeline(*theirs, {{"FCALL", "one", "0"}})[0] == 1);
  EmulatorTarget again{a_day_ahead()};
  again.emulator().load_rdb(emulator.emulator().save_rdb());
  const auto reread = again.connect();
  const auto facts = dataset(*reread);
  CHECK(facts.size() == 1002);
  CHECK(difference(dataset(*theirs), facts) == "");
}

TEST_CASE("what any transcript leaves behind is saved as it is") {
  const SavedFile place{""};
  RealRedis real{place.settings()};
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{"transcripts"})
    if (entry.path().extension() == ".txt") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  std::size_t compared = 0;
  std::size_t keys = 0;
  for (const auto& path : paths) {
    const Transcript transcript = read_transcript(path);
    if (!transcript.options.empty() || path.find("/acl/") != std::string::npos) continue;
    EmulatorTarget emulator{a_day_ahead()};
    Player player{emulator, 2};
    for (const Step& step : transcript.steps) player.play(step);
    const auto ours = emulator.connect();
    if (pipeline(*ours, {{"DEBUG", "SET-ACTIVE-EXPIRE", "1"}})[0].is_error()) continue;  // NOAUTH.
    emulator.pass(0ms);  // Expired keys go: the digest counts them, and nobody reads them.
    INFO(path);
    ++compared;
    keys += static_cast<std::size_t>(pipeline(*ours, {{"DBSIZE"}})[0].integer());
    compare_with_reloaded(emulator, real, place.settings()[1] + "/ours.rdb");
  }
  CHECK(compared > 200);
  CHECK(keys > 500);
}

TEST_CASE("how keys were used is saved under the policies that go by it") {
  const SavedFile place{""};
  RealRedis real{place.settings()};
  for (const std::string policy : {"allkeys-lru", "volatile-lfu", "noeviction", "volatile-ttl"}) {
    EmulatorTarget emulator{a_day_ahead()};
    const auto ours = emulator.connect();
    pipeline(*ours, {{"CONFIG", "SET", "maxmemory-policy", policy}, {"SET", "old", "v"}});
    emulator.pass(300s);
    pipeline(*ours, {{"SET", "new", "v"}, {"GET", "new"}});
    const auto answers =
        compare_with_reloaded(emulator, real, place.settings()[1] + "/ours.rdb",
                              {{"OBJECT", "IDLETIME", "old"}, {"OBJECT", "FREQ", "old"}});
    INFO(policy);
    // What is not saved is new to who reads it.
    CHECK((answers[0] == 300) == (policy == "allkeys-lru"));
    CHECK((answers[1] == 0) == (policy == "volatile-lfu"));
  }
}

TEST_CASE("the file is that of a real server, but for what it says of the server") {
  EmulatorTarget emulator{a_day_ahead()};
  const SavedFile place{""};
  RealRedis real{place.settings()};
  std::vector<Words> commands{libraries()[0]};
  for (int i = 0; i < 16; ++i) {  // One key each: in which order Redis writes more is left open.
    commands.push_back({"SELECT", std::to_string(i)});
    const std::string key = "key:" + std::to_string(i);
    commands.push_back(i % 3 == 0 ? Words{"HSET", key, "f", "v", "n", "-12"}
                                  : Words{"RPUSH", key, std::string(300, 'x'), "1", "-70000"});
    if (i % 2 == 0) commands.push_back({"PEXPIREAT", key, "9999999999999"});
  }
  pipeline(*emulator.connect(), commands);
  pipeline(*real.connect(), commands);
  REQUIRE(pipeline(*real.connect(), {{"SAVE"}})[0] == replies::status("OK"));
  const auto data = [](std::string file) {
    REQUIRE(
        file.starts_with("REDIS0010\xfa\x09redis-ver\x06"
                         "7.0.15\xfa\x0aredis-bits\xc0\x40\xfa\x05"
                         "ctime\xc2"));
    file.resize(file.size() - 8);  // The checksum.
    return quote(file.substr(file.find("aof-base")));
  };
  std::ostringstream theirs;
  theirs << std::ifstream{place.settings()[1] + "/ours.rdb", std::ios::binary}.rdbuf();
  CHECK(data(emulator.emulator().save_rdb()) == data(theirs.str()));
}

TEST_CASE("settings say whether a file is compressed") {
  EmulatorTarget emulator;
  const auto ours = emulator.connect();
  pipeline(*ours, {{"SET", "k", std::string(1000, 'x')}});
  CHECK(emulator.emulator().save_rdb().size() < 300);
  pipeline(*ours, {{"CONFIG", "SET", "rdbcompression", "no"}});
  CHECK(emulator.emulator().save_rdb().size() > 1000);
}

TEST_CASE("an expired key that nobody has looked at is saved, and not read again") {
  EmulatorTarget emulator;
  const auto ours = emulator.connect();
  pipeline(*ours,
           {{"DEBUG", "SET-ACTIVE-EXPIRE", "0"}, {"SET", "k", "v", "PX", "1"}, {"SET", "l", "v"}});
  emulator.pass(5ms);
  const std::string file = emulator.emulator().save_rdb();
  CHECK(file.find("k\x01v") != std::string::npos);
  EmulatorTarget later;
  later.pass(5ms);
  CHECK(later.emulator().load_rdb(file) == 1);
}

TEST_CASE("keys without elements are skipped, as a real server skips them") {
  using namespace std::string_literals;
  const std::string ziplist = "\x0b\x0b\x00\x00\x00\x0a\x00\x00\x00\x00\x00\xff"s;
  const std::string listpack = "\x07\x07\x00\x00\x00\x00\x00\xff"s;
  const std::string deadline = "\xfc\x00\x00\x00\x00\x00\x01\x00\x00"s;
  std::string keys = deadline;
  char name = 'a';
  for (const auto& [type, value] :
       std::vector<std::pair<char, std::string>>{{1, "\0"s},
                                                 {2, "\0"s},
                                                 {3, "\0"s},
                                                 {4, "\0"s},
                                                 {5, "\0"s},
                                                 {10, ziplist},
                                                 {12, ziplist},
                                                 {13, ziplist},
                                                 {14, "\0"s},
                                                 {14, "\x01"s + ziplist},
                                                 {16, listpack},
                                                 {17, listpack},
                                                 {18, "\0"s},
                                                 {18, "\x01\x02"s + listpack}})
    keys += type + "\x01"s + name++ + value;
  const SavedFile file{file_of(keys + "\x00\x01z\x01v"s)};
  RealRedis real{file.settings()};
  const auto digest = pipeline(*real.connect(), {{"DBSIZE"}, {"DEBUG", "DIGEST"}});
  CHECK(digest[0] == 1);
  EmulatorTarget emulator;
  CHECK(emulator.emulator().load_rdb(file_of(keys + "\x00\x01z\x01v"s)) == 1);
  CHECK(pipeline(*emulator.connect(), {{"DBSIZE"}, {"DEBUG", "DIGEST"}}) == digest);
}

TEST_CASE("a file that has a key twice is refused, as by a real server") {
  const std::string key{"\x00\x01k\x01v", 5};
  EmulatorTarget emulator;
  CHECK_THROWS_WITH(emulator.emulator().load_rdb(file_of(key + key)),
                    "it has the key 'k' twice in database 0");
  CHECK(pipeline(*emulator.connect(), {{"DBSIZE"}})[0] == 0);
  CHECK(emulator.emulator().load_rdb(file_of(key + std::string("\xfe\x01", 2) + key)) == 2);
}

TEST_CASE("deadlines are read as a real server reads them") {
  using namespace std::string_literals;
  const std::string keys =
      "\xfd\xff\xff\xff\x7f\x00\x01"
      "a\x01v"s  // Seconds, the last that there are.
      "\xfd\xff\xff\xff\xff\x00\x01"
      "b\x01v"s  // A second before 1970.
      "\xfd\x00\x00\x00\x80\x00\x01"
      "c\x01v"s  // Past 2038, and so long ago.
      "\xfc\xff\xff\xff\xff\xff\xff\xff\xff\x00\x01"
      "d\x01v"s  // None.
      "\xfc\xfe\xff\xff\xff\xff\xff\xff\xff\x00\x01"
      "e\x01v"s;  // Two milliseconds before 1970.
  const SavedFile file{file_of(keys)};
  RealRedis real{file.settings()};
  std::vector<Words> look{{"DBSIZE"}};
  for (const char* key : {"a", "b", "c", "d", "e"}) look.push_back({"PEXPIRETIME", key});
  EmulatorTarget emulator;
  CHECK(emulator.emulator().load_rdb(file.bytes()) == 2);
  CHECK(pipeline(*emulator.connect(), look) == pipeline(*real.connect(), look));
}

TEST_CASE("a library that a release candidate of Redis 7.0 has saved is loaded") {
  const SavedFile file{file_of(std::string("\xf6\x03lib\x03LUA\x00\x3b", 11) +
                               "redis.register_function('one', function() return 12345 end)")};
  RealRedis real{file.settings()};
  const Words call{"FCALL", "one", "0"};
  CHECK(pipeline(*real.connect(), {call})[0] == 12345);
  EmulatorTarget emulator;
  emulator.emulator().load_rdb(file.bytes());
  CHECK(pipeline(*emulator.connect(), {call})[0] == 12345);
}

TEST_CASE("the checksum of a file is looked at unless it is turned off") {
  std::string file = file_of(std::string("\x00\x01k\x01v", 5));
  file.back() = 'x';
  EmulatorTarget emulator;
  CHECK_THROWS_WITH(emulator.emulator().load_rdb(file), "its checksum is wrong");
  pipeline(*emulator.connect(), {{"DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1"}});
  CHECK(emulator.emulator().load_rdb(file) == 1);
}

TEST_CASE("an entry that is pending for two consumers is refused, as by a real server") {
  EmulatorTarget emulator;
  RealRedis real;
  const auto ours = emulator.connect();
  const std::string payload{pipeline(*ours, {{"XADD", "s", "1-1", "f", "v"},
                                             {"XGROUP", "CREATE", "s", "g", "0"},
                                             {"XREADGROUP", "GROUP", "g", "a", "STREAMS", "s", ">"},
                                             {"XGROUP", "CREATECONSUMER", "s", "g", "b"},
                                             {"DUMP", "s"}})
                                .back()
                                .text()};
  std::string body{without_footer(payload)};
  body.back() = '\x01';  // What is pending for b.
  body += std::string("\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01", 16);
  const Words restore{"RESTORE", "t", "0", with_footer(body)};
  const Reply answer = pipeline(*ours, {restore})[0];
  CHECK(answer == replies::error("ERR Bad data format"));
  CHECK(pipeline(*real.connect(), {restore})[0] == answer);
}

TEST_CASE("the same state is saved as the same bytes, and none as an empty file") {
  const auto save = [](int keys) {
    EmulatorTarget emulator;
    const auto ours = emulator.connect();
    pipeline(*ours, generated(11, keys));
    return emulator.emulator().save_rdb();
  };
  CHECK(save(100) == save(100));
  CHECK(save(100) != save(101));
  CHECK(save(0).size() < 120);
  EmulatorTarget emulator;
  CHECK(emulator.emulator().load_rdb(save(0)) == 0);
}

}  // namespace picklock::test
