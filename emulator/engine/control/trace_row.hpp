// A line of the trace before anybody reads it: a row of bytes. Most of them are overwritten unread,
// and a thousand are to stay in the processor's cache.
//
// A value that allocates nothing once it is warm; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <picklock/steering.hpp>

#include "emulator/keyspace/key_effects.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// As much of a reply as TraceLine::reply shows.
inline constexpr std::size_t kTracedReplyBytes = 160;

/// Appends a word of `size` bytes in quotes, of which `start` begins it: no more than 64 bytes, and
/// how many there are beyond those.
void append_word(std::string& out, std::string_view start, std::uint64_t size);

class TraceRow {
 public:
  struct Head {
    Instant at;
    std::uint64_t client = 0;
    std::string_view name;
    int database = 0;
    std::string_view fault{};
  };

  /// Begins anew, in the memory that there is. Of the words it keeps what TraceLine::request shows.
  void begin(const Head& head, Args words);
  /// Where the reply is to be appended between begin() and end(), at least what is shown of it.
  std::string& text() { return bytes_; }
  void end(std::uint64_t changes, const KeyEffects& effects, std::uint64_t more_effects);

  // After end():
  std::uint64_t client() const;
  void set_reply(std::string_view text);
  TraceLine line() const;

 private:
  std::string bytes_;
};

}  // namespace picklock
