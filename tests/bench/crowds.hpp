// What a lock costs a client that has many of them at once.
#pragma once

namespace picklock::bench {

/// Prints a table; false if a cost grows with their number.
bool print_crowds();

}  // namespace picklock::bench
