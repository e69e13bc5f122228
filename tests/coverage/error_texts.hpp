// The error texts of a C++ header, found in its source, and the literals of any C++ file.
//
// So that a test can ask of every text whether anything ever shows it. Knows of C++ no more than
// these headers need: comments of two slashes, plain literals, one inline constant or function
// after another. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picklock::test {

/// A constant's text, or the pieces of which a function makes one.
struct ErrorText {
  std::string name;
  std::vector<std::string> pieces;
};

/// The literals of C++ source, those that stand side by side as one.
std::vector<std::string> literals_of(std::string_view source);

/// The constants and functions of a header of texts, in its order.
std::vector<ErrorText> error_texts_of(std::string_view header);

}  // namespace picklock::test
