// Spoilt versions of a request that was well formed: what a careless or hostile client may send.
//
// Pure functions; every mutant is made, none is drawn by chance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace picklock::test {

using Words = std::vector<std::string>;

/// The keys that stand_ins() offers, one of each type; set_up() makes them on an empty server.
std::vector<Words> set_up();

/// `words` with too few, too many, doubled, missing, empty, binary, overflowing, negative,
/// not-a-number, infinite and wrong-typed arguments. The command's own name is never touched.
std::vector<Words> mutants(const Words& words);

/// Whether a request, or a spoilt one made of it, would harm the server beyond its data, bring it
/// under the influence of the outside, or take away the tester's own connections.
bool is_dangerous(const Words& words);

/// Whether a request changes what its connection is or answers later than at once, so that
/// nothing may be sent after it over the same connection.
bool changes_connection(const Words& words);

}  // namespace picklock::test
