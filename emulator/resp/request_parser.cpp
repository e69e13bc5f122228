#include "emulator/resp/request_parser.hpp"

#include <algorithm>
#include <limits>

#include "emulator/base/memory.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/resp/inline_words.hpp"

namespace picklock {
namespace {

constexpr std::size_t kMaxLineBytes = 64 * 1024;
constexpr std::int64_t kMaxWords = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxUnauthenticatedWords = 10;
constexpr std::int64_t kMaxUnauthenticatedWordBytes = 16384;
/// An empty buffer larger than this is given back, so that one huge value does not stay for good.
constexpr std::size_t kKeptArgumentBytes = 1024 * 1024;

/// What a line such as "$12\r\n" or "*2\r\n" announces if it is complete and below 100, as nearly
/// all are; else -1, and the line must be read with care. More than halves the time of a small
/// request.
int short_length(std::string_view bytes, char type) {
  if (bytes.size() < 5 || bytes[0] != type) return -1;
  const unsigned first = static_cast<unsigned char>(bytes[1]) - unsigned{'0'};
  if (first > 9) return -1;
  if (bytes[2] == '\r') return static_cast<int>(first);
  const unsigned second = static_cast<unsigned char>(bytes[2]) - unsigned{'0'};
  if (first == 0 || second > 9 || bytes[3] != '\r') return -1;
  return static_cast<int>(first * 10 + second);
}

/// The bytes of such a line.
std::size_t short_line(int length) { return length < 10 ? 4 : 5; }

/// Takes such a line from `bytes`; false leaves them as they are.
bool take_short_length(std::string_view& bytes, char type, int& length) {
  length = short_length(bytes, type);
  if (length < 0) return false;
  bytes.remove_prefix(short_line(length));
  return true;
}

}  // namespace

void RequestParser::feed(std::string_view bytes) {
  if (!error_.empty()) return;
  if (start_ == buffer_.size()) {
    if (buffer_.capacity() > kKeptArgumentBytes) give_back(buffer_);
    buffer_.clear();
    position_ -= start_;
    start_ = 0;
  } else if (start_ > buffer_.size() / 2) {
    // At least as much goes as stays, so the moves cost no more than the bytes once did.
    buffer_.erase(0, start_);
    position_ -= start_;
    start_ = 0;
  }
  buffer_ += bytes;
}

std::size_t RequestParser::buffered() const { return buffer_.size() - start_; }

std::string RequestParser::unread() const { return buffer_.substr(start_); }

void RequestParser::reset() {
  buffer_.clear();
  start_ = position_ = scanned_ = line_end_ = 0;
  missing_words_ = 0;
  word_size_ = -1;
  spans_.clear();
  words_.clear();
  inline_text_.clear();
  error_.clear();
}

std::size_t RequestParser::look_ahead(std::span<std::string_view> keys) const {
  std::size_t found = 0;
  if (missing_words_ > 0) return found;
  std::string_view rest = std::string_view{buffer_}.substr(position_);
  // Requests are counted, not keys: the look must not grow with a pipeline that has none.
  for (std::size_t request = 0; request < keys.size(); ++request) {
    int words = 0;
    if (!take_short_length(rest, '*', words)) return found;
    for (int i = 0; i < words; ++i) {
      int size = 0;
      if (!take_short_length(rest, '$', size)) return found;
      const auto bytes = static_cast<std::size_t>(size);
      if (rest.size() < bytes + 2) return found;
      if (i == 1) keys[found++] = rest.substr(0, bytes);
      rest.remove_prefix(bytes + 2);
    }
  }
  return found;
}

RequestParser::Status RequestParser::next(bool authenticated) {
  if (!error_.empty()) return Status::error;
  words_.clear();
  if (position_ == buffer_.size()) return Status::incomplete;
  const Status status = read_request(authenticated);
  return status == Status::ready && words_.empty() ? Status::empty : status;
}

RequestParser::Status RequestParser::read_request(bool authenticated) {
  if (missing_words_ == 0) {
    if (buffer_[position_] != '*') return read_inline();
    const Status status = read_multibulk_count(authenticated);
    if (status != Status::ready) return status;
  }
  return read_words(authenticated);
}

RequestParser::Status RequestParser::fail(std::string_view reason) {
  const std::string error = std::string{"ERR Protocol error: "}.append(reason);
  reset();  // What else has come will never be read.
  error_ = error;
  return Status::error;
}

/// Makes words of the spans and starts anew behind the request.
RequestParser::Status RequestParser::finish(std::string_view source) {
  for (const Span& span : spans_) words_.emplace_back(source.data() + span.start, span.size);
  spans_.clear();
  start_ = position_;
  return Status::ready;
}

/// Redis looks for the end of a line with strchr, so that a NUL hides whatever follows it, and
/// gives up beyond 64 KB. Looking at no more bytes than that makes the result independent of the
/// cuts.
RequestParser::Status RequestParser::find_line_end(char mark, std::string_view too_long) {
  const std::size_t left = std::min(buffer_.size() - position_, kMaxLineBytes + 1);
  const char* from = buffer_.data() + position_;
  // A loop, since lines are a few bytes long and a library search for two bytes costs more than
  // that.
  std::size_t at = scanned_;
  while (at < left && from[at] != mark && from[at] != '\0') ++at;
  if (at < left && from[at] == mark) {
    line_end_ = position_ + at;
    scanned_ = 0;
    return Status::ready;
  }
  if (left > kMaxLineBytes) return fail(too_long);
  // A NUL is met again by the next search, which therefore ends there too.
  scanned_ = at;
  return Status::incomplete;
}

/// The line found last, without its first byte and its end.
std::string_view RequestParser::line() const {
  return std::string_view{buffer_}.substr(position_ + 1, line_end_ - position_ - 1);
}

RequestParser::Status RequestParser::read_inline() {
  const Status status = find_line_end('\n', "too big inline request");
  if (status != Status::ready) return status;
  std::string_view text = std::string_view{buffer_}.substr(position_, line_end_ - position_);
  if (text.ends_with('\r')) text.remove_suffix(1);
  inline_text_.clear();
  std::vector<std::size_t> ends;
  if (!split_inline_words(text, inline_text_, ends)) return fail("unbalanced quotes in request");
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    spans_.push_back({begin, end - begin});
    begin = end;
  }
  position_ = line_end_ + 1;
  return finish(inline_text_);
}

