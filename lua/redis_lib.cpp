// The table `redis` of the scripts.
#include <cmath>
#include <string>

#include "emulator/base/numbers.hpp"
#include "emulator/base/sha1.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

namespace {

/// %.17g, with a short way for the integers, which scripts pass most often.
void replace_number(lua_State* L, int index) {
  const double value = lua_tonumber(L, index);
  char digits[kInt64Chars];
  char text[kDoubleChars];
  const bool plain = value > -1e15 && value < 1e15 && value == std::trunc(value) &&
                     !(value == 0 && std::signbit(value));
  const std::string_view printed =
      plain ? format_int64(static_cast<std::int64_t>(value), digits) : format_double(value, text);
  push_string(L, printed);
  lua_replace(L, index);
}

/// Gathers the arguments into state.words, or gives the text of what is wrong with them.
const char* gather_words(lua_State* L, State& state) {
  const int count = lua_gettop(L);
  if (count == 0) return "Please specify at least one argument for this redis lib call";
  const auto size = static_cast<std::size_t>(count);
  if (state.gathered.size() < size) state.gathered.resize(size);
  std::string_view* word = state.gathered.data();
  for (int i = 1; i <= count; ++i) {
    const int type = lua_type(L, i);
    if (type == LUA_TNUMBER)
      replace_number(L, i);
    else if (type != LUA_TSTRING)
      return "Lua redis lib command arguments must be strings or integers";
    *word++ = string_at(L, i);
  }
  state.words = {state.gathered.data(), size};
  return nullptr;
}

/// Leaves the host's one reply on the stack; true if it is an error. An exception waits in
/// state.failure.
bool ask_host(lua_State* L, State& state) {
  state.memory.set_enforced(false);
  state.writer.begin(L, state);
  try {
    state.host->call(state.words, state.resp_version, state.writer);
  } catch (...) {
    state.failure = std::current_exception();
  }
  const bool is_error = state.writer.end();
  state.memory.set_enforced(true);
  return is_error;
}

int call_command(lua_State* L, bool raise) {
  State& state = state_of(L);
  if (const char* wrong = gather_words(L, state)) return fail(L, wrong, raise);
  if (state.watched) tell_line_of_call(L);
  const bool is_error = ask_host(L, state);
  if (state.failure != nullptr) raise_killed(L);
  return raise && is_error ? lua_error(L) : 1;
}

int redis_call(lua_State* L) { return call_command(L, true); }
int redis_pcall(lua_State* L) { return call_command(L, false); }

enum class Verdict : std::uint8_t { denied, allowed, unknown_command };

Verdict ask_acl(State& state) {
  try {
    if (!state.host->command_exists(state.words)) return Verdict::unknown_command;
    return state.host->acl_allows(state.words) ? Verdict::allowed : Verdict::denied;
  } catch (...) {
    state.failure = std::current_exception();
    return Verdict::denied;
  }
}

int redis_acl_check_cmd(lua_State* L) {
  State& state = state_of(L);
  if (const char* wrong = gather_words(L, state)) return fail(L, wrong);
  const Verdict verdict = ask_acl(state);
  if (state.failure != nullptr) raise_killed(L);
  if (verdict == Verdict::unknown_command)
    return fail(L, "Invalid command passed to redis.acl_check_cmd()");
  lua_pushboolean(L, verdict == Verdict::allowed ? 1 : 0);
  return 1;
}

void log_words(lua_State* L, State& state, LogLevel level) {
  state.memory.set_enforced(false);
  try {
    std::string line;
    for (int i = 2; i <= lua_gettop(L); ++i) {
      if (lua_isstring(L, i) == 0) continue;
      if (i != 2) line += ' ';
      line += string_at(L, i);
    }
    state.host->log(level, line);
  } catch (...) {
    state.failure = std::current_exception();
  }
  state.memory.set_enforced(true);
}

int redis_log(lua_State* L) {
  if (lua_gettop(L) < 2) return fail(L, "redis.log() requires two arguments or more.");
  if (lua_isnumber(L, 1) == 0) return fail(L, "First argument must be a number (log level).");
  const double level = lua_tonumber(L, 1);
  if (!(level > -1 && level < 4)) return fail(L, "Invalid debug level.");
  State& state = state_of(L);
  log_words(L, state, static_cast<LogLevel>(static_cast<int>(level)));
  if (state.failure != nullptr) raise_killed(L);
  return 0;
}

int redis_sha1hex(lua_State* L) {
  if (lua_gettop(L) != 1) return fail(L, "wrong number of arguments");
  // What is neither string nor number counts as empty.
  const auto digest = sha1_hex(string_at(L, 1));
  lua_pushlstring(L, digest.data(), digest.size());
  return 1;
}

bool has_one_string(lua_State* L) { return lua_gettop(L) == 1 && lua_type(L, 1) == LUA_TSTRING; }

int redis_error_reply(lua_State* L) {
  if (!has_one_string(L)) return fail(L, "wrong number or type of arguments", false);
  const char* text = lua_tostring(L, 1);
  if (*text != '-') text = lua_pushfstring(L, "-%s", text);
  push_error(L, text);
  return 1;
}

int redis_status_reply(lua_State* L) {
  if (!has_one_string(L)) return fail(L, "wrong number or type of arguments", false);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "ok");
  return 1;
}

