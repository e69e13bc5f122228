// What the commands on streams share: reading IDs, finding streams and groups, writing entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/commands/context.hpp"

namespace picklock::streams {

/// The ID that `word` spells; answers the error if it is none.
std::optional<StreamId> read_id(Context& c, std::string_view word, IdForm form = IdForm::strict);
/// The bounds of a range, which may be "-", "+" or exclusive with "("; answers the error.
std::optional<StreamId> read_first(Context& c, std::string_view word);
std::optional<StreamId> read_last(Context& c, std::string_view word);
/// An integer; answers `error` if it is none.
std::optional<std::int64_t> read_number(Context& c, std::string_view word, std::string_view error);

/// Whether it is the sign `sign`, up to a NUL: Redis compares these as C strings.
bool is_sign(std::string_view word, char sign);

/// The stream at `key`, to read from it or to change its groups; null if it is missing or if
/// WRONGTYPE was answered. That it is missing is told as that of a key that was to be read.
Stream* find_to_read(Context& c, std::string_view key);
/// The group of that name; null if it is missing.
ConsumerGroup* find_group(Stream& stream, std::string_view name);
/// The stream and the group that the words 1 and 2 name; answers the error and leaves
/// the group null if one of them is missing.
struct Target {
  Stream* stream = nullptr;
  ConsumerGroup* group = nullptr;
};
Target find_group_to_claim(Context& c);
struct Met {
  Consumer& consumer;
  bool is_new;
};
/// The consumer `name`, who is seen now; made if missing.
Met meet_quietly(Context& c, ConsumerGroup& group, std::string_view name);
void tell_of_consumer(Context& c, std::string_view key);
/// Both, if the consumer is missing.
Consumer& meet_consumer(Context& c, std::string_view key, ConsumerGroup& group,
                        std::string_view name);

/// The time since `since_ms`, which may be any number if the stream was read from a dump.
inline std::int64_t elapsed_ms(std::int64_t since_ms, std::int64_t now_ms) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(now_ms) -
                                   static_cast<std::uint64_t>(since_ms));
}

// What replicas are told of groups. Redis 7.0: streamPropagateXCLAIM, streamPropagateGroupID and
// streamPropagateConsumerCreation.
/// The pending entry `id`, as it is.
void replicate_claim(Context& c, std::string_view key, std::string_view group_name,
                     ConsumerGroup& group, StreamId id);
void replicate_group_id(Context& c, std::string_view key, std::string_view group_name,
                        const ConsumerGroup& group);
void replicate_consumer(Context& c, std::string_view key, std::string_view group_name,
                        std::string_view consumer);

void write_id(Context& c, StreamId id);
/// An array of the ID and an array of fields and values.
void write_item(Context& c, const Stream::Item& item);
void write_items(Context& c, const std::vector<Stream::Item>& items);

/// An entry of a group's or a consumer's pending ones, which may have been deleted.
struct Claimed {
  StreamId id;
  std::optional<Stream::Item> item;
};

}  // namespace picklock::streams
