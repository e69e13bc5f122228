#include "lua/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "lua/code_facts.hpp"
#include "lua/state.hpp"

namespace picklock::lua {

namespace {

// Enough garbage to make a full collection cheap per script, and little enough to stay in the
// processor's caches, for scripts make their objects where the last garbage was.
constexpr std::size_t kCollectAfterBytes = 64 * 1024;
// A single script that goes beyond this has the collector running beside it.
constexpr std::size_t kCollectWithinBytes = 1024 * 1024;
constexpr std::size_t kFreeBlockBytes = 1024;
constexpr std::size_t kBytesPerStep = 64;

void* allocate(void* data, void* block, std::size_t old_size, std::size_t new_size) {
  auto& state = *static_cast<State*>(data);
  // Making and filling a large block is work too: a loop that joins long strings takes few
  // instructions.
  if (old_size == 0 && new_size > kFreeBlockBytes) {
    state.executed += new_size / kBytesPerStep;
    state.largest_block = std::max(state.largest_block, new_size);
  }
  void* result = state.memory.reallocate(block, old_size, new_size);
  if (!state.collecting && state.host != nullptr && state.memory.used() > state.collect_at) {
    state.collecting = true;
    lua_gc(state.main, LUA_GCRESTART, 0);
  }
  return result;
}

/// Comparing strings and printing numbers, Lua asks the C library, which follows the locale of the
/// program.
class CLocaleScope {
 public:
  explicit CLocaleScope(locale_t c_locale) : before_(uselocale(c_locale)) {}
  ~CLocaleScope() { uselocale(before_); }
  CLocaleScope(const CLocaleScope&) = delete;
  CLocaleScope& operator=(const CLocaleScope&) = delete;

 private:
  locale_t before_;
};

/// Whether a script may show how much memory there is, or when the collector ran.
bool may_see_memory(std::string_view body) {
  for (const std::string_view word : {"gcinfo", "collectgarbage", "__mode"})
    if (body.find(word) != std::string_view::npos) return true;
  return false;
}

/// Whether a script could get at cjson, whose settings last: by its name, or by what names could be
/// made up with. There is no other way, for scripts leave no values behind.
bool may_reach_cjson(std::string_view body) {
  for (const std::string_view word : {"cjson", "_G", "load"})
    if (body.find(word) != std::string_view::npos) return true;
  return false;
}

/// Takes away all that earlier scripts have left. Lua shrinks its own tables by half a collection.
void collect_everything(State& state) {
  if (state.options.kind == Interpreter::Kind::scripts) {
    fill_words(state, kSlotOwnKeys, {}, state.own_keys);
    fill_words(state, kSlotOwnArgv, {}, state.own_argv);
  }
  forget_texts(state);
  for (const Slot name : {kSlotKeys, kSlotArgv}) {
    if (state.options.kind == Interpreter::Kind::functions) break;
    // Not nil: the collector would forget the name, which then gets another place in pairs(_G).
    lua_pushvalue(state.main, name);
    lua_pushboolean(state.main, 0);
    lua_rawset(state.main, kSlotGlobals);
  }
  std::size_t before = 0;
  do {
    before = state.memory.used();
    lua_gc(state.main, LUA_GCCOLLECT, 0);
  } while (state.memory.used() < before);
  lua_gc(state.main, LUA_GCSTOP, 0);
}

/// What LUA_GCCOLLECT frees while no collection is under way, without the sweep that it begins
/// with.
void collect_in_one_sweep(lua_State* L) {
  constexpr int kAllAtOnce = 1 << 20;  // In kilobytes: more than there are.
  while (lua_gc(L, LUA_GCSTEP, kAllAtOnce) == 0) {
  }
}

void push_words(lua_State* L, Args words) {
  // As large as it would have grown word by word, which is how Redis fills it: `#KEYS` shows it
  // when a script makes one nil.
  lua_createtable(L, words.empty() ? 0 : static_cast<int>(std::bit_ceil(words.size())), 0);
  int index = 0;
  for (const std::string_view word : words) {
    push_string(L, word);
    lua_rawseti(L, -2, ++index);
  }
}

/// Sets the global named by `name` to an array of `words`.
void set_words(lua_State* L, Slot name, Args words) {
  lua_pushvalue(L, name);
  push_words(L, words);
  lua_rawset(L, kSlotGlobals);
}

}  // namespace

// The collector stands still while an ordinary script runs, and frees at once what many have left
// behind. Counted in bytes, so it happens at the same call in every run of a program.
void collect_after_run(State& state) {
  if (state.memory.used() > state.collect_after) {
    if (state.collecting)
      lua_gc(state.main, LUA_GCCOLLECT, 0);
    else
      collect_in_one_sweep(state.main);
    state.memory.trim();
    state.collect_after = state.memory.used() * 2 + kCollectAfterBytes;
  } else if (!state.collecting) {
    return;  // It stands still already.
  }
  lua_gc(state.main, LUA_GCSTOP, 0);
}

State::State(const Interpreter::Options& opts) : options(opts) {
  c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  memory.set_limit(options.heap_limit_bytes);
  main = lua_newstate(allocate, this);
  if (c_locale == nullptr || main == nullptr) throw std::bad_alloc{};
  const CLocaleScope scope{c_locale};
  open_sandbox(*this);
  collect_after_run(*this);
}

State::~State() {
  lua_close(main);
  freelocale(c_locale);
}

struct Interpreter::Impl {
  explicit Impl(const Options& options) : state(options) {}

