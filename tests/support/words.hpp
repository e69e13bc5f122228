// Requests as people type them at redis-cli, and as bytes. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::test {

/// The multibulk bytes of a request.
std::string encode_request(std::span<const std::string_view> words);
std::string encode_request(const std::vector<std::string>& words);

/// Splits a line as redis-cli and inline requests do: blanks separate words, "..." knows \n \r \t
/// \a \b \\ \" and \xHH, '...' knows \' only. nullopt when the quotes do not balance.
std::optional<std::vector<std::string>> split_words(std::string_view line);

/// Makes "ab" a thousand times of {1000*ab}. False when `word` is nothing of the kind.
bool expand_repetition(std::string& word);

/// `bytes` in double quotes, printable ASCII as it is, the rest escaped: what split_words reads
/// back.
std::string quote(std::string_view bytes);
/// A word as one would type it: bare where that is possible, quoted otherwise.
std::string as_typed(std::string_view word);

}  // namespace picklock::test
