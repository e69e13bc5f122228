// Turns the bytes a client sends into requests, however they are cut.
//
// Incremental and without I/O: feed bytes, then take requests until one is incomplete. Speaks
// multibulk and inline requests with the limits and error texts of Redis 7.0. One per connection;
// not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/resp/reply_writer.hpp"

namespace picklock {

class RequestParser {
 public:
  enum class Status : std::uint8_t { incomplete, empty, ready, error };

  /// Appends what arrived. Invalidates the words of an earlier request.
  void feed(std::string_view bytes);
  /// Reads the next request. `ready`: words() holds it. `empty`: it has none (an empty line, "*0"),
  /// and is not answered. `error`: error() holds Redis's text ("ERR Protocol error: ..."), and the
  /// connection must be closed after it is sent; every further call gives `error` again.
  /// `authenticated` lifts the limits that Redis sets on clients that have not logged in (10 words
  /// of 16,384 bytes).
  Status next(bool authenticated = true);

  /// The request's words; valid until the next call of feed(), next() or reset().
  Args words() const { return words_; }
  std::string_view error() const { return error_; }
  /// Looks at the next requests, as many as `keys` has room for or as are whole and easy to read,
  /// and changes nothing. Puts their second words there, which mostly are keys, and returns their
  /// number; they are valid as long as words() would be.
  std::size_t look_ahead(std::span<std::string_view> keys) const;
  /// Bytes held that have not become a request yet.
  std::size_t buffered() const;
  /// How much of that belongs to no word yet.
  std::size_t unparsed() const { return buffer_.size() - position_; }
  /// Those bytes.
  std::string unread() const;
  void reset();

  /// `proto-max-bulk-len`, in bytes.
  std::int64_t max_bulk_bytes = 512LL * 1024 * 1024;

 private:
  /// Where a word lies; a position, because the buffer moves while a request is incomplete.
  struct Span {
    std::size_t start;
    std::size_t size;
  };

  Status fail(std::string_view reason);
  Status finish(std::string_view source);
  Status read_request(bool authenticated);
  Status read_inline();
  Status read_multibulk_count(bool authenticated);
  Status read_words(bool authenticated);
  Status read_word_length(bool authenticated);
  Status find_line_end(char mark, std::string_view too_long);
  std::string_view line() const;

  // 1. Requests handed out lie before start_, and start_ <= position_ <= buffer_.size().
  // 2. Between two requests start_ == position_, spans_ is empty and missing_words_ is 0.
  // 3. While a request is read, spans_ point into buffer_ relative to start_.
  // 4. While a line's end is looked for, scanned_ bytes from position_ on do not hold it.
  std::string buffer_;
  std::size_t start_ = 0;
  std::size_t position_ = 0;
  std::size_t scanned_ = 0;
  std::size_t line_end_ = 0;
  std::int64_t missing_words_ = 0;
  std::int64_t word_size_ = -1;  // -1: the length of the next word has not been read.
  std::vector<Span> spans_;
  std::vector<std::string_view> words_;
  std::string inline_text_;
  std::string error_;
};

}  // namespace picklock
