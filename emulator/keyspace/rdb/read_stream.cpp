// Reader's part for streams. Redis 7.0: rdbLoadObject, streamValidateListpackIntegrity.
//
// As there, the structure is checked and what it says is not: neither the order of the entries, nor
// whether the counters fit them. A stream whose order is broken is read oddly, but safely.
#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/rdb/listpack.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"
#include "emulator/keyspace/rdb/reader.hpp"

namespace picklock::rdb {
namespace {

/// Goes through the elements of a node's listpack. Once something is missing or no number, `failed`
/// is set and stays.
class Elements {
 public:
  explicit Elements(std::vector<std::string> words) : words_(std::move(words)) {}

  std::string word() {
    if (at_ < words_.size()) return std::move(words_[at_++]);
    failed = true;
    return {};
  }
  std::int64_t number() {
    const auto value = parse_int64(word());
    if (!value) failed = true;
    return value.value_or(0);
  }
  /// A number of elements, each of which must still be there.
  std::size_t count() { return checked(number()); }
  std::size_t checked(std::int64_t value) {
    if (value < 0 || static_cast<std::uint64_t>(value) > words_.size() - at_) failed = true;
    return failed ? 0 : static_cast<std::size_t>(value);
  }
  bool at_end() const { return at_ == words_.size(); }

  bool failed = false;

