// The speed marks of the search, each beside its aim.
#pragma once

namespace picklock::bench {

/// Measures in processor time, several times, and prints the best of each: what others run beside
/// it disturbs least so. False if a mark was missed.
bool print_search_marks();

}  // namespace picklock::bench
