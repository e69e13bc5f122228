// Payloads that were damaged: the emulator takes and refuses what a real server does that looks at
// them closely (sanitize-dump-payload yes), and lives.
#include "tests/rdb/generated_values.hpp"
#include "tests/rdb/pipeline.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/emulator_target.hpp"
#include "tests/support/payloads.hpp"
#include "tests/support/real_redis.hpp"
#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

std::string damaged(std::string body, Random& random) {
  for (std::uint64_t times = 1 + random.below(2); times > 0; --times) {
    const std::size_t at = random.below(body.size());
    switch (random.below(5)) {
      case 0:
        body[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        body[at] = static_cast<char>(body[at] ^ 1 << random.below(8));
        break;
      case 2:
        body.erase(at, 1 + random.below(3));
        break;
      case 3:
        body.insert(at, 1, static_cast<char>(random.below(256)));
        break;
      default:
        body.resize(at + 1);
    }
    if (body.empty()) body = "\x0b";
  }
  return body;
}

std::string sample(Channel& channel, GeneratedValues& values) {
  std::vector<Words> requests{{"DEL", "sample"}};
  for (Words& words : values.commands("sample")) requests.push_back(std::move(words));
  requests.push_back({"DUMP", "sample"});
  return std::string{pipeline(channel, requests).back().text()};
}

void mutate(std::uint64_t seed, int samples, int damages) {
  RealRedis real;
  EmulatorTarget emulator;
  auto theirs = real.connect();
  const auto ours = emulator.connect();
  for (Channel* channel : {theirs.get(), ours.get()})
    pipeline(*channel, {{"CONFIG", "SET", "sanitize-dump-payload", "yes"},
                        {"CONFIG", "SET", "rdbcompression", "no"}});
  Random random{seed};
  GeneratedValues values{seed};
  for (int i = 0; i < samples; ++i) {
    const std::string payload = sample(*theirs, values);
    std::vector<Words> restoring;
    for (int j = 0; j < damages; ++j) {
      const std::string body = damaged(std::string{without_footer(payload)}, random);
      restoring.push_back({"RESTORE", "k", "0", with_footer(body), "REPLACE"});
    }
    const auto our_answers = pipeline(*ours, restoring);
    const auto their_answers = pipeline(*theirs, restoring);
    for (std::size_t j = 0; j < restoring.size(); ++j) {
      INFO(quote(payload) << " became " << quote(restoring[j][3]));
      CHECK(our_answers[j].to_string() == their_answers[j].to_string());
    }
  }
}

TEST_CASE("a damaged payload is judged as a careful real server judges it") { mutate(1, 60, 40); }
TEST_CASE("many damaged payloads are judged as a careful real server judges them", "[.all]") {
  mutate(2, 1000, 40);
}

}  // namespace
}  // namespace picklock::test
