// How Redis cuts a list into nodes: a quicklist is a chain of listpacks.
//
// The emulator cuts a list otherwise and forgets how it grew; here the nodes are those that the
// list has when its elements were pushed to its tail one by one. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/keyspace/list.hpp"

namespace picklock::rdb {

struct QuicklistLimits {
  std::int64_t max_listpack_size = -2;                  ///< list-max-listpack-size.
  std::size_t packed_threshold = std::size_t{1} << 30;  ///< Elements from this size on stand alone.
};

struct QuicklistNode {
  std::size_t first = 0;  ///< Index of its first element.
  std::size_t count = 0;
  std::size_t size = 0;  ///< Bytes of its listpack, or of the element that stands alone.
  bool plain = false;    ///< One element without a listpack around it.
};

std::vector<QuicklistNode> quicklist_nodes(const ListValue& list, const QuicklistLimits& limits);

}  // namespace picklock::rdb
