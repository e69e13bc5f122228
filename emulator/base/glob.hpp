// Redis's glob patterns (KEYS, SCAN MATCH, PSUBSCRIBE, CONFIG GET): * ? [abc] [^a] [a-z] \x.
#pragma once

#include <string_view>

namespace picklock {

/// Whether all of `text` matches `pattern`, byte by byte; `ignore_case` folds ASCII letters only.
/// Follows Redis 7.0 in its edges (an unclosed class, a trailing backslash) and never takes
/// exponential time.
bool glob_match(std::string_view pattern, std::string_view text, bool ignore_case = false);

}  // namespace picklock
