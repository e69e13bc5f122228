#include "emulator/resp/reply_parser.hpp"

#include <limits>

#include "emulator/base/memory.hpp"
#include "emulator/base/numbers.hpp"

namespace picklock {
namespace {

/// Replies are destroyed, compared and printed recursively, so their depth must stay bounded. Redis
/// nests a few levels; a script of the user's own may nest more.
constexpr std::size_t kMaxDepth = 1024;
constexpr std::int64_t kMaxElements = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kKeptBytes = 1024 * 1024;

std::optional<Reply::Type> line_type(char type) {
  switch (type) {
    case '+':
      return Reply::Type::status;
    case '-':
      return Reply::Type::error;
    case '(':
      return Reply::Type::big_number;
    default:
      return std::nullopt;
  }
}

Reply::Type blob_reply_type(char type) {
  if (type == '=') return Reply::Type::verbatim;
  return type == '!' ? Reply::Type::error : Reply::Type::bulk;
}

Reply::Type aggregate_type(char type) {
  switch (type) {
    case '%':
      return Reply::Type::map;
    case '~':
      return Reply::Type::set;
    case '>':
      return Reply::Type::push;
    default:
      return Reply::Type::array;
  }
}

bool is_big_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// A byte or a line as a message can show it.
std::string shown(std::string_view bytes) {
  constexpr std::size_t kShownBytes = 40;
  return Reply::make_text(Reply::Type::bulk, std::string{bytes.substr(0, kShownBytes)}).to_string();
}

}  // namespace

void ReplyParser::feed(std::string_view bytes) {
  if (!error_.empty()) return;
  if (position_ > buffer_.size() / 2) {
    dropped_ += position_;
    buffer_.erase(0, position_);
    position_ = 0;
    if (buffer_.empty() && buffer_.capacity() > kKeptBytes) give_back(buffer_);
  }
  buffer_ += bytes;
}

std::optional<Reply> ReplyParser::next() {
  if (!error_.empty()) return std::nullopt;
  while (read_value() == Step::done)
    if (assembler_.complete()) return assembler_.take();
  return std::nullopt;
}

ReplyParser::Step ReplyParser::fail(std::string_view what) {
  error_.append("protocol error at byte ");
  error_.append(to_text(static_cast<std::int64_t>(dropped_ + position_)));
  error_.append(": ").append(what);
  return Step::broken;
}

/// One value, or the announcement of an aggregate.
ReplyParser::Step ReplyParser::read_value() {
  if (blob_type_ != 0) return read_blob();
  if (position_ == buffer_.size()) return Step::incomplete;
  const std::string_view rest = std::string_view{buffer_}.substr(position_);
  const char type = rest[0];
  if (std::string_view{"+-:$*_#,(=!%~>|"}.find(type) == std::string_view::npos)
    return fail("expected the type of a reply, found " + shown(rest.substr(0, 1)));
  const std::size_t end = rest.find("\r\n", scanned_);
  if (end == std::string_view::npos) {
    // The last byte may be the first half of the line's end.
    scanned_ = rest.size() - 1;
    return Step::incomplete;
  }
  const Step step = read_typed(type, rest.substr(1, end - 1));
  if (step != Step::done) return step;
  position_ += end + 2;
  scanned_ = 0;
  return blob_type_ != 0 ? read_blob() : Step::done;
}

ReplyParser::Step ReplyParser::read_typed(char type, std::string_view line) {
  if (type == '(' && !is_big_number(line))
    return fail("expected a big number, found " + shown(line));
  if (const auto text_type = line_type(type)) {
    assembler_.add(Reply::make_text(*text_type, std::string{line}));
    return Step::done;
  }
  switch (type) {
    case ':':
    case ',':
      return add_number(type, line);
    case '#':
      if (line != "t" && line != "f") return fail("expected a boolean, found " + shown(line));
      assembler_.add(Reply::make_boolean(line == "t"));
      return Step::done;
    case '_':
      if (!line.empty()) return fail("expected a null, found " + shown(line));
      assembler_.add(Reply{});
      return Step::done;
    default:
      return read_length(type, line);
  }
}

ReplyParser::Step ReplyParser::add_number(char type, std::string_view line) {
  if (type == ':') {
    const auto value = parse_int64(line);
    if (!value) return fail("expected an integer, found " + shown(line));
    assembler_.add(Reply::make_integer(*value));
    return Step::done;
  }
  const auto value = parse_resp3_double(line);
  if (!value) return fail("expected a double, found " + shown(line));
  assembler_.add(Reply::make_real(*value));
  return Step::done;
}

ReplyParser::Step ReplyParser::read_length(char type, std::string_view line) {
  if (line == "?") return fail("streamed replies are not supported");
  const auto size = parse_int64(line);
  if (size && *size == -1 && (type == '$' || type == '*')) {
    assembler_.add(Reply{});
    return Step::done;
  }
  if (!size || *size < 0) return fail("expected a length, found " + shown(line));
  if (type == '$' || type == '=' || type == '!') {
    if (type == '=' && *size < 4) return fail("a verbatim string is too short for its format");
    blob_type_ = type;
    blob_size_ = static_cast<std::size_t>(*size);
    return Step::done;
  }
  if (*size > kMaxElements) return fail("too many elements: " + shown(line));
  return read_aggregate(type, static_cast<std::size_t>(*size));
}

ReplyParser::Step ReplyParser::read_aggregate(char type, std::size_t size) {
  if (assembler_.depth() >= kMaxDepth) return fail("replies are nested too deeply");
  if (type == '|') {
    assembler_.open_ignored(2 * size);
  } else {
    assembler_.open(aggregate_type(type), type == '%' ? 2 * size : size);
  }
  return Step::done;
}

ReplyParser::Step ReplyParser::read_blob() {
  const std::string_view rest = std::string_view{buffer_}.substr(position_);
  if (rest.size() < 2 || rest.size() - 2 < blob_size_) return Step::incomplete;
  const std::string_view line_end = rest.substr(blob_size_, 2);
  if (line_end != "\r\n") {
    position_ += blob_size_;
    return fail("expected the end of a string, found " + shown(line_end));
  }
  assembler_.add(
      Reply::make_text(blob_reply_type(blob_type_), std::string{rest.substr(0, blob_size_)}));
  position_ += blob_size_ + 2;
  blob_type_ = 0;
  return Step::done;
}

}  // namespace picklock
