#include "emulator/engine/memory_estimate.hpp"

#include <algorithm>
#include <bit>
#include <ranges>
#include <variant>

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/radix_tree.hpp"
#include "emulator/keyspace/rdb/listpack.hpp"

namespace picklock {
namespace {

// Sizes of Redis's structures; DEBUG STRUCTSIZE tells some of them.
constexpr std::size_t kObject = 16;
constexpr std::size_t kDictEntry = 24;
constexpr std::size_t kPointer = 8;
constexpr std::size_t kDict = 56;
constexpr std::size_t kZset = 16;
constexpr std::size_t kSkiplist = 32;
constexpr std::size_t kSkiplistHeader = 24 + 32 * 16;
constexpr std::size_t kSkiplistNode = 24;
constexpr std::size_t kSkiplistLevel = 16;
constexpr std::size_t kQuicklist = 40;
constexpr std::size_t kQuicklistNode = 40;

/// An sds of `length` bytes: header, text, closing zero.
std::size_t sds(std::size_t length, bool is_key = false) {
  // An empty value is expected to grow, and gets the header of longer ones.
  const bool tiny = length < 32 && (length > 0 || is_key);
  const std::size_t header = tiny ? 1 : length < 256 ? 3 : length < 65536 ? 5 : 9;
  return allocated(header + length + 1);
}

/// The buckets of a hash table that grew to `count` entries.
std::size_t buckets(std::size_t count) {
  return kPointer * std::bit_ceil(std::max<std::size_t>(count, 4));
}

/// Extrapolates from the first `samples` elements to all, as Redis does.
class Sampled {
 public:
  Sampled(std::size_t count, std::size_t samples)
      : count_(count), samples_(samples == 0 ? count : std::min(samples, count)) {}
  std::size_t samples() const { return samples_; }
  bool wants_more() const { return seen_ < samples_; }
  void add(std::size_t bytes) {
    if (!wants_more()) return;
    bytes_ += bytes;
    ++seen_;
  }
  std::size_t total() const {
    if (seen_ == 0) return 0;
    return static_cast<std::size_t>(static_cast<double>(bytes_) / static_cast<double>(seen_) *
                                    static_cast<double>(count_));
  }

