#include "emulator/engine/dataset_digest.hpp"

#include <variant>

#include "emulator/base/numbers.hpp"
#include "emulator/base/sha1.hpp"

namespace picklock {
namespace {

/// Redis 7.0, debug.c: what has no order is joined by exclusive or, what has one is hashed again
/// after each part.
class Digest {
 public:
  void join(std::string_view bytes) {
    const auto hash = sha1(bytes);
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] ^= hash[i];
  }
  void mix(std::string_view bytes) {
    join(bytes);
    bytes_ = sha1(view());
  }
  void mix_number(std::uint32_t number) {
    const char bytes[] = {static_cast<char>(number >> 24), static_cast<char>(number >> 16),
                          static_cast<char>(number >> 8), static_cast<char>(number)};
    mix({bytes, sizeof bytes});
  }
  void join(const Digest& other) { join(other.view()); }

  std::string hex() const {
    std::string text;
    for (const unsigned char byte : bytes_) {
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
    return text;
  }

 private:
  std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  std::array<unsigned char, 20> bytes_{};
};

// One function for each type, whose number in Redis comes first.

void mix_value(Digest& digest, const StringValue& text) {
  digest.mix_number(0);
  digest.mix(text);
}

void mix_value(Digest& digest, const ListValue& list) {
  digest.mix_number(1);
  for (const std::string_view element : list) digest.mix(element);
}

void mix_value(Digest& digest, const SetValue& set) {
  digest.mix_number(2);
  set.for_each([&](std::string_view member) { digest.join(member); });
}

void mix_value(Digest& digest, const SortedSet& zset) {
  digest.mix_number(3);
  char buffer[kDoubleChars];
  zset.for_each([&](const SortedSet::Item& item) {
    Digest both;
    both.mix(item.member);
    both.mix(format_double(item.score, buffer));
    digest.join(both);
  });
}

void mix_value(Digest& digest, const HashValue& hash) {
  digest.mix_number(4);
  hash.for_each([&](std::string_view field, std::string_view value) {
    Digest both;
    both.mix(field);
    both.mix(value);
    digest.join(both);
  });
}

void mix_value(Digest& digest, const Stream& stream) {
  digest.mix_number(6);
  for (const auto& [node, entry] : stream.range(kMinStreamId, kMaxStreamId, 0)) {
    digest.mix(std::to_string(entry->id.ms) + "." + std::to_string(entry->id.seq));
    for (std::size_t i = 0; i < node->field_count(*entry); ++i) {
      digest.mix(node->field(*entry, i));
      digest.mix(node->value(*entry, i));
    }
  }
}

void mix_entry(Digest& digest, const KeyEntry& entry) {
  std::visit([&](const auto& value) { mix_value(digest, value); }, entry.value);
  if (entry.deadline_ms != kNoDeadline) digest.join("!!expire!!");
}

}  // namespace

std::string digest_of_value(const KeyEntry& entry) {
  Digest digest;
  mix_entry(digest, entry);
  return digest.hex();
}

std::string digest_of_nothing() { return Digest{}.hex(); }

std::string digest_of_keyspace(const Keyspace& keyspace) {
  Digest all;
  for (int i = 0; i < keyspace.size(); ++i) {
    const Database* database = keyspace.at(i);
    if (!database || database->size() == 0) continue;
    all.mix_number(static_cast<std::uint32_t>(i));
    database->keys().for_each([&](const auto& entry) {
      Digest digest;
      digest.mix(entry.key);
      mix_entry(digest, entry.value);
      all.join(digest);
    });
  }
  return all.hex();
}

}  // namespace picklock
