#include "emulator/keyspace/rdb/quicklist.hpp"

#include <algorithm>

#include "emulator/keyspace/rdb/listpack.hpp"

namespace picklock::rdb {
namespace {

/// Redis 7.0, _quicklistNodeAllowInsert: whether a node of `node.size` bytes takes `bytes` more.
/// The size afterwards is estimated, with eight bytes around the element.
bool takes(const QuicklistNode& node, std::size_t bytes, std::int64_t limit) {
  constexpr std::size_t kOverhead = 8;
  constexpr std::size_t kSizes[] = {4096, 8192, 16384, 32768, 65536};
  constexpr std::size_t kSafe = 8192;  // The most bytes when the limit is a number of elements.
  const std::size_t size = node.size + bytes + kOverhead;
  if (limit < 0)
    return size <= kSizes[static_cast<std::size_t>(std::min<std::int64_t>(-(limit + 1), 4))];
  return size <= kSafe && node.count < static_cast<std::size_t>(std::max<std::int64_t>(limit, 1));
}

}  // namespace

std::vector<QuicklistNode> quicklist_nodes(const ListValue& list, const QuicklistLimits& limits) {
  std::vector<QuicklistNode> nodes;
  std::size_t index = 0;
  for (const std::string_view element : list) {
    const std::size_t first = index++;
    const std::size_t bytes = element.size();
    if (bytes >= limits.packed_threshold) {
      nodes.push_back({first, 1, bytes, true});
      continue;
    }
    if (nodes.empty() || nodes.back().plain ||
        !takes(nodes.back(), bytes, limits.max_listpack_size))
      nodes.push_back({first, 0, kListpackFrame, false});
    ++nodes.back().count;
    nodes.back().size += listpack_entry_size(element);
  }
  return nodes;
}

}  // namespace picklock::rdb
