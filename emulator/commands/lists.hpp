// What the commands on lists share, those that block and those that do not.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/commands/context.hpp"

namespace picklock {

/// An end of a list. Redis: LEFT is the head, RIGHT the tail.
enum class End : std::uint8_t { left, right };

std::optional<End> parse_end(std::string_view word);

/// Whether `key` is a list; answers WRONGTYPE (then `c.failed` is set) if it is something else.
bool is_list(Context& c, std::string_view key);
/// The same without an answer.
bool holds_list(Context& c, std::string_view key);

/// Takes one element of the list at `key` and answers it.
void reply_popped(Context& c, std::string_view key, End from);
/// Takes up to `count` elements of the list at `key` and answers an array of them.
void reply_popped_many(Context& c, std::string_view key, End from, std::int64_t count);
/// Takes an element of the list at `source`, puts it to `destination` and answers it; the error, if
/// that is no list. Both may be the same.
void reply_moved(Context& c, std::string_view source, std::string_view destination, End from,
                 End to);

/// LMPOP's words from the number of keys on.
struct ManyPop {
  Args keys;
  End from;
  std::int64_t count;
};
/// Reads them from word `at` on; answers the error if they do not fit.
std::optional<ManyPop> parse_many_pop(Context& c, std::size_t at);
/// Pops from the first of the keys that is a list; false, with nothing answered, if none is there.
bool reply_many_popped(Context& c, const ManyPop& pop);

}  // namespace picklock
