// What can go wrong with a lock, and results that hold either a value or such an error.
//
// Errors are values: no operation of the lock client throws because of a server, a network or
// another client. Plain values, safe to copy between threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace picklock {

/// What kept one server from doing its part.
struct NodeError {
  /// What the server said, or that it said nothing.
  enum class Kind : std::uint8_t {
    no_answer,      ///< Nothing came within the time limit: whether it was done is unknown.
    closed,         ///< The connection broke before the answer: whether it was done is unknown.
    loading,        ///< -LOADING
    busy_script,    ///< -BUSY
    cluster_state,  ///< -CLUSTERDOWN, -TRYAGAIN, -MASTERDOWN
    read_only,      ///< -READONLY: a replica
    moved,          ///< -MOVED, -ASK, -CROSSSLOT: the key lives on another node
    no_access,      ///< -NOAUTH, -WRONGPASS, -NOPERM
    out_of_memory,  ///< -OOM
    not_writable,   ///< -MISCONF, -NOREPLICAS
    wrong_type,     ///< -WRONGTYPE: the key holds something else
    protocol,       ///< An answer of a shape that the script cannot give.
    other,          ///< Any other error reply.
  };
  std::size_t node = 0;     ///< The place of the node in the list that the client was made with.
  Kind kind = Kind::other;  ///< Which of them.
  std::string text;  ///< What the server said, or why the connection broke, if that is known.

  /// Whether asking again after a while can help without anybody doing something.
  bool is_passing() const;
  /// "node 0: no answer" and the like, in one line.
  std::string to_string() const;
};

/// Why an operation did not do what was asked of it. A value.
struct LockError {
  /// What a program may want to tell apart.
  enum class Code : std::uint8_t {
    not_acquired,        ///< Somebody else holds it.
    timed_out,           ///< It did not become free, or no answer came, within the time given.
    cancelled,           ///< By the caller.
    not_owner,           ///< The lock is another's, or was taken away before its time.
    lost,                ///< The hold ended before it was released: see Loss.
    conflict,            ///< It is held in another way than asked for (another limit of permits).
    quorum_not_reached,  ///< Too few of the nodes gave their vote: see `nodes`.
    node_failed,         ///< The server did not do it: see `nodes`.
    invalid_argument,    ///< What was asked cannot be done; nothing was sent.
  };
  Code code = Code::not_acquired;                       ///< Which of them.
  std::string message;                                  ///< One sentence, with what to do next.
  std::string holder;                                   ///< Who holds it, if that is known.
  std::optional<std::chrono::milliseconds> holder_ttl;  ///< How long at most, if that is known.
  std::vector<NodeError> nodes{};                       ///< Those that failed, if any did.

  /// The message, with the nodes that failed, in one line.
  std::string to_string() const;
};
/// The code's name, such as "timed out".
std::string_view to_string(LockError::Code code);
/// Prints to_string().
std::ostream& operator<<(std::ostream& out, const LockError& error);

/// What release() found.
enum class Released : std::uint8_t {
  released,    ///< It was ours, and is free now.
  still_held,  ///< A level of a reentrant lock was given back, others remain.
  not_owner,   ///< It was not ours any more although our time had not run out.
  expired,     ///< Our time had run out before: the work was not covered to its end.
  unknown,     ///< No answer came: it is free by its deadline at the latest.
};
/// The name, such as "still held".
std::string_view to_string(Released released);
/// Prints to_string().
std::ostream& operator<<(std::ostream& out, Released released);

/// Why a hold ended without a release.
enum class Loss : std::uint8_t {
  expired,    ///< Its time ran out (no renewal asked for, or none came through).
  not_owner,  ///< The server says that it is not ours any more.
  max_hold,   ///< The maximum hold time is over.
};
/// The name, such as "maximum hold time".
std::string_view to_string(Loss loss);
/// Prints to_string().
std::ostream& operator<<(std::ostream& out, Loss loss);

/// A value, or the LockError that stands in its place.
template <class T>
class [[nodiscard]] Outcome {
 public:
  /// A success.
  Outcome(T value) : either_(std::in_place_index<0>, std::move(value)) {}
  /// A failure.
  Outcome(LockError error) : either_(std::in_place_index<1>, std::move(error)) {}

  /// Whether it is a success.
  bool has_value() const { return either_.index() == 0; }
  /// The same: `if (!held) return held.error();`.
  explicit operator bool() const { return has_value(); }
  /// The value; throws std::logic_error with the error's text if there is none.
  T& value() & {
    if (!has_value()) throw std::logic_error{error().to_string()};
    return std::get<0>(either_);
  }
  /// The same of a constant.
  const T& value() const& { return const_cast<Outcome*>(this)->value(); }
  /// The same of a temporary, taken from it: `for (x : *client.who_holds(name).get())`.
  T value() && { return std::move(value()); }
  /// As value().
  T& operator*() & { return value(); }
  /// As value().
  const T& operator*() const& { return value(); }
  /// As value().
  T operator*() && { return std::move(*this).value(); }
  /// As value().
  T* operator->() { return &value(); }
  /// As value().
  const T* operator->() const { return &value(); }
  /// The error; throws std::bad_variant_access if there is a value.
  const LockError& error() const { return std::get<1>(either_); }

 private:
  std::variant<T, LockError> either_;
};

/// The value of operations that have nothing to say but that they were done.
struct Done {
  bool operator==(const Done&) const = default;
};

}  // namespace picklock

#pragma GCC visibility pop
