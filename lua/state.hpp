// What the C functions of one interpreter share: the Lua state, the run in progress, what lasts.
//
// Internal to lua/. Reached from any of the interpreter's coroutines through its allocator's
// argument, so that no global is needed.
#pragma once

#include <array>
#include <exception>
#include <locale.h>
#include <string_view>
#include <vector>

#include "lua/allocator.hpp"
#include "lua/interpreter.hpp"
#include "lua/lua_api.hpp"
#include "lua/reply_to_lua.hpp"

namespace picklock::lua {

/// What lies at the bottom of the main stack for good: indices are quicker than names.
enum Slot : int {
  kSlotErrorHandler = 1,
  kSlotGlobals,  // The real table behind the proxy _G.
  kSlotKeys,     // The strings "KEYS" and "ARGV".
  kSlotArgv,
  kSlotConversion,   // A function that writes the table it is given as a reply.
  kSlotLibrary,      // What a library sees while it is loaded, for functions.
  kSlotEnvironment,  // The metatable of the environment, whose __index is what code sees.
  kSlotInPlace,      // The environment of scripts that read in place (CodeFacts)...
  kSlotOwnKeys,      // ...and its KEYS and ARGV.
  kSlotOwnArgv,
  kSlotLast = kSlotOwnArgv,
};

/// As many words as the tables in these slots have room for.
inline constexpr std::size_t kOwnWords = 16;
/// The words in one of them, which stay where they are as long as the table has them.
struct OwnWords {
  std::array<std::string_view, kOwnWords> words;
  std::size_t size = 0;
};

/// As many short texts are known as strings.
inline constexpr std::size_t kKnownTexts = 32;

struct State {
  explicit State(const Interpreter::Options& opts);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Interpreter::Options options;
  Allocator memory;
  lua_State* main = nullptr;
  locale_t c_locale = nullptr;
  std::size_t collect_at = 0;     // Within a run.
  std::size_t collect_after = 0;  // Between runs.
  OwnWords own_keys;              // What is in kSlotOwnKeys and kSlotOwnArgv.
  OwnWords own_argv;
  // The strings that push_text() gave last, which the registry has from `texts_ref` on.
  std::array<std::string_view, kKnownTexts> texts;
  int texts_ref = LUA_NOREF;

  // The run in progress.
  CallHost* host = nullptr;
  int resp_version = 2;
  bool killed = false;
  bool watched = false;    // CallHost::watches().
  bool collecting = true;  // The collector runs, as it does when Lua begins.
  std::uint64_t executed = 0;
  std::uint64_t executed_before = 0;  // By the runs before.
  std::uint64_t ask_at = 0;
  std::size_t names_given = 0;
  std::size_t largest_block = 0;  // Made in this run.
  std::size_t memory_at_start = 0;
  bool memory_shows = false;  // The script may see how much there is.
  ReplyWriter* out = nullptr;
  std::exception_ptr failure;
  std::vector<RegisteredFunction>* library = nullptr;  // While one is loaded.
  Args words;                                          ///< Of the call that the script makes...
  std::vector<std::string_view> gathered;  ///< ...and where they stand, with room for more.
  LuaReplyWriter writer;

