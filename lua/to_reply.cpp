// What a script returns, as a reply.
#include <iterator>
#include <string>
#include <vector>

#include "lua/state.hpp"

namespace picklock::lua {

namespace {

/// The names that give a table its meaning, as upvalues of the function that converts.
enum Name : int {
  kErr = 1,
  kOk,
  kDouble,
  kBigNumber,
  kVerbatim,
  kMap,
  kSet,
  kFormat,
  kString,
  kCounted
};
constexpr const char* kNames[] = {
    "err", "ok",  "double", "big_number", "verbatim_string",
    "map", "set", "format", "string",     "ignore_error_stats_update"};

/// Writes a value of a Lua stack and everything in it. Not recursive, since a script decides how
/// deep it is. Uses raw access only, so nothing here can raise.
class Conversion {
  // A table that holds the same table twice, and so on inwards, is small and has no end. Redis
  // writes until its memory is full.
  static constexpr std::uint64_t kMaxValues = 1 << 24;

 public:
  Conversion(lua_State* L, int resp_version, ReplyWriter& out)
      : L_(L), resp_version_(resp_version), out_(out) {}

  /// Writes the value at the top and pops it.
  void run() {
    write_top();
    while (!open_.empty()) step();
  }

 private:
  enum class Kind : std::uint8_t { array, map_key, map_value, set };
  /// A collection on the Lua stack that is being written. Of a map or set there are two tables, the
  /// outer one and the one inside, and above them the key that was written last.
  struct Open {
    Kind kind;
    int written;
    int size;
  };

  /// Writes the value at the top and pops it; a collection stays and is opened.
  void write_top() {
    if (++values_ > kMaxValues) {
      out_.null();
      lua_pop(L_, 1);
      return;
    }
    // Redis asks for room for four more values, on a stack that holds one more at its bottom.
    if (lua_checkstack(L_, 5) == 0) {
      out_.error("ERR reached lua stack limit");
      lua_pop(L_, 1);
      return;
    }
    switch (lua_type(L_, -1)) {
      case LUA_TSTRING:
        out_.bulk(string_at(L_, -1));
        break;
      case LUA_TBOOLEAN:
        write_boolean(lua_toboolean(L_, -1) != 0);
        break;
      case LUA_TNUMBER:
        out_.integer(to_int64(lua_tonumber(L_, -1)));
        break;
      case LUA_TTABLE:
        write_table();
        return;
      default:
        out_.null();
    }
    lua_pop(L_, 1);
  }

  void write_boolean(bool value) {
    if (resp_version_ >= 3)
      out_.boolean(value);
    else if (value)
      out_.integer(1);
    else
      out_.null();
  }

  /// Pushes the field named `name` of the table at `table`; pops it again if it has
  /// another type.
  bool push_field(Name name, int type, int table = -1) {
    lua_pushvalue(L_, lua_upvalueindex(name));
    lua_rawget(L_, table - 1);
    if (lua_type(L_, -1) == type) return true;
    lua_pop(L_, 1);
    return false;
  }

  /// The string at the top as Redis puts it into a line: up to a NUL, without line breaks.
  std::string line_at_top() {
    std::string line = whole_line_at_top();
    return line.substr(0, line.find('\0'));
  }

  /// As above, but that a NUL ends nothing: a big number is sent with its length.
  std::string whole_line_at_top() {
    std::string line{string_at(L_, -1)};
    for (char& c : line)
      if (c == '\r' || c == '\n') c = ' ';
    return line;
  }

  void write_error() {
    std::string text{lua_tostring(L_, -1)};
    while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.pop_back();
    for (char& c : text)
      if (c == '\r' || c == '\n') c = ' ';
    if (!push_field(kCounted, LUA_TBOOLEAN, -2)) return out_.error(text);
    lua_toboolean(L_, -1) != 0 ? out_.repeat_error(text) : out_.error(text);
    lua_pop(L_, 1);
  }

