// Splits an inline request into words by Redis's quoting rules.
//
// A pure function; used by RequestParser only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picklock {

/// Appends the words of `line`, unquoted, to `text`, and where each of them ends to `ends`. Words
/// are separated by white space; "..." knows \n \r \t \b \a \xHH and takes any other escaped byte
/// as it is, '...' knows only \'. False if a quote stays open or is followed by something else than
/// space.
bool split_inline_words(std::string_view line, std::string& text, std::vector<std::size_t>& ends);

}  // namespace picklock
