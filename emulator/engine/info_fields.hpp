// The lines of INFO that are a name and one value: most of what it says.
#pragma once

#include <string>
#include <string_view>

namespace picklock {

class Engine;

/// Those of the section with this title, in Redis's order; empty if it has none of the kind.
std::string info_fields(const Engine& engine, std::string_view title);

}  // namespace picklock