 private:
  std::size_t count_;
  std::size_t samples_;
  std::size_t seen_ = 0;
  std::size_t bytes_ = 0;
};

/// The height of the nth node of a skip list, in which every fourth node is one level higher.
std::size_t levels(std::size_t nth) {
  return 1 + static_cast<std::size_t>(std::countr_zero(nth + 1)) / 2;
}

// One function for each type: the value without the object around it, but with what follows that.

std::size_t size_of(const KeyEntry& entry, const StringValue& text, std::size_t,
                    const rdb::Options&) {
  constexpr std::size_t kMaxEmbedded = 44;
  const bool number = entry.form == Form::fresh || entry.form == Form::own;
  if (number && parse_int64(text)) return kObject;
  if (entry.form != Form::grown && text.size() <= kMaxEmbedded)
    return allocated(kObject + 3 + text.size() + 1);
  const std::size_t header = text.size() < 256 ? 3 : text.size() < 65536 ? 5 : 9;
  return kObject + allocated(header + text.size() + 1);
}

std::size_t size_of(const KeyEntry& entry, const HashValue& hash, std::size_t samples,
                    const rdb::Options&) {
  if (entry.form != Form::grown) {
    std::size_t bytes = rdb::kListpackFrame;
    hash.for_each([&](std::string_view field, std::string_view value) {
      bytes += rdb::listpack_entry_size(field) + rdb::listpack_entry_size(value);
    });
    return kObject + allocated(bytes);
  }
  Sampled fields{hash.size(), samples};
  hash.for_each([&](std::string_view field, std::string_view value) {
    if (fields.wants_more()) fields.add(kDictEntry + sds(field.size()) + sds(value.size()));
  });
  return kObject + kDict + buckets(hash.size()) + fields.total();
}

std::size_t size_of(const KeyEntry&, const ListValue& list, std::size_t samples,
                    const rdb::Options& options) {
  const auto nodes = rdb::quicklist_nodes(list, options.quicklist);
  Sampled sampled{nodes.size(), samples};
  for (const rdb::QuicklistNode& node : nodes) sampled.add(kQuicklistNode + allocated(node.size));
  return kObject + kQuicklist + sampled.total();
}

std::size_t size_of(const KeyEntry&, const SetValue& set, std::size_t samples,
                    const rdb::Options&) {
  if (set.is_intset())
    return kObject + allocated(8 + set.size() * static_cast<std::size_t>(set.intset_width()));
  Sampled members{set.size(), samples};
  set.for_each([&](std::string_view member) {
    if (members.wants_more()) members.add(kDictEntry + sds(member.size()));
  });
  return kObject + kDict + buckets(set.size()) + members.total();
}

std::size_t size_of(const KeyEntry&, const SortedSet& zset, std::size_t samples,
                    const rdb::Options&) {
  if (zset.compact()) {
    rdb::ListpackWriter listpack;
    zset.for_each([&](const SortedSet::Item& item) {
      listpack.append(item.member);
      listpack.append_score(item.score);
    });
    return kObject + allocated(listpack.size());
  }
  Sampled members{zset.size(), samples};
  std::size_t rank = 0;
  zset.for_each(0, members.samples(), [&](const SortedSet::Item& item) {
    members.add(sds(item.member.size()) + kDictEntry +
                allocated(kSkiplistNode + kSkiplistLevel * levels(rank++)));
  });
  return kObject + kZset + kSkiplist + kDict + buckets(zset.size()) + allocated(kSkiplistHeader) +
         members.total();
}

/// Redis 7.0, streamRadixTreeMemoryUsage: a guess.
std::size_t radix_tree(std::size_t keys, std::size_t nodes) {
  return keys * 16 + nodes * (4 + 30 * 8);
}

std::size_t size_of(const ConsumerGroup& group) {
  constexpr std::size_t kGroup = 40;
  constexpr std::size_t kPending = 24;
  constexpr std::size_t kConsumer = 24;
  const std::size_t pending = group.pending().size();
  std::size_t bytes = kGroup + kPending * pending +
                      radix_tree(pending, radix_tree_nodes(std::views::keys(group.pending())));
  for (const auto& [name, consumer] : group.consumers())
    bytes += kConsumer + name.size() +
             radix_tree(consumer.pending.size(), radix_tree_nodes(consumer.pending));
  return bytes;
}

/// The last node may have room for what comes next, and is not extrapolated from the others, whose
/// average Redis cuts to a whole number here.
std::size_t size_of_nodes(const Stream& stream, std::size_t samples, const rdb::Options& options) {
  if (stream.nodes().empty()) return 0;
  const std::int64_t bound = options.limits.stream_node_max_bytes;
  const std::int64_t most = bound > 0 ? std::min<std::int64_t>(bound, 4096) : 4096;
  const auto room = static_cast<std::size_t>(stream.has_room() ? most : 0);
  const std::size_t others = stream.nodes().size() - 1;
  const std::size_t looked_at = samples == 0 ? others : std::min(samples, others);
  std::size_t bytes = 0;
  auto node = stream.nodes().begin();
  for (std::size_t i = 0; i < looked_at; ++i, ++node) bytes += allocated(node->second.bytes());
  if (samples != 0 && samples <= others) bytes = bytes / looked_at * others;
  return bytes + allocated(std::max(stream.nodes().rbegin()->second.bytes(), room));
}

std::size_t size_of(const KeyEntry&, const Stream& stream, std::size_t samples,
                    const rdb::Options& options) {
  constexpr std::size_t kStream = 80;
  std::size_t bytes = kObject + kStream +
                      radix_tree(stream.nodes().size(), stream.radix_tree_nodes()) +
                      size_of_nodes(stream, samples, options);
  for (const auto& [name, group] : stream.groups()) bytes += size_of(group);
  return bytes;
}

}  // namespace

std::size_t allocated(std::size_t bytes) {
  if (bytes <= 8) return 8;
  if (bytes <= 128) return (bytes + 15) / 16 * 16;
  // Four classes between a power of two and the next.
  const std::size_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

std::size_t memory_usage(std::string_view key, const KeyEntry& entry, std::size_t samples,
                         const rdb::Options& options) {
  const std::size_t value = std::visit(
      [&](const auto& typed) { return size_of(entry, typed, samples, options); }, entry.value);
  return value + sds(key.size(), /*is_key=*/true) + kDictEntry;
}

}  // namespace picklock
