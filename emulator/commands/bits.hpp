// What the bitmap commands and BITFIELD share: offsets, and bits of strings.
//
// Bit 0 is the highest of byte 0. Handlers' helpers: they answer errors themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulator/commands/context.hpp"

namespace picklock {

/// The offset in bits that `word` gives; with `field_bits`, "#n" is that of the n-th field of this
/// size. nullopt with the error answered if it lies beyond the longest string.
std::optional<std::int64_t> read_bit_offset(Context& c, std::string_view word,
                                            std::int64_t field_bits = 0);

/// The string at `key`, made or made longer so that it has bit `last_bit`; null with WRONGTYPE
/// A string whose bits may be changed. Whoever changes some calls Context::edit(), which counts the
/// change.
struct EditableBits {
  StringValue* bytes = nullptr;
  bool grew = false;  ///< It was made, or made longer.
};

/// The string at `key`, made and filled with zeros up to `last_bit`; null bytes if WRONGTYPE was
/// answered.
EditableBits edit_bits(Context& c, std::string_view key, std::int64_t last_bit);

/// Bits behind the end are 0.
bool bit_at(std::string_view bytes, std::int64_t offset);
void set_bit(StringValue& bytes, std::int64_t offset, bool bit);

}  // namespace picklock
