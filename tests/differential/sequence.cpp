#include "tests/differential/sequence.hpp"

#include <array>

#include "tests/support/words.hpp"

namespace picklock::test {
namespace {

void print_command(std::string& text, int client, const Words& words) {
  text.append(client_name(client)) += '>';
  for (const auto& word : words) text += ' ' + as_typed(word);
  text += '\n';
}

}  // namespace

std::size_t count_steps(const Sequence& sequence) {
  std::size_t count = 0;
  for (const auto& action : sequence)
    count += action.commands.size() + action.afterwards.size() + (action.raw.empty() ? 0 : 1);
  return count;
}

std::string_view client_name(int client) {
  static constexpr std::array<std::string_view, 4> kNames{"alice", "bob", "carol", "dave"};
  return kNames[static_cast<std::size_t>(client) % kNames.size()];
}

std::string print_sequence(const Sequence& sequence) {
  std::string text;
  for (const auto& action : sequence) {
    if (!action.raw.empty()) text += "raw> " + quote(action.raw) + '\n';
    for (const auto& words : action.commands) print_command(text, action.client, words);
    if (action.wait.count() > 0) text += "~ " + std::to_string(action.wait.count()) + "ms\n";
    for (const auto& words : action.afterwards) print_command(text, action.client, words);
  }
  return text;
}

}  // namespace picklock::test
