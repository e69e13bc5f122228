// A line of the trace before anybody reads it: a row of bytes. Most of them are overwritten unread,
// and a thousand are to stay in the processor's cache.
//
// A value that allocates nothing once it is warm; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <picklock/steering.hpp>

#include "emulator/keyspace/key_effects.hpp"
#include "emulator/resp/reply_writer.hpp"

namespace picklock {

/// As much of a reply as TraceLine::reply shows.
inline constexpr std::size_t kTracedReplyBytes = 160;

/// Appends a word of `size` bytes in quotes, of which `start` begins it: no more than 64 bytes, and
/// how many there are beyond those.
void append_word(std::string& out, std::string_view start, std::uint64_t size);

class TraceRow {
 public:
  struct Head {
    Instant at;
    std::uint64_t client = 0;
    std::string_view name;
    int database = 0;
  };

  TraceRow() = default;
  TraceRow(TraceRow&& other) noexcept { swap(other); }
  TraceRow& operator=(TraceRow&& other) noexcept {
    swap(other);
    return *this;
  }
  void swap(TraceRow& other) noexcept {
    bytes_.swap(other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  /// Begins anew, in the memory that there is. Of the words it keeps what TraceLine::request shows.
  void begin(const Head& head, Args words);
  // Between begin() and end(), in this order, of the replies one at most:
  void set_fault(std::string_view text);
  /// The reply, as it is to be shown.
  void set_reply(std::string_view text);
  /// What has been sent, which is seldom looked at, as RespWriter has written it. No reply, if that
  /// is none but messages.
  void set_encoded_reply(std::string_view bytes);
  bool has_reply() const { return numbers().form != Form::none; }
  void end(std::uint64_t changes, const KeyEffects& effects, std::uint64_t more_effects);

  // After end():
  std::uint64_t client() const { return numbers().client; }
  /// The reply, which was none when the request had ended.
  void replace_reply(std::string_view text);
  TraceLine line() const;

 private:
  enum class Form : std::uint8_t { none, text, encoded };

  /// The beginning of a row. Its texts stand behind it in this order, and what became of keys.
  struct Numbers {
    Instant at{};
    std::uint64_t client = 0;
    std::uint64_t all_words = 0;
    std::uint64_t changes = 0;
    std::uint64_t more_effects = 0;
    int database = 0;
    std::uint32_t name = 0;  // Bytes, as all below.
    std::uint32_t words = 0;
    std::uint32_t fault = 0;
    std::uint32_t reply = 0;
    Form form = Form::none;  // Of the reply.
  };

  Numbers& numbers() const { return *std::launder(reinterpret_cast<Numbers*>(bytes_.get())); }
  std::size_t reply_at() const {
    return sizeof(Numbers) + numbers().name + numbers().words + numbers().fault;
  }
  char* room_for(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
    return bytes_.get() + size_;
  }
  void grow(std::size_t more);
  void append(std::string_view text);

  // Not a string, which would clear every byte before it is written.
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace picklock
