// The speed marks of the search, each beside its aim.
#pragma once

#include <string_view>

namespace picklock::bench {

/// Measures in processor time, several times, and prints the best of each: what others run beside
/// it disturbs least so. `part` is schedules, states, redlock, or empty for all. False if a mark
/// was missed.
bool print_search_marks(std::string_view part);

}  // namespace picklock::bench
