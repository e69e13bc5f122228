// What the commands that pop from sorted sets share, those that block and those that do not.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/commands/context.hpp"

namespace picklock::sorted_sets {

enum class Pop : std::uint8_t { min, max };

/// The first key that holds a sorted set; empty if there is none or WRONGTYPE was answered.
std::optional<std::string_view> first_of(Context& c, Args keys);

/// Takes up to `count` items of the sorted set at `key` and writes them: as an array of pairs, or
/// as bare elements, which the caller has announced.
void reply_popped(Context& c, std::string_view key, Pop end, std::int64_t count, bool nested);

/// ZMPOP's words from the number of keys on.
struct ManyPop {
  Args keys;
  Pop end;
  std::int64_t count;
};
/// Reads them from word `at` on; answers the error if they do not fit.
std::optional<ManyPop> parse_many_pop(Context& c, std::size_t at);
/// Pops from the first of the keys that is a sorted set; false, with nothing answered, if none is
/// there.
bool reply_many_popped(Context& c, const ManyPop& pop);

}  // namespace picklock::sorted_sets
