// Turns the bytes a server sends into Reply values, however they are cut. RESP2 and RESP3.
//
// Incremental, without I/O and without recursion (a hostile server cannot exhaust the stack). One
// per connection; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <picklock/reply.hpp>

#include "emulator/resp/reply_assembler.hpp"

namespace picklock {

class ReplyParser {
 public:
  void feed(std::string_view bytes);
  /// The next complete reply, or nullopt when more bytes are needed or the stream is broken.
  std::optional<Reply> next();
  /// Set once the stream cannot be understood; says what was found and where.
  const std::string& error() const { return error_; }

 private:
  enum class Step : std::uint8_t { done, incomplete, broken };

  Step read_value();
  Step read_typed(char type, std::string_view line);
  Step read_length(char type, std::string_view line);
  Step read_aggregate(char type, std::size_t size);
  Step read_blob();
  Step add_number(char type, std::string_view line);
  Step fail(std::string_view what);

  // 1. Everything before position_ has been read; dropped_ bytes before that are gone.
  // 2. scanned_ bytes from position_ on are known to hold no end of a line.
  // 3. blob_type_ is 0 unless the length of a string has been read and its bytes are awaited.
  std::string buffer_;
  std::size_t position_ = 0;
  std::size_t scanned_ = 0;
  std::uint64_t dropped_ = 0;
  char blob_type_ = 0;
  std::size_t blob_size_ = 0;
  ReplyAssembler assembler_;
  std::string error_;
};

}  // namespace picklock
