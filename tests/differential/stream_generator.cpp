// The generator's streams: IDs that grow, and IDs that were.
#include <algorithm>
#include <array>

#include "tests/differential/generator.hpp"
#include "tests/differential/stream_templates.hpp"

namespace picklock::test {
namespace {

using namespace std::string_view_literals;

// No short bare number: a word further to the left, it would be an idle time that passes during the
// test.
constexpr std::array kIdEdges{"0"sv,
                              "0-0"sv,
                              "0-1"sv,
                              "1-1"sv,
                              "5-*"sv,
                              "-1"sv,
                              "1-"sv,
                              "1-1-1"sv,
                              "01-1"sv,
                              "abc"sv,
                              ""sv,
                              "$"sv,
                              "9223372036854775808"sv,
                              "18446744073709551615"sv,
                              "18446744073709551615-18446744073709551614"sv,
                              "18446744073709551615-18446744073709551615"sv,
                              "18446744073709551616-1"sv};
constexpr std::array kGroups{"g"sv, "g"sv, "g"sv, "g"sv, "h"sv, ""sv};
constexpr std::array kConsumers{"alice"sv, "alice"sv, "bob"sv, "c\0c"sv};
constexpr std::uint64_t kMemory = 12;  // How far back the IDs go that are asked for.

}  // namespace

std::string Generator::new_id() {
  ++last_ms_;
  if (chance(85)) return std::to_string(last_ms_) + "-" + std::to_string(random_.below(3));
  return chance(80) ? std::to_string(last_ms_) + "-*" : entry_id();
}

std::string Generator::entry_id() {
  if (chance(10)) return std::string{pick(kIdEdges)};
  const std::uint64_t back = random_.below(std::min(kMemory, last_ms_ + 1));
  return std::to_string(last_ms_ - back) + "-" + std::to_string(random_.below(3));
}

std::string Generator::id_bound() {
  if (chance(40)) return chance(50) ? "-" : "+";
  return (chance(20) ? "(" : "") + entry_id();
}

std::string Generator::stream_placeholder(char kind) {
  switch (kind) {
    case 'n':
      return new_id();
    case 'x':
      return entry_id();
    case 'X':
      return id_bound();
    case 'g':
      return std::string{pick(kGroups)};
    default:
      return std::string{pick(kConsumers)};
  }
}

// IDs made of the present time, and a consumer that reads them.
Action Generator::present_stream() {
  Action action;
  action.commands = {from_template(pick(kPresentStreams)), {"XLEN", "now"}};
  if (chance(50)) action.commands.push_back(from_template(pick(kPresentStreams)));
  action.commands.push_back({"DEL", "now"});
  return action;
}

}  // namespace picklock::test
