// Text as HTML, SVG and JSON: every byte that could mean something there is escaped.
#pragma once

#include <string>
#include <string_view>

namespace picklock::race {

/// As UTF-8: control bytes, and bytes that are none, as \x and two hexadecimal digits.
std::string printable(std::string_view text);

/// For HTML and SVG, in text and in attributes.
std::string markup(std::string_view text);

/// A JSON string with its quotes, which may stand inside a script element.
std::string json_text(std::string_view text);

/// At most `most` code points, with an ellipsis if that cuts something off.
std::string shorten(std::string_view text, std::size_t most);

}  // namespace picklock::race
