// The ID of a stream's entry: a time in milliseconds and a number within it, both unsigned 64 bits.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace picklock {

struct StreamId {
  std::uint64_t ms = 0;
  std::uint64_t seq = 0;

  auto operator<=>(const StreamId&) const = default;
  bool is_zero() const { return ms == 0 && seq == 0; }

  /// Goes on to the next ID; false, having become 0-0, if this was the last one.
  bool increment();
  /// Goes back to the ID before; false, having become the last one, if this was 0-0.
  bool decrement();
};

inline constexpr StreamId kMinStreamId{};
inline constexpr StreamId kMaxStreamId{std::numeric_limits<std::uint64_t>::max(),
                                       std::numeric_limits<std::uint64_t>::max()};

/// "ms-seq".
std::string to_text(StreamId id);

/// Which spellings are taken besides "ms" and "ms-seq".
enum class IdForm : std::uint8_t {
  strict,  ///< None.
  edges,   ///< "-" and "+", the first and the last ID.
  added,   ///< "ms-*", whose number is still to be found.
};
struct ParsedId {
  StreamId id;
  bool seq_given = true;  ///< Not "ms-*".
};
/// Reads an ID as Redis does; `missing_seq` is the number of one that is only a time.
std::optional<ParsedId> parse_stream_id(std::string_view text, std::uint64_t missing_seq,
                                        IdForm form);

}  // namespace picklock
