#include "tests/differential/frames.hpp"

#include <charconv>
#include <cstdint>

#include "tests/differential/monitored.hpp"

namespace picklock::test {
namespace {

// Whether what follows the head of an array or push makes it a message. In the midst of a reply
// such a one takes no element's place.
bool is_message(std::string_view bytes) {
  for (const std::string_view word :
       {"$7\r\nmessage\r\n", "$8\r\npmessage\r\n", "$8\r\nsmessage\r\n", "$10\r\ninvalidate\r\n"})
    if (bytes.starts_with(word)) return true;
  return false;
}

// The length of the first reply in `bytes`; 0 when it is not complete or no reply.
std::size_t frame_length(std::string_view bytes) {
  std::size_t at = 0;
  for (std::uint64_t missing = 1; missing > 0; --missing) {
    const auto end = bytes.find("\r\n", at);
    if (end == std::string_view::npos) return 0;
    const std::size_t begin = at;
    const char type = bytes[at];
    std::int64_t size = 0;
    std::from_chars(bytes.data() + at + 1, bytes.data() + end, size);
    at = end + 2;
    if (size < 0) size = type == '$' || type == '=' || type == '!' ? -2 : 0;
    if (type == '$' || type == '=' || type == '!') {
      at += static_cast<std::size_t>(size + 2);
      if (at > bytes.size()) return 0;
    } else if (type == '*' || type == '~' || type == '>') {
      missing += static_cast<std::uint64_t>(size);
      if (begin > 0 && is_message(bytes.substr(at))) ++missing;
    } else if (type == '+' && begin > 0 && is_monitored(bytes.substr(begin))) {
      ++missing;
    } else if (type == '%' || type == '|') {
      missing += 2 * static_cast<std::uint64_t>(size);
    }
  }
  return at;
}

}  // namespace

Frames cut_frames(std::string_view stream) {
  Frames frames;
  frames.rest = stream;
  while (const auto length = frames.rest.empty() ? 0 : frame_length(frames.rest)) {
    frames.replies.push_back(frames.rest.substr(0, length));
    frames.rest.remove_prefix(length);
  }
  return frames;
}

}  // namespace picklock::test
