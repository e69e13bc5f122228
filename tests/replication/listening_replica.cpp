#include "tests/replication/listening_replica.hpp"

#include <optional>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "tests/support/target.hpp"

namespace picklock::test {
namespace {

constexpr int kPatienceMs = 10'000;

}  // namespace

ListeningReplica::ListeningReplica(const std::string& socket_path) : client_(socket_path) {
  client_.send("*3\r\n$5\r\nPSYNC\r\n$1\r\n?\r\n$2\r\n-1\r\n");
  // "+FULLRESYNC <id> <offset>", then newlines while the data are made, then "$<bytes>" and they.
  while (bytes_.find("\r\n") == std::string::npos) fill();
  if (!bytes_.starts_with("+FULLRESYNC")) throw TargetDied{"no replica is taken: " + bytes_};
  at_ = bytes_.find("\r\n") + 2;
  std::size_t end = 0;
  while (true) {
    while (at_ < bytes_.size() && bytes_[at_] == '\n') ++at_;
    end = bytes_.find("\r\n", at_);
    if (end != std::string::npos) break;
    fill();
  }
  const auto size = parse_int64(std::string_view{bytes_}.substr(at_ + 1, end - at_ - 1));
  if (bytes_[at_] != '$' || !size) throw TargetDied{"no data for a replica"};
  while (bytes_.size() < end + 2 + static_cast<std::size_t>(*size)) fill();
  at_ = end + 2 + static_cast<std::size_t>(*size);
}

/// Waits for more bytes.
void ListeningReplica::fill() {
  const std::string more = client_.drain(kPatienceMs);
  if (more.empty()) throw TargetDied{"the primary has ended its stream"};
  bytes_ += more;
}

/// False if no command is whole yet.
bool ListeningReplica::next(Effect& effect) {
  std::size_t at = at_;
  const auto number = [&](char mark) -> std::optional<std::int64_t> {
    const std::size_t end = bytes_.find("\r\n", at);
    if (end == std::string::npos || bytes_[at] != mark) return std::nullopt;
    const auto value = parse_int64(std::string_view{bytes_}.substr(at + 1, end - at - 1));
    at = end + 2;
    return value;
  };
  if (at >= bytes_.size()) return false;
  const auto count = number('*');
  if (!count) return false;
  effect.clear();
  for (std::int64_t i = 0; i < *count; ++i) {
    if (at >= bytes_.size()) return false;
    const auto size = number('$');
    if (!size || at + static_cast<std::size_t>(*size) + 2 > bytes_.size()) return false;
    effect.push_back(bytes_.substr(at, static_cast<std::size_t>(*size)));
    at += static_cast<std::size_t>(*size) + 2;
  }
  at_ = at;
  return true;
}

std::vector<Effect> ListeningReplica::read_until(std::string_view marker) {
  std::vector<Effect> effects;
  Effect effect;
  while (true) {
    if (!next(effect)) {
      fill();
      continue;
    }
    if (effect[0] == "PUBLISH" && effect[1] == marker) {
      // The database of the marker is no effect.
      if (!effects.empty() && effects.back()[0] == "SELECT") effects.pop_back();
      return effects;
    }
    if (iequals(effect[0], "ping") || iequals(effect[0], "replconf")) continue;
    effects.push_back(effect);
  }
}

}  // namespace picklock::test
