// The size of the radix trees in which Redis keeps what has the ID of a stream's entry.
//
// The emulator keeps these things otherwise; commands tell the size all the same. A pure function.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/keyspace/stream_id.hpp"

namespace picklock {
namespace detail {

using RadixKey = std::array<unsigned char, 16>;

inline RadixKey radix_key(StreamId id) {
  RadixKey key;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto shift = 8 * (7 - i);
    key[i] = static_cast<unsigned char>(id.ms >> shift);
    key[8 + i] = static_cast<unsigned char>(id.seq >> shift);
  }
  return key;
}

inline std::size_t common_prefix(const RadixKey& a, const RadixKey& b) {
  std::size_t length = 0;
  while (length < a.size() && a[length] == b[length]) ++length;
  return length;
}

}  // namespace detail

/// The number of nodes in the radix tree of `ids`, which must rise.
///
/// A radix tree joins the bytes of a path without forks into one node. With keys of one length
/// that leaves: a node for each key's end, one for each fork, and one for each path between them
/// that has bytes beyond the one which a fork itself tells apart.
template <class Ids>
std::uint64_t radix_tree_nodes(const Ids& ids) {
  constexpr std::size_t kKeyBytes = detail::RadixKey{}.size();
  std::uint64_t count = 0;
  std::vector<std::size_t> forks;  // Depths of those on the path to the last key.
  // The path below the deepest fork is complete: what begins at `from` ends at `to`.
  const auto count_path = [&count](std::size_t from, std::size_t to) { count += to > from; };
  std::optional<detail::RadixKey> before;
  for (const StreamId id : ids) {
    const detail::RadixKey key = detail::radix_key(id);
    if (before) {
      const std::size_t depth = detail::common_prefix(*before, key);
      std::size_t below = kKeyBytes;
      while (!forks.empty() && forks.back() > depth) {
        count_path(forks.back() + 1, below);
        below = forks.back();
        forks.pop_back();
      }
      count_path(depth + 1, below);
      if (forks.empty() || forks.back() < depth) {
        forks.push_back(depth);
        ++count;
      }
    }
    ++count;
    before = key;
  }
  std::size_t below = kKeyBytes;
  for (; !forks.empty(); forks.pop_back()) {
    count_path(forks.back() + 1, below);
    below = forks.back();
  }
  count_path(0, before ? below : 1);  // An empty tree has its root.
  return count;
}

}  // namespace picklock
