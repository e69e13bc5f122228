// Messages of one client that come in an order which the server's hash tables decide.
//
// Pure functions over replies as bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "tests/differential/sequence.hpp"

namespace picklock::test {

using Replies = std::span<const std::string_view>;

/// One row: how many of the first replies of both, which are not empty, are as good as equal. The
/// first one belongs to `request`, or is a message if that is null.
struct RunNormaliser {
  std::string_view name;
  std::string_view reason;
  std::size_t (*equal)(const Words* request, Replies theirs, Replies ours);
};

std::span<const RunNormaliser> run_normalisers();

}  // namespace picklock::test
