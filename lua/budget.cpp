// The instruction budget: how a script that never ends gives the server a turn, and how it is
// killed.
#include <algorithm>
#include <cstring>

#include "lua/state.hpp"

namespace picklock::lua {

namespace {

// How often the hook fires. Small, because a coroutine starts with a full count of its own; a call
// every thousand instructions costs less than one percent.
constexpr std::uint64_t kHookStep = 1000;
// Once the budget is used up the host is asked this often, about every millisecond.
constexpr std::uint64_t kAskAgain = 100'000;

// Joining or comparing two strings is one instruction, however long they are. So instructions cost
// more once a script has made a string of this size.
constexpr std::size_t kLargeBytes = 64 * 1024;
constexpr std::size_t kBytesPerInstruction = 4096;

std::uint64_t cost_of_instruction(const State& state) {
  return state.largest_block < kLargeBytes ? 1 : 1 + state.largest_block / kBytesPerInstruction;
}

int step_of(const State& state) {
  return static_cast<int>(
      std::clamp<std::uint64_t>(state.options.instruction_budget, 1, kHookStep));
}

bool host_wants_stop(State& state) {
  try {
    return state.host->must_stop();
  } catch (...) {
    state.failure = std::current_exception();
    return true;
  }
}

/// Whether a chunk is the script itself, and not what it has loaded.
bool is_own(const lua_Debug& where) {
  return std::strcmp(where.source, "@user_script") == 0 ||
         std::strcmp(where.source, "@user_function") == 0;
}

void on_hook(lua_State* L, lua_Debug* where) {
  State& state = state_of(L);
  if (state.killed) raise_killed(L);
  if (where->event == LUA_HOOKLINE) {
    lua_getinfo(L, "S", where);
    if (is_own(*where)) state.host->at_line(where->currentline);
    return;
  }
  charge(L, static_cast<std::uint64_t>(step_of(state)) * cost_of_instruction(state));
}

}  // namespace

void arm_budget(State& state) {
  state.executed_before += state.executed;
  state.executed = 0;
  state.ask_at = state.options.instruction_budget;
  lua_sethook(state.main, on_hook, LUA_MASKCOUNT | (state.watched ? LUA_MASKLINE : 0),
              step_of(state));
}

void tell_line_of_call(lua_State* L) {
  lua_Debug where;
  for (int level = 1; lua_getstack(L, level, &where) != 0; ++level) {
    lua_getinfo(L, "Sl", &where);
    if (where.currentline > 0 && is_own(where))
      return state_of(L).host->calling_from(where.currentline);
  }
}

void charge(lua_State* L, std::uint64_t steps) {
  State& state = state_of(L);
  state.executed += steps;
  // While a reply is written out, nothing can take an error.
  if (state.executed < state.ask_at || !state.memory.enforced()) return;
  if (!state.killed) {
    state.ask_at = state.executed + std::min(state.options.instruction_budget, kAskAgain);
    state.memory.set_enforced(false);
    const bool stop = host_wants_stop(state);
    state.memory.set_enforced(true);
    if (!stop) return;
    if (state.library != nullptr) fail(L, "FUNCTION LOAD timeout");
  }
  raise_killed(L);
}

void charge_coroutine(lua_State* L) {
  State& state = state_of(L);
  state.executed += static_cast<std::uint64_t>(step_of(state));
}

void raise_killed(lua_State* L) {
  State& state = state_of(L);
  state.killed = true;
  // From now on every line raises again, as in Redis: a script cannot go on by catching the error.
  lua_sethook(L, on_hook, LUA_MASKLINE, 0);
  lua_sethook(state.main, on_hook, LUA_MASKLINE, 0);
  push_error(L, "Script killed by user with SCRIPT KILL...");
  lua_error(L);
  std::terminate();  // lua_error does not return.
}

}  // namespace picklock::lua
