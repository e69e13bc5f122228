// All that a primary holds and does is at its replica, whichever of both is a real redis-server.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "tests/rdb/generated_values.hpp"
#include "tests/replicas/servers.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dataset.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/transcript.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

std::string bytes_of(const std::vector<Words>& requests) {
  std::string bytes;
  for (const Words& words : requests) bytes += encode_request(words);
  return bytes;
}

/// Values of every type and encoding in three databases, some with deadlines far ahead, and
/// functions.
std::vector<Words> all_kinds(std::size_t count) {
  GeneratedValues values{11};
  std::vector<Words> requests{
      {"FUNCTION", "LOAD",
       "#!lua name=one\nredis.register_function('one', function() return 1 end)"},
      {"FUNCTION", "LOAD",
       "#!lua name=two\nredis.register_function('two', function(k) return redis.call('incr', k[1]) "
       "end)"}};
  for (std::size_t i = 0; i < count; ++i) {
    if (i % (count / 3 + 1) == 0)
      requests.push_back({"SELECT", std::to_string(i / (count / 3 + 1) * 7)});
    const std::string key = "value:" + std::to_string(i);
    for (Words& words : values.commands(key)) requests.push_back(std::move(words));
    if (i % 4 == 0) requests.push_back({"PEXPIRE", key, std::to_string(3'600'000 + 1000 * i)});
  }
  requests.push_back({"SELECT", "0"});
  return requests;
}

/// Effects that are not what the request was.
std::vector<Words> scripts() {
  std::vector<Words> requests;
  for (int i = 0; i < 40; ++i) {
    const std::string key = "script:" + std::to_string(i % 7);
    requests.push_back({"EVAL",
                        "redis.call('sadd', KEYS[1], unpack(ARGV)) redis.call('spop', KEYS[1]) "
                        "local t = redis.call('time') redis.call('set', KEYS[2], t[1] .. "
                        "math.random(), 'ex', 5000)",
                        "2", key, key + ":at", "a", "b", std::to_string(i)});
    requests.push_back({"MULTI"});
    requests.push_back({"INCR", "n"});
    requests.push_back({"SELECT", std::to_string(i % 3)});
    requests.push_back({"RPUSH", "list", std::to_string(i), "x"});
    requests.push_back({"EXEC"});
    requests.push_back({"SELECT", "0"});
    requests.push_back({"FCALL", "two", "1", "counted"});
    requests.push_back({"INCRBYFLOAT", "float", "0.123"});
    requests.push_back({"SETEX", "soon:" + std::to_string(i), "4000", "v"});
    requests.push_back({"GETEX", "soon:" + std::to_string(i), "EX", "5000"});
    requests.push_back({"XADD", "stream", "*", "f", std::to_string(i)});
    requests.push_back({"PFADD", "hll", std::to_string(i)});
    requests.push_back({"SETRANGE", "range", std::to_string(i * 3), "abc"});
  }
  requests.push_back({"FUNCTION", "DELETE", "one"});
  requests.push_back(
      {"FUNCTION", "LOAD",
       "#!lua name=three\nredis.register_function('three', function() return 3 end)"});
  requests.push_back({"SWAPDB", "1", "2"});
  requests.push_back({"COPY", "stream", "stream:copy"});
  return requests;
}

/// Whether a request would wait, end its connection, or change the server under test.
bool is_out_of_place(const Words& words) {
  std::string name = words.empty() ? "" : words[0];
  std::ranges::transform(name, name.begin(),
                         [](char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* other :
       {"client",   "config",   "debug",  "shutdown", "replicaof", "slaveof",    "sync",
        "psync",    "replconf", "quit",   "reset",    "subscribe", "psubscribe", "ssubscribe",
        "monitor",  "hello",    "auth",   "acl",      "failover",  "save",       "bgsave",
        "wait",     "picklock", "blpop",  "brpop",    "blmove",    "brpoplpush", "bzpopmin",
        "bzpopmax", "blmpop",   "bzmpop", "migrate",  "lastsave",  "cluster",    "script",
        "flushall", "flushdb"})
    if (name == other) return true;
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "BLOCK" || word == "block" || word.find("while ") != std::string::npos;
  });
}

/// The requests of a transcript, each as it stands there.
std::vector<Words> requests_of(const Transcript& transcript) {
  std::vector<Words> requests;
  for (const Step& step : transcript.steps) {
    if (step.kind != Step::Kind::command || !step.client.empty() || !step.script.empty()) continue;
    auto words = split_words(step.words);
    if (!words || is_out_of_place(*words)) continue;
    for (std::string& word : *words) expand_repetition(word);
    requests.push_back(*std::move(words));
  }
  requests.push_back({"DISCARD"});
  requests.push_back({"UNWATCH"});
  requests.push_back({"SELECT", "0"});
  return requests;
}

/// What transcripts of the groups that change keys ask for.
std::size_t play_transcripts(Channel& channel) {
  std::size_t count = 0;
  for (const char* group :
       {"strings", "lists", "sets", "hashes", "sorted_sets", "streams", "bitmaps", "geo",
        "hyperloglog", "expiry", "transactions", "sort", "locks"}) {
    std::vector<std::string> paths;
    for (const auto& entry :
         std::filesystem::directory_iterator{std::string{"transcripts/"} + group})
      paths.push_back(entry.path().string());
    std::ranges::sort(paths);
    for (const std::string& path : paths) {
      const Transcript transcript = read_transcript(path);
      if (!transcript.options.empty()) continue;
      const auto requests = requests_of(transcript);
      count += requests.size();
      channel.exchange(bytes_of(requests));
    }
  }
  return count;
}

