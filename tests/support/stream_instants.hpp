// The instants within a DUMP payload of a stream: when its entries were delivered, and when its
// consumers were seen. Two servers that did the same a moment apart differ in them alone.
//
// For the tests that compare payloads. A pure function.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace picklock::test {

/// Where in `payload` each instant stands, eight bytes, low byte first. Nothing if it holds no
/// stream, or cannot be read to its end.
std::vector<std::size_t> stream_instants(std::string_view payload);

}  // namespace picklock::test
