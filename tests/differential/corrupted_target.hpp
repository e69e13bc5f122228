// A target with one rule broken on purpose: the canary that shows that the differential test would
// notice.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tests/support/target.hpp"

namespace picklock::test {

/// The names of the corruptions, for --help.
std::vector<std::string_view> corruption_names();

/// Wraps `target` so that it breaks rule `name`; throws std::invalid_argument for an unknown one.
std::unique_ptr<Target> corrupt(std::unique_ptr<Target> target, std::string_view name);

}  // namespace picklock::test
