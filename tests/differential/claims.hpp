// Which request each reply of one client belongs to.
//
// Replies come in the order of the requests, but some requests have several, and messages come
// unasked. UNSUBSCRIBE and its kin without words have as many as there are channels, up to the
// reply to a request of another name. Reads the first word of a reply only. A value of one thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tests/differential/sequence.hpp"

namespace picklock::test {

class Claims {
 public:
  void expect(Words request);
  /// The request that `reply`, the next one, belongs to; null for a message. The pointer is good
  /// until expect() or forget_answered().
  const Words* claim(std::string_view reply);
  /// How many requests are still without their reply; to be asked between exchanges.
  std::size_t waiting() const { return requests_.size(); }
  void forget_answered();

 private:
  struct Request {
    Words words;
    std::size_t replies = 0;  // Those that it had.
  };
  const Words* claim_confirmation(std::string_view name);

  std::vector<Request> requests_;
  std::size_t next_ = 0;  // The first that may have replies to come.
};

/// The first word of an array or a push that begins with one; empty for anything else.
std::string_view first_word(std::string_view reply);
/// Whether `reply` tells of a subscription that was made or ended.
bool is_confirmation(std::string_view reply);

}  // namespace picklock::test