std::string those_beyond(const Differences& known, const Differences& found) {
  std::string text;
  for (const auto& [name, what] : found)
    if (!known.contains(name)) text += what;
  return text;
}

/// Goes through all of it, up to the last effect; returns what is not the same then.
template <class Primary, class Replica>
Differences replicate(Primary& primary, Replica& replica) {
  const auto writer = primary.connect();
  const auto reader = replica.connect();
  writer->exchange(bytes_of(all_kinds(400)));
  // As they are once they have been read: so the replica will read them.
  REQUIRE(writer->exchange(encode_request(Words{"DEBUG", "RELOAD"})) == "+OK\r\n");
  Socket of_primary = primary.socket();
  Socket of_replica = replica.socket();
  follow(of_replica, primary.port());
  await_equal_offsets(of_primary, of_replica);
  CHECK(those_beyond({}, differences_that_stay(*writer, *reader)) == "");
  REQUIRE(dataset(*reader).size() >= 402);

  writer->exchange(bytes_of(scripts()));
  const std::size_t requests = play_transcripts(*writer);
  await_equal_offsets(of_primary, of_replica);
  const Differences differences = differences_that_stay(*writer, *reader);
  CHECK(same_libraries(of_primary.call({"FUNCTION", "DUMP"}).text(),
                       of_replica.call({"FUNCTION", "DUMP"}).text()));
  std::cout << dataset(*reader).size() << " keys and libraries, " << requests << " requests, "
            << info(of_primary, "master_repl_offset") << " bytes\n";
  CHECK(requests > 1'000);
  CHECK(info(of_primary, "connected_slaves") == "1");
  return differences;
}

/// What is not the same at two real servers either: some effects make a value of another encoding
/// than the request did, and BITFIELD may make a key without telling.
const Differences& at_two_real_servers() {
  static const Differences differences = [] {
    Theirs primary{{"repl-diskless-sync-delay", "0"}};
    Theirs replica;
    return replicate(primary, replica);
  }();
  return differences;
}

}  // namespace

TEST_CASE("two real servers differ in little") {
  CHECK(at_two_real_servers().size() < 8);
  for (const auto& [name, what] : at_two_real_servers()) std::cout << what;
}

TEST_CASE("a real replica of ours holds what ours holds") {
  Ours primary;
  Theirs replica;
  CHECK(those_beyond(at_two_real_servers(), replicate(primary, replica)) == "");
}

TEST_CASE("a real replica that reads from the disk holds what ours holds") {
  Ours primary;
  Socket socket = primary.socket();
  socket.call({"CONFIG", "SET", "repl-diskless-sync", "no"});
  Theirs replica;
  CHECK(those_beyond(at_two_real_servers(), replicate(primary, replica)) == "");
}

TEST_CASE("a replica of ours holds what its real primary holds") {
  Theirs primary{{"repl-diskless-sync", "no"}};
  Ours replica;
  CHECK(those_beyond(at_two_real_servers(), replicate(primary, replica)) == "");
}

TEST_CASE("a replica of ours reads data to their mark") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  Ours replica;
  CHECK(those_beyond(at_two_real_servers(), replicate(primary, replica)) == "");
}

TEST_CASE("a replica of ours holds what another of ours holds") {
  Ours primary;
  Ours replica;
  CHECK(those_beyond(at_two_real_servers(), replicate(primary, replica)) == "");
}

TEST_CASE("a real server between two of ours passes everything on") {
  Ours primary;
  Theirs middle{{"repl-diskless-sync-delay", "0"}};
  Ours last;
  Socket of_primary = primary.socket();
  Socket of_middle = middle.socket();
  Socket of_last = last.socket();
  const auto writer = primary.connect();
  writer->exchange(bytes_of(all_kinds(60)));
  writer->exchange(encode_request(Words{"DEBUG", "RELOAD"}));
  follow(of_middle, primary.port());
  follow(of_last, middle.port());
  writer->exchange(bytes_of(scripts()));
  await_equal_offsets(of_primary, of_last);
  const auto reader = last.connect();
  CHECK(those_beyond({}, differences_that_stay(*writer, *reader)) == "");
  CHECK(info(of_last, "master_replid") == info(of_primary, "master_replid"));
}

TEST_CASE("one of ours between two real servers passes everything on") {
  Theirs primary{{"repl-diskless-sync-delay", "0"}};
  Ours middle;
  Theirs last;
  Socket of_primary = primary.socket();
  Socket of_middle = middle.socket();
  Socket of_last = last.socket();
  const auto writer = primary.connect();
  follow(of_middle, primary.port());
  of_primary.call({"SELECT", "5"});  // Which the last one has to be told by the data.
  of_primary.call({"SET", "five", "1"});
  await_equal_offsets(of_primary, of_middle);
  follow(of_last, middle.port());
  of_primary.call({"SET", "six", "1"});
  writer->exchange(bytes_of(scripts()));
  await_equal_offsets(of_primary, of_last);
  const auto reader = last.connect();
  CHECK(those_beyond({}, differences_that_stay(*writer, *reader)) == "");
  CHECK(info(of_middle, "connected_slaves") == "1");
  CHECK(of_middle.call({"SET", "k", "v"}).text() ==
        "READONLY You can't write against a read only replica.");
}

}  // namespace picklock::test
