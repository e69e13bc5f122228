#include "tests/differential/corrupted_target.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace picklock::test {
namespace {

// `from` becomes `to` in what is sent (a command does something else), in what is answered, or in
// what comes later by itself.
struct Corruption {
  std::string_view name;
  enum class Where { request, reply, later } where;
  std::string_view from;
  std::string_view to;
};

constexpr std::array kCorruptions{
    Corruption{"del-keeps", Corruption::Where::request, "$3\r\nDEL\r\n", "$6\r\nEXISTS\r\n"},
    Corruption{"nx-overwrites", Corruption::Where::request, "$2\r\nNX\r\n", "$2\r\nXX\r\n"},
    Corruption{"persist-keeps", Corruption::Where::request, "$7\r\nPERSIST\r\n",
               "$6\r\nSTRLEN\r\n"},
    Corruption{"hash-counts-twice", Corruption::Where::reply, ":2\r\n", ":3\r\n"},
    Corruption{"null-is-empty", Corruption::Where::reply, "$-1\r\n", "$0\r\n\r\n"},
    Corruption{"error-text", Corruption::Where::reply, "WRONGTYPE Operation",
               "WRONGTYPE operation"},
    Corruption{"served-by-another", Corruption::Where::later, "*2\r\n$1\r\nl\r\n",
               "*2\r\n$2\r\nl2\r\n"},
    Corruption{"message-spoilt", Corruption::Where::later, "$7\r\nmessage\r\n",
               "$7\r\nmassage\r\n"},
    Corruption{"script-position", Corruption::Where::reply, "on @user_script:1",
               "on @user_script:2"},
};

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  while (true) {
    const auto at = text.find(from);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += to;
    text.remove_prefix(at + from.size());
  }
}

class CorruptedChannel final : public Channel {
 public:
  CorruptedChannel(std::unique_ptr<Channel> channel, const Corruption& rule)
      : channel_(std::move(channel)), rule_(rule) {}

  std::string exchange(std::string_view bytes) override {
    if (rule_.where == Corruption::Where::request)
      return channel_->exchange(replaced(bytes, rule_.from, rule_.to));
    return corrupted(channel_->exchange(bytes), Corruption::Where::reply);
  }
  std::string heard() override { return corrupted(channel_->heard(), Corruption::Where::later); }
  bool closed() const override { return channel_->closed(); }

 private:
  std::string corrupted(std::string bytes, Corruption::Where where) const {
    return rule_.where == where ? replaced(bytes, rule_.from, rule_.to) : std::move(bytes);
  }

  std::unique_ptr<Channel> channel_;
  const Corruption& rule_;
};

class CorruptedTarget final : public Target {
 public:
  CorruptedTarget(std::unique_ptr<Target> target, const Corruption& rule)
      : target_(std::move(target)), rule_(rule) {}

  std::string_view name() const override { return rule_.name; }
  std::unique_ptr<Channel> connect() override {
    return std::make_unique<CorruptedChannel>(target_->connect(), rule_);
  }
  bool time_stands_still() const override { return target_->time_stands_still(); }
  std::int64_t now_ms() override { return target_->now_ms(); }
  void pass(std::chrono::milliseconds duration) override { target_->pass(duration); }

 private:
  std::unique_ptr<Target> target_;
  const Corruption& rule_;
};

}  // namespace

std::vector<std::string_view> corruption_names() {
  std::vector<std::string_view> names;
  for (const auto& rule : kCorruptions) names.push_back(rule.name);
  return names;
}

std::unique_ptr<Target> corrupt(std::unique_ptr<Target> target, std::string_view name) {
  const auto rule = std::ranges::find(kCorruptions, name, &Corruption::name);
  if (rule == kCorruptions.end())
    throw std::invalid_argument("unknown corruption: " + std::string{name});
  return std::make_unique<CorruptedTarget>(std::move(target), *rule);
}

}  // namespace picklock::test
