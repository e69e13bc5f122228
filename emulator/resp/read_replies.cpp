#include "emulator/resp/read_replies.hpp"

#include <algorithm>
#include <iterator>

#include "emulator/base/numbers.hpp"

namespace picklock {
namespace {

constexpr std::string_view kEnd = "\r\n";

/// What comes up to there, which is taken from `bytes` with the end of the line.
std::string_view take(std::string_view& bytes, std::size_t size) {
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(std::min(bytes.size(), taken.size() + kEnd.size()));
  return taken;
}

std::string_view take_line(std::string_view& bytes) { return take(bytes, bytes.find(kEnd)); }

/// What SUBSCRIBE and its like push is a reply; these come by themselves.
constexpr std::string_view kMessages[] = {"message", "pmessage", "smessage", "invalidate",
                                          "tracking-redir-broken"};

bool begins_with_message(std::string_view bytes) {
  if (!bytes.starts_with('>')) return false;
  take_line(bytes);
  take_line(bytes);
  const std::string_view kind = bytes.substr(0, bytes.find(kEnd));
  return std::ranges::find(kMessages, kind) != std::end(kMessages);
}

/// Takes the next value with all that is in it.
void skip_value(std::string_view& bytes) {
  for (std::int64_t values = 1; values > 0 && !bytes.empty(); --values) {
    const char type = bytes.front();
    bytes.remove_prefix(1);
    const std::int64_t size = parse_int64(take_line(bytes)).value_or(0);
    if (type == '$' || type == '=') {
      if (size >= 0) take(bytes, static_cast<std::size_t>(size));
    } else if (type == '*' || type == '~' || type == '>' || type == '%') {
      values += std::max<std::int64_t>(size, 0) * (type == '%' ? 2 : 1);
    }
  }
}

void read_sized(char type, std::int64_t size, std::string_view& bytes, ReplyWriter& out) {
  if (size < 0) return out.null();
  const auto elements = static_cast<std::size_t>(size);
  switch (type) {
    case '*':
      return out.array(elements);
    case '%':
      return out.map(elements);
    case '~':
      return out.set(elements);
    case '>':
      return out.push(elements);
    case '=': {
      const std::string_view text = take(bytes, elements);
      return out.verbatim(text.substr(0, 3), text.substr(std::min<std::size_t>(4, text.size())));
    }
    default:
      return out.bulk(take(bytes, elements));
  }
}

void read_value(std::string_view& bytes, ReplyWriter& out) {
  const char type = bytes.front();
  bytes.remove_prefix(1);
  const std::string_view line = take_line(bytes);
  switch (type) {
    case '+':
      return out.status(line);
    case '-':
      return out.raw_error(line);
    case ':':
      return out.integer(parse_int64(line).value_or(0));
    case '_':
      return out.null();
    case '#':
      return out.boolean(line == "t");
    case ',':
      return out.real(parse_resp3_double(line).value_or(0));
    case '(':
      return out.big_number(line);
    default:
      return read_sized(type, parse_int64(line).value_or(0), bytes, out);
  }
}

}  // namespace

std::string_view behind_messages(std::string_view bytes) {
  if (!begins_with_message(bytes)) return bytes;  // Nearly always.
  std::string_view rest = bytes;
  while (begins_with_message(rest)) skip_value(rest);
  return rest;
}

void read_replies(std::string_view bytes, ReplyWriter& out) {
  for (bytes = behind_messages(bytes); !bytes.empty(); bytes = behind_messages(bytes))
    read_value(bytes, out);
}

}  // namespace picklock
