// A word of a request with placeholders in it: "$key:queue".
//
// Plain values; used by the reader of check files, the workers and the trials.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::race {

enum class Slot : std::uint8_t { key, token, client, ttl_ms, ttl_s, until_ms, heard };
inline constexpr std::array<std::string_view, 7> kSlotNames{"key",   "token",    "client", "ttl_ms",
                                                            "ttl_s", "until_ms", "heard"};
/// What the placeholders stand for, by Slot.
using SlotValues = std::array<std::string, kSlotNames.size()>;
inline std::string& at(SlotValues& values, Slot slot) {
  return values[static_cast<std::size_t>(slot)];
}
inline const std::string& at(const SlotValues& values, Slot slot) {
  return values[static_cast<std::size_t>(slot)];
}

class Word {
 public:
  Word() = default;
  /// Reads "$name" as a placeholder and "$$" as a dollar. Returns a complaint, or nothing.
  std::string read(std::string_view text);
  bool uses(Slot slot) const;
  void append_to(std::string& out, const SlotValues& values) const;
  std::string fill(const SlotValues& values) const;
  /// As it was written.
  const std::string& source() const { return source_; }

 private:
  struct Part {
    std::string literal;
    std::optional<Slot> slot;
  };
  std::vector<Part> parts_;
  std::string source_;
};

}  // namespace picklock::race
