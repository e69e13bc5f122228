// What a key can hold.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "emulator/keyspace/hash.hpp"
#include "emulator/keyspace/list.hpp"
#include "emulator/keyspace/set.hpp"
#include "emulator/keyspace/sorted_set.hpp"
#include "emulator/keyspace/stream.hpp"

namespace picklock {

using StringValue = std::string;

/// One alternative for each of Redis's data types.
using Value = std::variant<StringValue, HashValue, ListValue, SetValue, SortedSet, Stream>;

// There are as many as keys: what is large in a type stands on the heap.
static_assert(sizeof(Value) <= sizeof(StringValue) + sizeof(void*));

/// As `value = StringValue{text}`, but of a short text, which takes no memory, no other is made.
/// The text must not lie in the value.
inline void set_text(Value& value, std::string_view text) {
  StringValue* const before = std::get_if<StringValue>(&value);
  if (before && text.size() <= StringValue{}.capacity())
    before->assign(text);
  else
    value.emplace<StringValue>(text);
}

/// The type's name as TYPE says it.
inline std::string_view type_name(const Value& value) {
  constexpr std::string_view kNames[] = {"string", "hash", "list", "set", "zset", "stream"};
  return kNames[value.index()];
}

}  // namespace picklock
