// Lines of MONITOR within what a client hears, without what is the server's own: the time,
// addresses and the ids of clients, which CLIENT takes. Used where two servers' bytes are compared;
// pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace picklock::test {

/// `stream` with its lines of MONITOR marked and stripped; those of TIME, by which the tests read
/// the servers' clocks, are dropped. `count` grows by the number of lines.
std::string mark_monitored(std::string_view stream, std::size_t& count);
/// Whether `reply` is such a line.
bool is_monitored(std::string_view reply);

}  // namespace picklock::test