 private:
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

StreamEntry read_entry(Elements& elements, StreamId node, std::size_t master_fields) {
  constexpr std::int64_t kDeleted = 1;
  constexpr std::int64_t kSameFields = 2;
  StreamEntry entry;
  const std::int64_t flags = elements.number();
  entry.deleted = (flags & kDeleted) != 0;
  entry.has_master_fields = (flags & kSameFields) != 0;
  entry.id.ms = node.ms + static_cast<std::uint64_t>(elements.number());
  entry.id.seq = node.seq + static_cast<std::uint64_t>(elements.number());
  const std::size_t words = entry.has_master_fields ? master_fields : 2 * elements.count();
  for (std::size_t i = 0; i < words && !elements.failed; ++i)
    entry.words.push_back(elements.word());
  const std::size_t all = words + (entry.has_master_fields ? 3 : 4);
  if (elements.number() != static_cast<std::int64_t>(all)) elements.failed = true;
  return entry;
}

/// The node whose listpack holds `words`.
std::optional<StreamNode> read_node(StreamId id, std::vector<std::string> words) {
  Elements elements{std::move(words)};
  const auto live = static_cast<std::uint64_t>(elements.number());
  const auto deleted = static_cast<std::uint64_t>(elements.number());
  const std::size_t count = elements.checked(static_cast<std::int64_t>(live + deleted));
  std::vector<std::string> fields(elements.count());
  for (std::string& field : fields) field = elements.word();
  if (elements.number() != 0) return std::nullopt;  // What ends the fields.
  const std::size_t master_fields = fields.size();
  StreamNode node{id, std::move(fields)};
  for (std::size_t i = 0; i < count && !elements.failed; ++i)
    node.append(read_entry(elements, id, master_fields));
  if (elements.failed || !elements.at_end()) return std::nullopt;
  return node;
}

}  // namespace

/// Redis 7.0 takes a number that is written in no known way for the greatest one.
std::optional<std::uint64_t> Reader::read_number() {
  const auto first = read_byte();
  if (!first) return std::nullopt;
  if (*first > kLength64 && *first < kEncoded) return UINT64_MAX;
  return *first >= kEncoded ? *first & 0x3fU : read_length_after(*first);
}

std::optional<StreamId> Reader::read_id() {
  const auto ms = read_number();
  const auto seq = ms ? read_number() : std::nullopt;
  if (!seq) return std::nullopt;
  return StreamId{*ms, *seq};
}

std::optional<StreamId> Reader::read_raw_id() {
  const auto bytes = take(16);
  if (!bytes) return std::nullopt;
  return StreamId{big_endian(*bytes, 8), big_endian(bytes->substr(8), 8)};
}

std::optional<std::int64_t> Reader::read_time() {
  const auto bytes = take(8);
  if (!bytes) return std::nullopt;
  return signed_little_endian(*bytes, 8);
}

bool Reader::read_nodes(Stream& stream) {
  const auto count = read_length();
  if (!count) return false;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto key = read_string();
    if (!key || key->size() != 16) return false;
    const StreamId id{big_endian(*key, 8), big_endian(std::string_view{*key}.substr(8), 8)};
    const auto bytes = read_string();
    auto words = bytes ? read_uncounted_listpack(*bytes) : std::nullopt;
    auto node = words ? read_node(id, std::move(*words)) : std::nullopt;
    if (!node || stream.nodes().contains(id)) return false;
    if (!node->entries().empty()) stream.add_node(std::move(*node));
  }
  return true;
}

std::optional<Reader::Loaded> Reader::read_stream(bool has_counters) {
  Stream stream;
  if (!read_nodes(stream)) return std::nullopt;
  const auto size = read_number();
  const auto last_id = size ? read_id() : std::nullopt;
  if (!last_id || (*size != 0 && stream.nodes().empty())) return std::nullopt;
  stream.set_last_id(*last_id);
  stream.set_entries_added(*size);
  if (!has_counters) {
    stream.refresh_first_id();
    if (stream.size() == 0) stream.set_first_id(kMaxStreamId);  // As Redis 7.0 does.
  } else {
    const auto first_id = read_id();
    const auto max_deleted = first_id ? read_id() : std::nullopt;
    const auto added = max_deleted ? read_number() : std::nullopt;
    if (!added) return std::nullopt;
    stream.set_first_id(*first_id);
    stream.set_max_deleted_id(*max_deleted);
    stream.set_entries_added(*added);
  }
  const auto groups = read_length();
  if (!groups) return std::nullopt;
  for (std::uint64_t i = 0; i < *groups; ++i)
    if (!read_group(stream, has_counters)) return std::nullopt;
  return Loaded{std::move(stream)};
}

bool Reader::read_group(Stream& stream, bool has_counters) {
  const auto name = read_string();
  const auto last_id = name ? read_id() : std::nullopt;
  if (!last_id) return false;
  ConsumerGroup group;
  group.last_id = *last_id;
  if (has_counters) {
    const auto read = read_number();
    if (!read) return false;
    group.entries_read = static_cast<std::int64_t>(*read);
  } else {
    group.entries_read = stream.count_added_until(*last_id);
  }
  if (stream.groups().contains(*name) || !read_consumers(group)) return false;
  stream.groups().emplace(*name, std::move(group));
  return true;
}

/// Everything that is pending comes first, then the consumers with what each of them has of it.
bool Reader::read_consumers(ConsumerGroup& group) {
  std::map<StreamId, PendingEntry> pending;
  const auto pending_count = read_length();
  if (!pending_count) return false;
  for (std::uint64_t i = 0; i < *pending_count; ++i) {
    const auto id = read_raw_id();
    const auto time = id ? read_time() : std::nullopt;
    const auto deliveries = time ? read_number() : std::nullopt;
    if (!deliveries || !pending.emplace(*id, PendingEntry{0, *time, *deliveries}).second)
      return false;
  }
  const auto consumers = read_length();
  if (!consumers) return false;
  for (std::uint64_t i = 0; i < *consumers; ++i)
    if (!read_consumer(group, pending)) return false;
  return group.pending().size() == pending.size();
}

bool Reader::read_consumer(ConsumerGroup& group, const std::map<StreamId, PendingEntry>& pending) {
  const auto name = read_string();
  const auto seen = name ? read_time() : std::nullopt;
  const auto count = seen ? read_length() : std::nullopt;
  if (!count || group.find_consumer(*name)) return false;
  Consumer& consumer = group.add_consumer(*name, *seen);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto id = read_raw_id();
    const auto known = id ? pending.find(*id) : pending.end();
    if (known == pending.end() || group.find_pending(*id)) return false;  // It is another's.
    PendingEntry& entry = group.assign(*id, consumer);
    entry.delivered_ms = known->second.delivered_ms;
    entry.deliveries = known->second.deliveries;
  }
  return true;
}

}  // namespace picklock::rdb
