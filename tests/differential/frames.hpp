// Cuts a stream of replies into single ones without reading them, so that bytes can be compared
// with bytes.
#pragma once

#include <string_view>
#include <vector>

namespace picklock::test {

struct Frames {
  std::vector<std::string_view> replies;  // Views into the stream that was cut.
  std::string_view rest;                  // What is no complete reply.
};

/// Knows the framing of RESP2 and RESP3 only; no recursion.
Frames cut_frames(std::string_view stream);

}  // namespace picklock::test
