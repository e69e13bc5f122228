#include "lockclient/machine/protocol.hpp"

#include <array>
#include <utility>

namespace picklock::lock {

Answer Answer::failed(NodeError::Kind kind, std::string text) {
  Answer answer;
  answer.failure = kind;
  answer.text = std::move(text);
  return answer;
}

std::optional<Answer> read_error(const Reply& reply) {
  if (!reply.is_error()) return std::nullopt;
  using Kind = NodeError::Kind;
  static constexpr std::array<std::pair<std::string_view, Kind>, 16> kCodes{{
      {"LOADING", Kind::loading},
      {"BUSY", Kind::busy_script},
      {"CLUSTERDOWN", Kind::cluster_state},
      {"TRYAGAIN", Kind::cluster_state},
      {"MASTERDOWN", Kind::cluster_state},
      {"READONLY", Kind::read_only},
      {"MOVED", Kind::moved},
      {"ASK", Kind::moved},
      {"CROSSSLOT", Kind::moved},
      {"NOAUTH", Kind::no_access},
      {"WRONGPASS", Kind::no_access},
      {"NOPERM", Kind::no_access},
      {"OOM", Kind::out_of_memory},
      {"MISCONF", Kind::not_writable},
      {"NOREPLICAS", Kind::not_writable},
      {"WRONGTYPE", Kind::wrong_type},
  }};
  const std::string_view text = reply.text();
  const std::string_view code = text.substr(0, text.find(' '));
  for (const auto& [name, kind] : kCodes) {
    if (code == name) return Answer::failed(kind, reply.text());
  }
  return Answer::failed(Kind::other, reply.text());
}

Answer unexpected(const Reply& reply) {
  return Answer::failed(NodeError::Kind::protocol, reply.to_string());
}

std::vector<std::string> Protocol::channels() const {
  std::string one = channel();
  return one.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::move(one)};
}

bool Protocol::concerns(std::string_view, std::string_view) const { return true; }

std::string beside(std::string_view name, std::string_view what) {
  const std::size_t open = name.find('{');
  const std::size_t close = open == name.npos ? name.npos : name.find('}', open + 1);
  const bool tagged = close != name.npos && close > open + 1;
  std::string key;
  if (tagged || name.find('}') != name.npos) {
    key.append(name).append(":picklock:").append(what);
  } else {
    key.append("picklock:{").append(name).append("}:").append(what);
  }
  return key;
}

}  // namespace picklock::lock
