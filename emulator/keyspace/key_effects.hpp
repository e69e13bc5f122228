// What became of keys, in order: a row of bytes that allocates nothing once it is warm, as every
// change of a key goes through it while a trace is kept. A copyable value; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <picklock/steering.hpp>

namespace picklock {

class KeyEffects {
 public:
  KeyEffects() = default;
  /// What bytes() gave.
  explicit KeyEffects(std::string_view bytes) : bytes_(bytes) {}

  using Kind = TraceEffect::Kind;
  /// A TraceEffect whose key is looked at where it stands: valid until the next change.
  struct Effect {
    Kind kind = Kind::changed;
    int database = 0;
    std::uint64_t client = 0;
    std::string_view key;
    bool operator==(const Effect&) const = default;
  };

  bool empty() const { return bytes_.empty(); }
  std::string_view bytes() const { return bytes_; }
  void add(const Effect& effect) {
    last_ = bytes_.size();
    bytes_.resize(last_ + sizeof(Header) + effect.key.size());
    write_last(offsetof(Header, client), effect.client);
    write_last(offsetof(Header, size), std::uint64_t{effect.key.size()});
    write_last(offsetof(Header, database), effect.database);
    write_last(offsetof(Header, kind), effect.kind);
    std::memcpy(bytes_.data() + last_ + sizeof(Header), effect.key.data(), effect.key.size());
  }
  /// Whether there is one, and no more.
  bool is_one() const { return !bytes_.empty() && last_ == 0; }
  /// Changes what the last one is said to be; there must be one.
  void correct(Kind kind) { write_last(offsetof(Header, kind), kind); }
  /// The same of where it was, and whose doing.
  void attribute(int database, std::uint64_t client) {
    write_last(offsetof(Header, database), database);
    write_last(offsetof(Header, client), client);
  }
  void clear() { bytes_.clear(); }
  void swap(KeyEffects& other) noexcept {
    bytes_.swap(other.bytes_);
    std::swap(last_, other.last_);
  }

  /// Calls `visit(const Effect&)` for each, in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t at = 0; at < bytes_.size();) {
      Header header;
      std::memcpy(&header, bytes_.data() + at, sizeof header);
      at += sizeof header;
      visit(Effect{header.kind, header.database, header.client,
                   std::string_view{bytes_}.substr(at, header.size)});
      at += header.size;
    }
  }

 private:
  struct Header {
    std::uint64_t client = 0;
    std::uint64_t size = 0;
    int database = 0;
    Kind kind = Kind::changed;
  };

  /// A part of the last one's header, straight to its place: to copy a header that has just been
  /// stored in pieces, a processor waits for them.
  template <class T>
  void write_last(std::size_t offset, const T& value) {
    std::memcpy(bytes_.data() + last_ + offset, &value, sizeof value);
  }

  std::string bytes_;
  std::size_t last_ = 0;  // Where the last one begins.
};

}  // namespace picklock