  LastingState lasting;
};

inline State& state_of(lua_State* L) {
  void* state = nullptr;
  lua_getallocf(L, &state);
  return *static_cast<State*>(state);
}

/// The string at `index`, which must be one (a number would be changed in place).
inline std::string_view string_at(lua_State* L, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(L, index, &size);
  return {text, size};
}

inline void push_string(lua_State* L, std::string_view text) {
  lua_pushlstring(L, text.data(), text.size());
}

/// C's conversions on x86-64, without their undefined part.
inline std::int64_t to_int64(double value) {
  // Also false for NaN.
  const bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
  return fits ? static_cast<std::int64_t>(value) : INT64_MIN;
}
inline std::uint64_t to_uint64(double value) {
  constexpr double kHalf = 9223372036854775808.0;
  if (!(value >= kHalf)) return static_cast<std::uint64_t>(to_int64(value));
  return static_cast<std::uint64_t>(to_int64(value - kHalf)) ^ (std::uint64_t{1} << 63);
}

/// Texts that are strings already (texts.cpp). Puts `words` into a table that belongs to the
/// interpreter, which `filled` says the words of. What stands there already stays.
void fill_words(State& state, Slot table, Args words, OwnWords& filled);
/// Has strings kept for push_text(). Once, when the slots are filled.
void keep_texts(State& state);
/// Pushes an argument of a script or what a command has replied: often one that was there before.
void push_text(lua_State* L, State& state, std::string_view text);
/// Before a script that may see how much memory there is.
void forget_texts(State& state);

/// The instruction budget (budget.cpp).
void arm_budget(State& state);
/// Counts work done in C, in instructions; ends the script, or gives the server a turn, like the
/// hook.
void charge(lua_State* L, std::uint64_t steps);
/// Counts a new coroutine, whose first instructions the hook does not see.
void charge_coroutine(lua_State* L);
/// Tells the host in which line the C function that runs was called, if it wants to know.
void tell_line_of_call(lua_State* L);
/// Ends the script so that no pcall can hold it.
[[noreturn]] void raise_killed(lua_State* L);

/// An error as Redis sends it: without the line breaks at its end, with spaces for the others.
std::string one_line(std::string text);
/// Pushes {err=...} as Redis builds it: one leading '-' goes, a text of one word gets the code ERR.
void push_error(lua_State* L, const char* text);
/// tostring, but that objects show numbers instead of addresses.
int text_of(lua_State* L);
/// luaL_loadbuffer, but that bytecode is parsed as text (and fails), as in Redis.
int load_text(lua_State* L, std::string_view text, const char* name);
/// Redis's error handler: turns what was raised into a table with err, source and line.
int error_handler(lua_State* L);

/// Registers `redis`, cjson, bit; takes away what Redis does not offer; makes the rest read-only.
void open_sandbox(State& state);
void open_redis_library(lua_State* L);
void open_random(lua_State* L);
void open_base_library(lua_State* L);
/// Replaces functions of the string library, which is at the top of the stack.
void open_string_search(lua_State* L);
int open_struct(lua_State* L);
/// The library cjson, guarded, as the global `cjson`.
void open_cjson(lua_State* L);
CjsonSettings read_cjson_settings(lua_State* L);
void write_cjson_settings(lua_State* L, const CjsonSettings& settings);
/// Pushes the globals that a library sees while it is loaded.
void push_library_globals(lua_State* L);
/// Replaces the table at the top by a read-only proxy of it.
void make_proxy(lua_State* L);
/// Makes the table at the top complain about names that it does not have.
void guard_unknown_names(lua_State* L);
/// redis.log and its levels, and the version, into the table at the top.
void add_log_and_version(lua_State* L);
/// {err=...} raised with `text`; the same as a result if `raise` is false.
int fail(lua_State* L, const char* text, bool raise = true);
/// Replaces the function `name` of the table at the top by `code`, which gets it as its upvalue.
void wrap_function(lua_State* L, const char* name, lua_CFunction code);
/// Replaces table.* functions that write, or go through the whole table, on the library at the top
/// of the stack.
void guard_table_library(lua_State* L);

/// Between two scripts: collects once enough garbage has come together, and keeps the collector
/// stopped.
void collect_after_run(State& state);

/// If `index` is a read-only proxy, pushes the real table and returns true.
bool push_real(lua_State* L, int index);
/// lua_next, but that keys which are objects come last, in the order in which they were made:
/// otherwise their addresses would decide.
int next_in_order(lua_State* L, int index);
/// "Attempt to modify a readonly table", without a position.
int raise_readonly(lua_State* L);
/// What getmetatable shows for the metatable at the top, if that is not the metatable itself.
bool push_visible_metatable(lua_State* L);

void push_reply_conversion(lua_State* L);
/// Writes the value at the top of the main stack as a reply, and pops it.
void write_reply(State& state, ReplyWriter& out);
/// Writes the error at the top of the main stack, as the script `sha1` raised it, and pops it.
void write_raised(State& state, std::string_view sha1, ReplyWriter& out);

}  // namespace picklock::lua
