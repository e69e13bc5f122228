#include "tests/differential/monitored.hpp"

#include "emulator/base/text.hpp"

namespace picklock::test {
namespace {

constexpr std::string_view kMark = "+(monitored) ";
constexpr std::string_view kDigits = "0123456789";

// Where the origin ("[0 lua]") begins in a line such as +1339518083.107412 [0 lua] "PING"; 0 in
// others.
std::size_t find_origin(std::string_view line) {
  if (!line.starts_with('+') || line.size() < 2 || kDigits.find(line[1]) == kDigits.npos) return 0;
  const auto end = line.find_first_not_of("0123456789.", 1);
  if (end == line.npos || !line.substr(end).starts_with(" [")) return 0;
  return line.find("] \"", end) == line.npos ? 0 : end + 1;
}

// Numbers in quotes, which are ids or near to them.
std::string without_numbers(std::string_view words) {
  std::string text;
  while (!words.empty()) {
    const auto end = words.find_first_not_of(kDigits, 1);
    const bool is_number = words[0] == '"' && end != words.npos && end > 1 && words[end] == '"';
    text += is_number ? "\"(a number)\"" : words.substr(0, 1);
    words.remove_prefix(is_number ? end + 1 : 1);
  }
  return text;
}

std::string marked(std::string_view line, std::size_t origin) {
  const auto end = line.find("] \"", origin);
  const std::string_view from = line.substr(origin, end - origin);
  const std::string_view words = line.substr(end + 2);
  std::string text{kMark};
  text += from.ends_with(" lua") ? from : from.substr(0, from.find(' '));
  const bool takes_ids = lower(words).find("\"client\"") != words.npos;
  return text + "] " + (takes_ids ? without_numbers(words) : std::string{words}) + "\r\n";
}

}  // namespace

std::string mark_monitored(std::string_view stream, std::size_t& count) {
  std::string text;
  while (!stream.empty()) {
    const auto end = stream.find("\r\n");
    const std::size_t length = end == stream.npos ? stream.size() : end + 2;
    const std::string_view line = stream.substr(0, end);
    const std::size_t origin = end == stream.npos ? 0 : find_origin(line);
    if (origin == 0)
      text += stream.substr(0, length);
    else if (++count; !line.ends_with("] \"TIME\""))
      text += marked(line, origin);
    stream.remove_prefix(length);
  }
  return text;
}

bool is_monitored(std::string_view reply) { return reply.starts_with(kMark); }

}  // namespace picklock::test
