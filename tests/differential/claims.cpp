#include "tests/differential/claims.hpp"

#include <algorithm>
#include <array>

#include "emulator/base/text.hpp"
#include "tests/differential/monitored.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

constexpr std::array kUnasked{"message"sv, "pmessage"sv, "smessage"sv, "invalidate"sv,
                              "tracking-redir-broken"sv};
constexpr std::array kConfirmations{"subscribe"sv,   "psubscribe"sv,   "ssubscribe"sv,
                                    "unsubscribe"sv, "punsubscribe"sv, "sunsubscribe"sv};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

std::string_view cut_line(std::string_view& text) {
  const auto end = text.find("\r\n");
  if (end == std::string_view::npos) return text = {};
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  return line;
}

}  // namespace

std::string_view first_word(std::string_view reply) {
  const std::string_view head = cut_line(reply);
  if (head.empty() || (head[0] != '*' && head[0] != '>')) return {};
  return cut_line(reply).starts_with('$') ? cut_line(reply) : std::string_view{};
}

// Of a kind, a channel and a number; a list may begin with the same word.
bool is_confirmation(std::string_view reply) {
  if (reply.size() < 5 || reply[1] != '3' || !contains(kConfirmations, first_word(reply)))
    return false;
  const auto last = reply.rfind('\n', reply.size() - 2);
  return last != std::string_view::npos && reply[last + 1] == ':';
}

void Claims::expect(Words request) { requests_.push_back({std::move(request)}); }

const Words* Claims::claim(std::string_view reply) {
  const std::string_view word = first_word(reply);
  if (contains(kUnasked, word) || is_monitored(reply)) return nullptr;
  if (is_confirmation(reply)) return claim_confirmation(word);
  // One that ends all subscriptions had its replies, as many as they were.
  if (next_ < requests_.size() && requests_[next_].replies > 0) ++next_;
  return next_ < requests_.size() ? &requests_[next_++].words : nullptr;
}

// One for each channel. Those of a transaction come with the replies of EXEC, unasked as it were.
const Words* Claims::claim_confirmation(std::string_view name) {
  const auto fits = [&] {
    return next_ < requests_.size() && iequals(requests_[next_].words[0], name);
  };
  if (!fits() && next_ < requests_.size() && requests_[next_].replies > 0) ++next_;
  if (!fits()) return nullptr;
  Request& request = requests_[next_];
  if (++request.replies + 1 == request.words.size()) ++next_;
  return &request.words;
}

void Claims::forget_answered() {
  if (next_ + 1 == requests_.size() && requests_[next_].replies > 0) ++next_;
  requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(next_));
  next_ = 0;
}

}  // namespace picklock::test