  void write_table() {
    if (push_field(kErr, LUA_TSTRING)) {
      write_error();
    } else if (push_field(kOk, LUA_TSTRING)) {
      out_.status(line_at_top());
    } else if (push_field(kDouble, LUA_TNUMBER)) {
      out_.real(lua_tonumber(L_, -1));
    } else if (push_field(kBigNumber, LUA_TSTRING)) {
      out_.big_number(whole_line_at_top());
    } else if (push_field(kVerbatim, LUA_TTABLE)) {
      if (!write_verbatim()) {
        lua_pop(L_, 1);
        return write_collection();
      }
    } else {
      return write_collection();
    }
    lua_pop(L_, 2);
  }

  /// The table of format and string is at the top, and stays there.
  bool write_verbatim() {
    if (!push_field(kFormat, LUA_TSTRING)) return false;
    if (!push_field(kString, LUA_TSTRING, -2)) {
      lua_pop(L_, 1);
      return false;
    }
    char format[3] = {' ', ' ', ' '};  // Redis takes three letters, and fills up what is shorter.
    const char* given = lua_tostring(L_, -2);
    for (std::size_t i = 0; i < 3 && given[i] != '\0'; ++i) format[i] = given[i];
    out_.verbatim({format, 3}, string_at(L_, -1));
    lua_pop(L_, 2);
    return true;
  }

  void write_collection() {
    if (push_field(kMap, LUA_TTABLE))
      open_pairs(Kind::map_key);
    else if (push_field(kSet, LUA_TTABLE))
      open_pairs(Kind::set);
    else
      open_array();
  }

  /// The table inside is at the top.
  void open_pairs(Kind kind) {
    if (push_real(L_, -1)) lua_replace(L_, -2);
    std::size_t size = 0;
    for (lua_pushnil(L_); lua_next(L_, -2) != 0; lua_pop(L_, 1)) ++size;
    if (kind == Kind::set)
      out_.set(size);
    else
      out_.map(size);
    lua_pushnil(L_);
    open_.push_back({kind, 0, 0});
  }

  void open_array() {
    int size = 0;
    for (;; ++size) {
      lua_rawgeti(L_, -1, size + 1);
      const bool end = lua_isnil(L_, -1);
      lua_pop(L_, 1);
      if (end) break;
    }
    out_.array(static_cast<std::size_t>(size));
    open_.push_back({Kind::array, 0, size});
  }

  void close(int values) {
    lua_pop(L_, values);
    open_.pop_back();
  }

  /// Writes the next element of the innermost collection, or closes it.
  void step() {
    Open& last = open_.back();
    switch (last.kind) {
      case Kind::array:
        if (last.written == last.size) return close(1);
        lua_rawgeti(L_, -1, ++last.written);
        break;
      case Kind::map_key:
        if (next_in_order(L_, -2) == 0) return close(2);
        lua_pushvalue(L_, -2);
        last.kind = Kind::map_value;
        break;
      case Kind::map_value:  // The value has been waiting below its key.
        last.kind = Kind::map_key;
        break;
      case Kind::set:
        if (next_in_order(L_, -2) == 0) return close(2);
        lua_pop(L_, 1);
        lua_pushvalue(L_, -1);
        break;
    }
    write_top();
  }

  lua_State* L_;
  int resp_version_;
  ReplyWriter& out_;
  std::uint64_t values_ = 0;
  std::vector<Open> open_;
};

int convert_table(lua_State* L) {
  State& state = state_of(L);
  Conversion{L, state.resp_version, *state.out}.run();
  return 0;
}

}  // namespace

void push_reply_conversion(lua_State* L) {
  for (const char* name : kNames) lua_pushstring(L, name);
  lua_pushcclosure(L, convert_table, std::size(kNames));
}

void write_reply(State& state, ReplyWriter& out) {
  lua_State* L = state.main;
  if (!lua_istable(L, -1)) return Conversion{L, state.resp_version, out}.run();
  // In a call of its own, where the stack's limit counts from the table on.
  lua_pushvalue(L, kSlotConversion);
  lua_insert(L, -2);
  state.out = &out;
  lua_call(L, 1, 0);
}

}  // namespace picklock::lua
