// The stream of effects: what a real primary sends to its replicas while transcripts are played on
// it, beside what the emulator would send.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "emulator/engine/engine.hpp"
#include "tests/replication/listening_replica.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/transcript.hpp"
#include "tests/support/transcript_player.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

constexpr int kMostAttempts = 4;
constexpr std::string_view kMarker = "-- the end of what is compared --";

struct Stream {
  std::vector<Effect> effects;
  std::int64_t started_ms = 0;
  std::int64_t took_ms = 0;
};

class Collector final : public EffectListener {
 public:
  void effect(const Effect& words) override { effects.push_back(words); }
  std::vector<Effect> effects;
};

/// Where a primary with a replica is something else, or takes none.
bool may_have_replica(const std::string& path) {
  for (const char* other : {"/replication/", "/cluster/", "client_kill", "late_flags"})
    if (path.find(other) != std::string::npos) return false;
  return true;
}

void play(const Transcript& transcript, Target& target) {
  Player player{target, 2};
  for (const Step& step : transcript.steps) player.play(step);
}

Stream stream_of_emulator(const Transcript& transcript) {
  Collector collector;
  EmulatorTarget target{transcript.options};
  target.emulator().engine().listen(collector);
  target.emulator().engine().active_expiry = false;
  Stream stream{.started_ms = target.now_ms()};
  play(transcript, target);
  target.emulator().engine().stop_listening(collector);
  stream.effects = std::move(collector.effects);
  return stream;
}

Stream stream_of_redis(const Transcript& transcript) {
  std::vector<std::string> options = transcript.options;
  for (const char* word : {"repl-diskless-sync", "no", "repl-ping-replica-period", "3600"})
    options.emplace_back(word);
  RealRedis redis{options};
  ListeningReplica link{redis.socket_path()};
  RawClient end{redis.socket_path()};
  // What expires is dropped when somebody looks, not when a server's cycle comes around.
  end.call({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  Stream stream{.started_ms = redis.now_ms()};
  play(transcript, redis);
  end.call({"PUBLISH", kMarker, ""});
  stream.effects = link.read_until(kMarker);
  stream.took_ms = redis.now_ms() - stream.started_ms;
  return stream;
}

/// The milliseconds that a word, or its beginning, may mean; nullopt if it is no such number.
std::optional<long double> instant(const std::string& word) {
  char* end = nullptr;
  const long double ms = std::strtold(word.c_str(), &end);
  if (end == word.c_str() || (*end != '\0' && *end != '-') || ms < 1e12L) return std::nullopt;
  return ms;
}

/// Instants are compared by how far they are from the beginning; real time goes on while a
/// transcript is played.
bool are_alike(const std::string& real, const std::string& ours, const Stream& a, const Stream& b) {
  if (real == ours) return true;
  const auto x = instant(real);
  const auto y = instant(ours);
  const auto from = [](long double ms, const Stream& stream) {
    return ms - static_cast<long double>(stream.started_ms);
  };
  return x && y &&
         std::abs(from(*x, a) - from(*y, b)) <= static_cast<long double>(a.took_ms + 1'000);
}

/// SPOP takes what the server's own chance picks.
bool is_popped(const Effect& effect) { return effect[0] == "SREM" && effect.size() == 3; }

std::string print(const Effect& effect) {
  std::string text;
  for (const std::string& word : effect) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The first difference; empty if there is none.
std::string compare(const Stream& real, const Stream& ours) {
  for (std::size_t i = 0; i < std::max(real.effects.size(), ours.effects.size()); ++i) {
    const Effect none{"nothing"};
    const Effect& one = i < real.effects.size() ? real.effects[i] : none;
    const Effect& other = i < ours.effects.size() ? ours.effects[i] : none;
    bool same = one.size() == other.size();
    const bool popped = is_popped(one) && is_popped(other);
    for (std::size_t word = 0; same && word < one.size() - (popped ? 1 : 0); ++word)
      same = are_alike(one[word], other[word], real, ours);
    if (same) continue;
    std::string text = "effect " + std::to_string(i);
    const auto at = [](const Stream& stream, std::size_t place) {
      return place < stream.effects.size() ? print(stream.effects[place]).substr(0, 120) : "-";
    };
    for (std::size_t near = i < 2 ? 0 : i - 2; near < i + 4; ++near)
      text += "\n    " + at(real, near) + "   |   " + at(ours, near);
    return text;
  }
  return "";
}

}  // namespace

TEST_CASE("what transcripts do is told to replicas as a real primary tells it") {
  std::size_t played = 0;
  std::size_t effects = 0;
  const char* only = std::getenv("PICKLOCK_TRANSCRIPT");
  for (const auto& entry : std::filesystem::recursive_directory_iterator{"transcripts"}) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".txt" || !may_have_replica(path)) continue;
    if (only != nullptr && path.find(only) == std::string::npos) continue;
    const Transcript transcript = read_transcript(path);
    try {
      const Stream ours = stream_of_emulator(transcript);
      Stream real = stream_of_redis(transcript);
      std::string difference = compare(real, ours);
      // A key may expire between two commands of the real one, whose time goes on.
      for (int again = 0; again < kMostAttempts && !difference.empty(); ++again) {
        real = stream_of_redis(transcript);
        difference = compare(real, ours);
      }
      if (!difference.empty()) std::cout << path << ": " << difference << "\n";
      CHECK(difference == "");
      effects += real.effects.size();
      ++played;
    } catch (const TargetDied& error) {
      FAIL_CHECK(path << ": " << error.what());
    }
  }
  std::cout << played << " transcripts, " << effects << " effects\n";
  CHECK((only != nullptr || effects > 1'000));
}

/// Redis's own tests say so of SCAN and RANDOMKEY, in whose order keys come by chance there.
TEST_CASE("what a look at any of the keys finds expired is dropped one by one") {
  EmulatorTarget target;
  Engine& engine = target.emulator().engine();
  engine.active_expiry = false;
  const std::vector<std::string> one_by_one{"DEL a", "DEL b"};
  const std::vector<std::string> together{"DEL a", "DEL b", "EXEC", "MULTI"};
  const auto told = [&](std::vector<Effect> requests) {
    Collector collector;
    const auto client = target.connect();
    for (const char* key : {"a", "b"})
      client->exchange(encode_request(Effect{"SET", key, "v", "PX", "1"}));
    target.pass(std::chrono::milliseconds{2});
    engine.listen(collector);
    for (const Effect& words : requests) client->exchange(encode_request(words));
    engine.stop_listening(collector);
    std::vector<std::string> texts;
    for (const Effect& effect : collector.effects)
      if (effect[0] != "SELECT") texts.push_back(print(effect));
    std::ranges::sort(texts);  // Which of them RANDOMKEY meets first is chance.
    return texts;
  };
  CHECK(told({{"SCAN", "0"}}) == one_by_one);
  CHECK(told({{"RANDOMKEY"}}) == one_by_one);
  CHECK(told({{"EVAL", "return redis.call('scan', '0')", "0"}}) == together);
  CHECK(told({{"MULTI"}, {"SCAN", "0"}, {"EXEC"}}) == together);
}

}  // namespace picklock::test