RequestParser::Status RequestParser::read_multibulk_count(bool authenticated) {
  const int words = short_length(std::string_view{buffer_}.substr(position_), '*');
  if (words > 0 && (authenticated || words <= kMaxUnauthenticatedWords)) {
    position_ += short_line(words);
    scanned_ = 0;
    missing_words_ = words;
    return Status::ready;
  }
  const Status status = find_line_end('\r', "too big mbulk count string");
  if (status != Status::ready) return status;
  if (line_end_ + 2 > buffer_.size()) return Status::incomplete;
  const auto count = parse_int64(line());
  if (!count || *count > kMaxWords) return fail("invalid multibulk length");
  if (*count > kMaxUnauthenticatedWords && !authenticated)
    return fail("unauthenticated multibulk length");
  // Redis never looks at the byte after the carriage return.
  position_ = line_end_ + 2;
  missing_words_ = std::max<std::int64_t>(*count, 0);
  return Status::ready;
}

RequestParser::Status RequestParser::read_word_length(bool authenticated) {
  const int length = short_length(std::string_view{buffer_}.substr(position_), '$');
  if (length >= 0 && length <= max_bulk_bytes) {
    position_ += short_line(length);
    scanned_ = 0;
    word_size_ = length;
    return Status::ready;
  }
  const Status status = find_line_end('\r', "too big bulk count string");
  if (status != Status::ready) return status;
  if (line_end_ + 2 > buffer_.size()) return Status::incomplete;
  if (buffer_[position_] != '$')
    return fail(std::string{"expected '$', got '"} + buffer_[position_] + "'");
  const auto size = parse_int64(line());
  if (!size || *size < 0 || *size > max_bulk_bytes) return fail("invalid bulk length");
  if (*size > kMaxUnauthenticatedWordBytes && !authenticated)
    return fail("unauthenticated bulk length");
  position_ = line_end_ + 2;
  word_size_ = *size;
  return Status::ready;
}

RequestParser::Status RequestParser::read_words(bool authenticated) {
  for (; missing_words_ > 0; --missing_words_) {
    if (word_size_ < 0) {
      const Status status = read_word_length(authenticated);
      if (status != Status::ready) return status;
    }
    const auto size = static_cast<std::size_t>(word_size_);
    if (buffer_.size() - position_ < size + 2) return Status::incomplete;
    // Written where it lies: to copy what has just been stored in pieces, a processor waits for
    // them.
    Span& span = spans_.emplace_back();
    span.start = position_ - start_;
    span.size = size;
    // The two bytes behind a word are skipped unseen, as Redis does.
    position_ += size + 2;
    word_size_ = -1;
  }
  return finish(std::string_view{buffer_}.substr(start_));
}

}  // namespace picklock