int redis_setresp(lua_State* L) {
  if (lua_gettop(L) != 1) return fail(L, "redis.setresp() requires one argument.");
  const double version = lua_tonumber(L, 1);
  if (!(version >= 2 && version < 4)) return fail(L, "RESP version must be 2 or 3.");
  state_of(L).resp_version = static_cast<int>(version);
  return 0;
}

constexpr int kReplicas = 2;  // REPL_REPLICA.

int redis_set_repl(lua_State* L) {
  if (lua_gettop(L) != 1) return fail(L, "redis.set_repl() requires two arguments.");
  const double flags = lua_tonumber(L, 1);
  if (!(flags > -1 && flags < 4))
    return fail(L, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
  state_of(L).host->tells_replicas((static_cast<int>(flags) & kReplicas) != 0);
  return 0;
}

int redis_replicate_commands(lua_State* L) {
  lua_pushboolean(L, 1);
  return 1;
}

int redis_breakpoint(lua_State* L) {
  lua_pushboolean(L, 0);  // No debugger is attached.
  return 1;
}

int redis_debug(lua_State*) { return 0; }

struct Function {
  const char* name;
  lua_CFunction code;
};
struct Number {
  const char* name;
  int value;
};

void add(lua_State* L, const Function& function) {
  lua_pushcfunction(L, function.code);
  lua_setfield(L, -2, function.name);
}
void add(lua_State* L, const Number& number) {
  lua_pushinteger(L, number.value);
  lua_setfield(L, -2, number.name);
}
template <typename Entry, std::size_t kCount>
void add_all(lua_State* L, const Entry (&entries)[kCount]) {
  for (const Entry& entry : entries) add(L, entry);
}

constexpr Function kCalls[] = {{"call", redis_call}, {"pcall", redis_pcall}};
constexpr Function kLog{"log", redis_log};
constexpr Number kLogLevels[] = {
    {"LOG_DEBUG", 0}, {"LOG_VERBOSE", 1}, {"LOG_NOTICE", 2}, {"LOG_WARNING", 3}};
constexpr Function kHelpers[] = {{"setresp", redis_setresp},
                                 {"sha1hex", redis_sha1hex},
                                 {"error_reply", redis_error_reply},
                                 {"status_reply", redis_status_reply},
                                 {"set_repl", redis_set_repl}};
constexpr Number kReplication[] = {
    {"REPL_NONE", 0}, {"REPL_AOF", 1}, {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2}, {"REPL_ALL", 3}};
constexpr Function kAclCheck{"acl_check_cmd", redis_acl_check_cmd};
constexpr Function kRest[] = {{"breakpoint", redis_breakpoint},
                              {"debug", redis_debug},
                              {"replicate_commands", redis_replicate_commands}};

}  // namespace

int fail(lua_State* L, const char* text, bool raise) {
  push_error(L, text);
  return raise ? lua_error(L) : 1;
}

void add_log_and_version(lua_State* L) {
  add(L, kLog);
  add_all(L, kLogLevels);
  const Profile& profile = *state_of(L).options.profile;
  add(L, Number{"REDIS_VERSION_NUM", profile.redis_version_number});
  lua_pushlstring(L, profile.redis_version.data(), profile.redis_version.size());
  lua_setfield(L, -2, "REDIS_VERSION");
  if (!profile.is_valkey()) return;
  push_string(L, profile.server);
  lua_setfield(L, -2, "SERVER_NAME");
  push_string(L, profile.version);
  lua_setfield(L, -2, "SERVER_VERSION");
  add(L, Number{"SERVER_VERSION_NUM", profile.version_number});
}

// The order matters: it decides in which order pairs(redis) shows the names.
void open_redis_library(lua_State* L) {
  lua_newtable(L);
  add_all(L, kCalls);
  add_log_and_version(L);
  add_all(L, kHelpers);
  add_all(L, kReplication);
  add(L, kAclCheck);
  if (state_of(L).options.kind == Interpreter::Kind::scripts) add_all(L, kRest);
}

}  // namespace picklock::lua
