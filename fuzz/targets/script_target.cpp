#include "fuzz/targets/script_target.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <picklock/emulator.hpp>

namespace picklock::fuzzing {

namespace {

constexpr char kSeparator = 0x1e;
// Small, so that an input takes milliseconds; large enough for loops and long strings.
constexpr std::uint64_t kBudget = 300'000;

/// What the first byte of an input chooses.
enum Choice : unsigned { kResp3 = 1, kFunction = 2, kReadOnly = 4, kWatched = 8, kHash = 16 };

std::vector<std::string_view> parts_of(std::string_view input) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = input.find(kSeparator);
    parts.push_back(input.substr(0, end));
    if (end == std::string_view::npos) return parts;
    input.remove_prefix(end + 1);
  }
}

class Run {
 public:
  explicit Run(unsigned choices) : choices_(choices), client_(redis_.connect()) {
    if (choices_ & kResp3) client_.call("HELLO", 3);
    if (choices_ & kWatched) redis_.watch_scripts();
    client_.call("SET", "k", "v");
    client_.call("HSET", "h", "f", "1");
  }

  /// The reply, and the keyspace behind it, as text.
  std::string script(std::string_view script, std::vector<std::string_view> arguments) {
    std::vector<std::string_view> words;
    const std::string library =
        "#!lua name=lib\nredis.register_function('f', function(KEYS, ARGV) " + std::string{script} +
        "\nend)";
    std::string replies;
    if (choices_ & kFunction) {
      replies = client_.call("FUNCTION", "LOAD", library).to_string();
      words = {choices_ & kReadOnly ? "FCALL_RO" : "FCALL", "f"};
    } else {
      words = {choices_ & kReadOnly ? "EVAL_RO" : "EVAL", script};
    }
    words.push_back(arguments.size() > 1 ? "2" : arguments.empty() ? "0" : "1");
    words.insert(words.end(), arguments.begin(), arguments.end());
    replies += client_.call(std::span<const std::string_view>{words}).to_string();
    if (choices_ & kHash) client_.call("SCRIPT", "LOAD", script);
    return replies + redis_.dump() + redis_.script_report().to_string();
  }

  /// Whatever a script did, the next client is served.
  void check_alive() {
    if (!(client_.call("EVAL", "return {ARGV[1], redis.call('PING')}", 0, "x")[0] == "x"))
      throw std::logic_error("the emulator does not answer as before");
    const Snapshot snapshot = redis_.snapshot();
    client_.call("SCRIPT", "FLUSH");
    redis_.restore(snapshot);
  }

 private:
  static Options options() {
    Options options;
    options.script_budget = kBudget;
    return options;
  }

  unsigned choices_;
  Emulator redis_{options()};
  Client client_;
};

}  // namespace

void run_script_input(std::string_view input) {
  if (input.empty()) return;
  const auto choices = static_cast<unsigned char>(input.front());
  std::vector<std::string_view> parts = parts_of(input.substr(1));
  const std::string_view script = parts.front();
  parts.erase(parts.begin());
  Run once{choices};
  Run again{choices};
  if (once.script(script, parts) != again.script(script, parts))
    throw std::logic_error("the same script answers differently on two emulators");
  once.check_alive();
}

}  // namespace picklock::fuzzing
