// Reading the arrays with which the embedded scripts answer.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <picklock/reply.hpp>

#include "lockclient/machine/protocol.hpp"

namespace picklock::lock {

inline std::string text_of(std::int64_t number) { return std::to_string(number); }

/// Element `index` of an array as an integer; nullopt if it is not there or no integer.
inline std::optional<std::int64_t> integer_at(const Reply& reply, std::size_t index) {
  if (reply.type() != Reply::Type::array || index >= reply.size()) return std::nullopt;
  if (reply[index].type() != Reply::Type::integer) return std::nullopt;
  return reply[index].integer();
}

/// Milliseconds as the scripts give them: negative for "never".
inline std::optional<Duration> time_left(std::int64_t ms) {
  if (ms < 0) return std::nullopt;
  return std::chrono::milliseconds{ms};
}

/// {1, ms left, deadline} or {0, ms left, holder} or {-1}: what all acquiring and extending scripts
/// have in common.
inline Answer read_state(const Reply& reply) {
  if (const auto error = read_error(reply)) return *error;
  const std::optional<std::int64_t> state = integer_at(reply, 0);
  Answer answer;
  if (state == 1) {
    const auto left = integer_at(reply, 1);
    const auto deadline = integer_at(reply, 2);
    if (!left || !deadline) return unexpected(reply);
    answer.kind = Answer::Kind::yes;
    answer.left = time_left(*left);
    answer.version = *deadline;
    return answer;
  }
  if (state == 0) {
    answer.kind = Answer::Kind::no;
    if (const auto left = integer_at(reply, 1)) answer.left = time_left(*left);
    if (reply.size() > 2 && reply[2].type() == Reply::Type::bulk) answer.text = reply[2].text();
    return answer;
  }
  if (state == -1) {
    answer.kind = Answer::Kind::over;
    return answer;
  }
  return unexpected(reply);
}

/// 1 or 0.
inline Answer read_flag(const Reply& reply) {
  if (const auto error = read_error(reply)) return *error;
  if (reply != 0 && reply != 1) return unexpected(reply);
  Answer answer;
  answer.kind = reply == 1 ? Answer::Kind::yes : Answer::Kind::no;
  return answer;
}

}  // namespace picklock::lock
