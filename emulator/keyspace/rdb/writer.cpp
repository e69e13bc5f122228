#include "emulator/keyspace/rdb/writer.hpp"

#include <bit>
#include <ranges>
#include <variant>

#include "emulator/base/numbers.hpp"
#include "emulator/keyspace/rdb/listpack.hpp"
#include "emulator/keyspace/rdb/little_endian.hpp"
#include "emulator/keyspace/rdb/lzf.hpp"
#include "emulator/keyspace/rdb/old_encodings.hpp"

namespace picklock::rdb {
Type Writer::type_of(const KeyEntry& entry) {
  if (std::holds_alternative<StringValue>(entry.value)) return Type::string;
  if (std::holds_alternative<HashValue>(entry.value))
    return entry.form == Form::grown ? Type::hash : Type::hash_listpack;
  if (const auto* set = std::get_if<SetValue>(&entry.value))
    return set->is_intset() ? Type::set_intset : Type::set;
  if (const auto* zset = std::get_if<SortedSet>(&entry.value))
    return zset->compact() ? Type::zset_listpack : Type::zset_2;
  if (std::holds_alternative<Stream>(entry.value)) return Type::stream_listpacks_2;
  return Type::list_quicklist_2;
}

void Writer::write_value(const KeyEntry& entry) {
  std::visit([&](const auto& value) { write(entry, value); }, entry.value);
}

void Writer::write_length(std::uint64_t length) {
  if (length < 1 << 6) {
    bytes_ += static_cast<char>(kLength6 | length);
  } else if (length < 1 << 14) {
    append_big_endian(bytes_, kLength14 << 8 | length, 2);
  } else if (length <= UINT32_MAX) {
    bytes_ += static_cast<char>(kLength32);
    append_big_endian(bytes_, length, 4);
  } else {
    bytes_ += static_cast<char>(kLength64);
    append_big_endian(bytes_, length, 8);
  }
}

void Writer::write_string(std::string_view text) {
  if (write_as_integer(text) || write_compressed(text)) return;
  write_length(text.size());
  bytes_ += text;
}

bool Writer::write_as_integer(std::string_view text) {
  constexpr std::size_t kLongest = 11;  // Characters of an int32.
  const auto number = text.size() <= kLongest ? parse_int64(text) : std::nullopt;
  if (!number || *number != static_cast<std::int32_t>(*number)) return false;
  const int width = *number == static_cast<std::int8_t>(*number)    ? 1
                    : *number == static_cast<std::int16_t>(*number) ? 2
                                                                    : 4;
  const unsigned encoding = width == 1 ? kInt8 : width == 2 ? kInt16 : kInt32;
  bytes_ += static_cast<char>(kEncoded | encoding);
  append_little_endian(bytes_, static_cast<std::uint64_t>(*number), width);
  return true;
}

bool Writer::write_compressed(std::string_view text) {
  constexpr std::size_t kShort = 20;  // Not worth the trouble.
  constexpr std::size_t kLeastGain = 4;
  if (!options_.compress || text.size() <= kShort) return false;
  const auto compressed = lzf_compress(text, text.size() - kLeastGain);
  if (!compressed) return false;
  bytes_ += static_cast<char>(kEncoded | kLzf);
  write_length(compressed->size());
  write_length(text.size());
  bytes_ += *compressed;
  return true;
}

void Writer::write_number(std::uint64_t number, int width) {
  append_little_endian(bytes_, number, width);
}

void Writer::write_double(double value) { write_number(std::bit_cast<std::uint64_t>(value), 8); }

void Writer::write(const KeyEntry&, const StringValue& text) { write_string(text); }

void Writer::write(const KeyEntry& entry, const HashValue& hash) {
  if (type_of(entry) == Type::hash) {
    write_length(hash.size());
    hash.for_each([&](std::string_view field, std::string_view value) {
      write_string(field);
      write_string(value);
    });
    return;
  }
  ListpackWriter listpack;
  hash.for_each([&](std::string_view field, std::string_view value) {
    listpack.append(field);
    listpack.append(value);
  });
  write_string(listpack.take());
}

void Writer::write(const KeyEntry&, const ListValue& list) {
  const auto nodes = quicklist_nodes(list, options_.quicklist);
  auto element = list.begin();
  write_length(nodes.size());
  for (const QuicklistNode& node : nodes) {
    write_length(node.plain ? kPlainNode : kPackedNode);
    if (node.plain) {
      write_string(*element++);
      continue;
    }
    ListpackWriter listpack;
    for (std::size_t i = 0; i < node.count; ++i) listpack.append(*element++);
    write_string(listpack.take());
  }
}

void Writer::write(const KeyEntry&, const SetValue& set) {
  if (set.is_intset()) return write_string(write_intset(set.intset_width(), set.numbers()));
  write_length(set.size());
  set.for_each([&](std::string_view member) { write_string(member); });
}

void Writer::write(const KeyEntry&, const SortedSet& zset) {
  if (zset.compact()) {
    ListpackWriter listpack;
    zset.for_each([&](const SortedSet::Item& item) {
      listpack.append(item.member);
      listpack.append_score(item.score);
    });
    return write_string(listpack.take());
  }
  write_length(zset.size());
  const auto items = zset.items(0, zset.size());
  for (const SortedSet::Item& item : std::views::reverse(items)) {  // Redis 7.0: from the highest.
    write_string(item.member);
    write_double(item.score);
  }
}

}  // namespace picklock::rdb
