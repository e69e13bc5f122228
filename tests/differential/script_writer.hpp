// Writes random Lua scripts: calls, arithmetic, tables, strings, errors, and every library.
//
// What two servers of the same version could answer differently is never written: addresses, time,
// chance that is not seeded, the order of hash tables. Loops are short, and tables never hold
// themselves, so that every script ends. Deterministic: the same seed writes the same scripts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/base/random.hpp"
#include "tests/differential/sequence.hpp"

namespace picklock::test {

class ScriptWriter {
 public:
  explicit ScriptWriter(std::uint64_t seed) : random_(seed) {}

  /// One script, called by EVAL, EVALSHA or FCALL, with what belongs to it. The keyspace is asked
  /// for its digest afterwards.
  Action action();
  /// One script with a value that goes through cjson, cmsgpack, struct or bit and back.
  Action round_trip();

 private:
  std::string script();
  std::string statement(int depth);
  std::string assignment(int depth);
  std::string block(int depth);
  std::string loop(int depth);
  std::string protected_call(int depth);
  std::string raised();
  std::string closure(int depth);
  std::string call();
  std::string call_word();
  std::string result();

  // Expressions by the type that they mostly have.
  std::string any(int depth);
  std::string flat(int depth);
  std::string number(int depth);
  std::string text(int depth);
  std::string pieces(int depth);
  std::string truth(int depth);
  std::string table(int depth);
  std::string library_call(int depth);
  std::string arguments(std::string_view kinds, int depth);
  std::string fill(std::string_view form, int depth);
  std::string value(int depth);
  std::string bytes();
  std::string json(int depth);
  std::string json_scalar();
  std::string struct_format();
  std::string damaged(std::string script);
  std::string nested_value(int depth);

  template <class Container>
  std::string pick(const Container& container) {
    return std::string{container[random_.below(std::size(container))]};
  }
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  Random random_;
};

/// `bytes` as a Lua literal that says them in decimal.
std::string lua_literal(std::string_view bytes);

}  // namespace picklock::test
