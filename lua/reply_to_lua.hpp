// Puts a command's reply straight onto a Lua stack, as redis.call returns it.
//
// No tree in between: containers stay on the stack until their last element has come. Pushing never
// raises, so the handlers that write may own C++ objects; the interpreter's allocator sees to that.
// Internal to lua/.
#pragma once

#include <vector>

#include "emulator/resp/reply_writer.hpp"

struct lua_State;

namespace picklock::lua {

struct State;

class LuaReplyWriter final : public ReplyWriter {
 public:
  /// One reply follows, in the run's protocol version. `state` is that of `L`.
  void begin(lua_State* L, State& state);
  /// Leaves exactly one value on the stack; true if it is an error.
  bool end();
  int version() const override { return version_; }

  void integer(std::int64_t value) override;
  void bulk(std::string_view bytes) override;
  void status(std::string_view text) override;
  void null() override;
  void null_array() override;
  void array(std::size_t size) override;
  void map(std::size_t size) override;
  void set(std::size_t size) override;
  void push(std::size_t size) override;
  void boolean(bool value) override;
  void real(double value) override;
  void big_number(std::string_view digits) override;
  void verbatim(std::string_view format, std::string_view text) override;

 protected:
  void write_error(std::string_view text) override;

 private:
  enum class Kind : std::uint8_t { array, map_key, map_value, set };
  struct Open {
    Kind kind;
    std::size_t left;
    int index;
  };

  bool ready();
  void open(Kind kind, std::size_t size, const char* wrapper);
  void push_field(const char* name, std::string_view text);
  void store(Open& container);
  void done();

  lua_State* L_ = nullptr;
  State* state_ = nullptr;
  int version_ = 2;
  int base_ = 0;
  bool complete_ = false;
  bool too_deep_ = false;
  bool is_error_ = false;
  std::vector<Open> open_;
};

}  // namespace picklock::lua
