// Requests as clients send them: words to the bytes of a RESP array of bulk strings.
//
// The counterpart of RequestParser, for whoever speaks to a real server. A pure function.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace picklock {

/// Appends the bytes of the request `words` to `bytes`.
void append_request(std::string& bytes, std::span<const std::string_view> words);

}  // namespace picklock
