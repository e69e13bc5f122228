#include "tests/differential/shrinker.hpp"

#include <algorithm>

namespace picklock::test {
namespace {

// Tries to do without each run of `length` actions; says whether one could go.
bool remove_runs(Sequence& sequence, std::size_t length, const StillFails& still_fails) {
  bool removed = false;
  for (std::size_t end = sequence.size(); end > 0;) {
    const std::size_t begin = end > length ? end - length : 0;
    Sequence without = sequence;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(begin),
                  without.begin() + static_cast<std::ptrdiff_t>(end));
    if (!without.empty() && still_fails(without)) {
      sequence = std::move(without);
      removed = true;
    }
    end = begin;
  }
  return removed;
}

// Tries to do without each two actions: who begins to wait and who ends that go only together.
bool remove_pairs(Sequence& sequence, const StillFails& still_fails) {
  constexpr std::size_t kFew = 20;
  if (sequence.size() > kFew) return false;
  for (std::size_t second = sequence.size(); second-- > 1;)
    for (std::size_t first = second; first-- > 0;) {
      Sequence without = sequence;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(second));
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(first));
      if (without.empty() || !still_fails(without)) continue;
      sequence = std::move(without);
      return true;
    }
  return false;
}

// Does without queued commands. Only a transaction is taken apart: elsewhere the commands of an
// action stay together for the sake of the clock.
void thin_transactions(Sequence& sequence, const StillFails& still_fails) {
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (sequence[i].commands.empty() || sequence[i].commands[0] != Words{"MULTI"}) continue;
    for (std::size_t at = sequence[i].commands.size(); at-- > 1;) {
      if (at + 1 == sequence[i].commands.size()) continue;  // EXEC or DISCARD.
      Sequence without = sequence;
      auto& commands = without[i].commands;
      commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(at));
      if (still_fails(without)) sequence = std::move(without);
    }
  }
}

void join_clients(Sequence& sequence, const StillFails& still_fails) {
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (sequence[i].client == 0) continue;
    Sequence other = sequence;
    const int client = sequence[i].client;
    for (auto& action : other)
      if (action.client == client) action.client = 0;
    if (still_fails(other)) sequence = std::move(other);
  }
}

}  // namespace

Sequence shrink(Sequence sequence, const StillFails& still_fails) {
  for (std::size_t length = std::max<std::size_t>(sequence.size() / 2, 1); length > 0; length /= 2)
    remove_runs(sequence, length, still_fails);
  while (remove_runs(sequence, 1, still_fails) || remove_pairs(sequence, still_fails)) {
  }
  thin_transactions(sequence, still_fails);
  join_clients(sequence, still_fails);
  while (remove_runs(sequence, 1, still_fails)) {
  }
  return sequence;
}

}  // namespace picklock::test