  struct Script {
    std::string name;  // As errors call it.
    bool sees_memory;
    bool reaches_cjson;
    bool reads_in_place;  // Its environment is kSlotInPlace.
  };

  void begin(bool sees_memory, CallHost& host);
  void end();
  void keep(Handle handle, std::string_view name, std::string_view body);
  Handle keep_script(std::string_view name, std::string_view body);
  void set_arguments(Handle handle, Args keys, Args argv);
  const CjsonSettings& cjson_settings() {
    if (!cjson) cjson = read_cjson_settings(state.main);
    return *cjson;
  }

  State state;
  /// By handle.
  std::vector<Script> scripts;
  /// As they stand; empty: a script may have changed them.
  std::optional<CjsonSettings> cjson;
};

void Interpreter::Impl::begin(bool sees_memory, CallHost& host) {
  if (sees_memory) collect_everything(state);
  state.memory_shows = sees_memory;
  state.resp_version = 2;
  state.killed = false;
  state.names_given = 0;
  state.largest_block = 0;
  state.failure = nullptr;
  state.collecting = false;
  state.memory_at_start = state.memory.used();
  state.collect_at = state.memory_at_start + kCollectWithinBytes;
  state.watched = host.watches();
  arm_budget(state);
  state.host = &host;
}

void Interpreter::Impl::end() {
  state.host = nullptr;
  lua_sethook(state.main, nullptr, 0, 0);
}

Interpreter::Interpreter() : Interpreter(Options{}) {}
Interpreter::Interpreter(Options options) : impl_(std::make_unique<Impl>(options)) {}
Interpreter::~Interpreter() = default;

Interpreter::Handle Interpreter::compile(std::string_view sha1, std::string_view body,
                                         std::string& error) {
  const CLocaleScope scope{impl_->state.c_locale};
  lua_State* L = impl_->state.main;
  // The first line of "#!lua ..." is for the server; its line break stays, so that lines keep their
  // numbers.
  if (body.starts_with("#!")) {
    const std::size_t end = body.find('\n');
    if (end == std::string_view::npos) {
      error = "ERR Invalid script shebang";
      return 0;
    }
    body.remove_prefix(end);
  }
  if (load_text(L, body, "@user_script") != 0) {
    error = "ERR Error compiling script (new function): " + one_line(lua_tostring(L, -1));
    lua_pop(L, 1);
    return 0;
  }
  return impl_->keep_script(sha1, body);
}

namespace {

/// What the code of the environment sees: the globals, or what a library may use while it loads.
void show(lua_State* L, Slot table) {
  lua_pushvalue(L, table);
  lua_setfield(L, kSlotEnvironment, "__index");
}

/// The text of what was raised, which is at the top.
std::string raised_text(lua_State* L) {
  if (lua_istable(L, -1)) {
    lua_pushliteral(L, "err");
    lua_rawget(L, -2);
  }
  const char* text = lua_tostring(L, -1);
  return text == nullptr ? "unknown error" : text;
}

}  // namespace

bool Interpreter::load_library(std::string_view code, CallHost& host,
                               std::vector<RegisteredFunction>& functions, std::string& error) {
  State& state = impl_->state;
  const CLocaleScope scope{state.c_locale};
  lua_State* L = state.main;
  if (load_text(L, code, "@user_function") != 0) {
    error = std::string{"ERR Error compiling function: "} + lua_tostring(L, -1);
    lua_settop(L, kSlotLast);
    return false;
  }
  impl_->begin(false, host);
  impl_->cjson.reset();
  state.library = &functions;
  show(L, kSlotLibrary);
  state.memory.set_enforced(true);
  const int status = lua_pcall(L, 0, 0, kSlotErrorHandler);
  state.memory.set_enforced(false);
  show(L, kSlotGlobals);
  state.library = nullptr;
  impl_->end();
  if (status != 0) error = "ERR Error registering functions: " + raised_text(L);
  lua_settop(L, kSlotLast);
  for (const RegisteredFunction& function : functions)
    impl_->keep(function.handle, function.name, code);
  collect_after_run(state);
  if (state.failure != nullptr) std::rethrow_exception(std::exchange(state.failure, nullptr));
  return status == 0;
}

void Interpreter::Impl::keep(Handle handle, std::string_view name, std::string_view body) {
  const auto index = static_cast<std::size_t>(handle);
  if (scripts.size() <= index) scripts.resize(index + 1);
  scripts[index] = {std::string{name}, may_see_memory(body), may_reach_cjson(body), false};
}

/// Takes the function at the top.
Interpreter::Handle Interpreter::Impl::keep_script(std::string_view name, std::string_view body) {
  lua_State* L = state.main;
  const bool in_place = state.options.kind == Kind::scripts && !may_see_memory(body) &&
                        facts_of_function(L).reads_in_place;
  if (in_place) {
    lua_pushvalue(L, kSlotInPlace);
    lua_setfenv(L, -2);
  }
  const Handle handle = luaL_ref(L, LUA_REGISTRYINDEX);
  keep(handle, name, body);
  scripts[static_cast<std::size_t>(handle)].reads_in_place = in_place;
  return handle;
}

/// Sets KEYS and ARGV as the script will see them, and pushes the script.
void Interpreter::Impl::set_arguments(Handle handle, Args keys, Args argv) {
  lua_State* L = state.main;
  lua_rawgeti(L, LUA_REGISTRYINDEX, handle);
  Script& script = scripts[static_cast<std::size_t>(handle)];
  if (script.reads_in_place && std::max(keys.size(), argv.size()) <= kOwnWords) {
    fill_words(state, kSlotOwnKeys, keys, state.own_keys);
    fill_words(state, kSlotOwnArgv, argv, state.own_argv);
    return;
  }
  if (std::exchange(script.reads_in_place, false)) {  // It goes the usual way from now on.
    lua_pushvalue(L, LUA_GLOBALSINDEX);
    lua_setfenv(L, -2);
  }
  set_words(L, kSlotKeys, keys);
  set_words(L, kSlotArgv, argv);
}

void Interpreter::forget(Handle script) {
  luaL_unref(impl_->state.main, LUA_REGISTRYINDEX, script);
}

void Interpreter::run(Handle script, Args keys, Args argv, CallHost& host, ReplyWriter& out) {
  State& state = impl_->state;
  const CLocaleScope scope{state.c_locale};
  lua_State* L = state.main;
  const Impl::Script& known = impl_->scripts[static_cast<std::size_t>(script)];
  impl_->begin(known.sees_memory, host);
  if (known.reaches_cjson) impl_->cjson.reset();
  int arguments = 0;
  if (state.options.kind == Kind::scripts) {
    impl_->set_arguments(script, keys, argv);
  } else {
    lua_rawgeti(L, LUA_REGISTRYINDEX, script);
    push_words(L, keys);
    push_words(L, argv);
    arguments = 2;
  }
  state.memory.set_enforced(true);
  const int status = lua_pcall(L, arguments, 1, kSlotErrorHandler);
  state.memory.set_enforced(false);
  if (state.failure == nullptr) {
    if (status == 0) {
      write_reply(state, out);
    } else {
      write_raised(state, known.name, out);
    }
  }
  impl_->end();
  lua_settop(L, kSlotLast);
  collect_after_run(state);
  if (state.failure != nullptr) std::rethrow_exception(std::exchange(state.failure, nullptr));
}

std::uint64_t Interpreter::random_state() const { return impl_->state.lasting.random; }
void Interpreter::set_random_state(std::uint64_t random) { impl_->state.lasting.random = random; }

LastingState Interpreter::lasting_state() const {
  LastingState lasting = impl_->state.lasting;
  lasting.cjson = impl_->cjson_settings();
  return lasting;
}

void Interpreter::set_lasting_state(const LastingState& lasting) {
  impl_->state.lasting = lasting;
  if (lasting.cjson == impl_->cjson_settings()) return;
  write_cjson_settings(impl_->state.main, lasting.cjson);
  impl_->cjson.reset();
}

std::uint64_t Interpreter::executed() const {
  return impl_->state.executed_before + impl_->state.executed;
}

std::vector<int> Interpreter::code_lines(Handle script) const {
  lua_State* L = impl_->state.main;
  lua_rawgeti(L, LUA_REGISTRYINDEX, script);
  std::vector<int> lines = facts_of_function(L).lines;
  lua_pop(L, 1);
  return lines;
}

}  // namespace picklock::lua
