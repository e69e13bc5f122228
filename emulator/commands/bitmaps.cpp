// Strings read as rows of bits: SETBIT, GETBIT, BITCOUNT, BITPOS, BITOP. Bit 0 is the highest of
// byte 0.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/bits.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {

std::optional<std::int64_t> read_bit_offset(Context& c, std::string_view word,
                                            std::int64_t field_bits) {
  const bool counts_fields = field_bits > 0 && word.starts_with('#');
  auto offset = parse_int64(counts_fields ? word.substr(1) : word);
  // Redis multiplies without a look at the range, so that the product wraps around.
  if (offset && counts_fields)
    offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(*offset) *
                                       static_cast<std::uint64_t>(field_bits));
  if (offset && *offset >= 0 && (*offset >> 3) < c.max_string_bytes) return offset;
  c.reply.error(errors::kBitOffset);
  return std::nullopt;
}

EditableBits edit_bits(Context& c, std::string_view key, std::int64_t last_bit) {
  if (!c.find_as<StringValue>(key)) {
    if (c.failed) return {};
    // Redis makes the string at once, but who watches it hears only of what is then written.
    c.db().put_unnoticed(key, StringValue{});
  }
  auto* bytes = c.open_as<StringValue>(key);
  const auto needed = static_cast<std::size_t>(last_bit >> 3) + 1;
  const bool grew = bytes->size() < needed;
  if (grew) bytes->resize(needed);
  return {bytes, grew};
}

bool bit_at(std::string_view bytes, std::int64_t offset) {
  const auto byte = static_cast<std::size_t>(offset >> 3);
  if (byte >= bytes.size()) return false;
  return (static_cast<unsigned char>(bytes[byte]) >> (7 - (offset & 7))) & 1;
}

void set_bit(StringValue& bytes, std::int64_t offset, bool bit) {
  char& byte = bytes[static_cast<std::size_t>(offset >> 3)];
  const int mask = 1 << (7 - (offset & 7));
  byte = static_cast<char>(bit ? byte | mask : byte & ~mask);
}

namespace {

void setbit(Context& c) {
  const auto offset = read_bit_offset(c, c.args[2]);
  if (!offset) return;
  if (c.args[3] != "0" && c.args[3] != "1") return c.reply.error(errors::kBitValue);
  const auto [bytes, grew] = edit_bits(c, c.args[1], *offset);
  if (!bytes) return;
  const bool old = bit_at(*bytes, *offset);
  const bool wanted = c.args[3] == "1";
  // Redis 7.0: without a change there is no event, and no watcher is touched.
  if (grew || old != wanted) {
    set_bit(*bytes, *offset, wanted);
    c.edit(c.args[1]);
    c.event(EventClass::string, "setbit", c.args[1]);
  }
  c.reply.integer(old);
}

void getbit(Context& c) {
  const auto offset = read_bit_offset(c, c.args[2]);
  if (!offset) return;
  const auto* bytes = c.find_as<StringValue>(c.args[1]);
  if (!c.failed) c.reply.integer(bytes && bit_at(*bytes, *offset));
}

/// A range of bits, both ends included; empty if it starts behind its end.
struct BitRange {
  std::int64_t first;
  std::int64_t last;
};

/// Whether `word` asks for a range in bits; nullopt with a syntax error answered if it is no unit.
std::optional<bool> read_unit(Context& c, std::string_view word) {
  if (is_word(word, "bit")) return true;
  if (is_word(word, "byte")) return false;
  c.reply.error(errors::kSyntax);
  return std::nullopt;
}

/// The bits of a string of `size` bytes from `start` to `end`, which may be negative.
BitRange resolve_range(std::int64_t size, std::int64_t start, std::int64_t end, bool in_bits) {
  const std::int64_t total = in_bits ? size * 8 : size;
  if (start < 0) start = std::max<std::int64_t>(start + total, 0);
  if (end < 0) end = std::max<std::int64_t>(end + total, 0);
  end = std::min(end, total - 1);
  if (start > end) return {0, -1};
  return in_bits ? BitRange{start, end} : BitRange{start * 8, end * 8 + 7};
}

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word;
  std::memcpy(&word, bytes.data() + at, kWordBytes);
  return word;
}

/// The bits of whole bytes. Of many words the counts of each byte are added up before the bytes
/// are, which a compiler does for several words at once.
std::int64_t count_all(std::string_view bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::size_t kBlock = 31 * kWordBytes;  // A byte of the sum holds 31 times 8.
  std::int64_t count = 0;
  std::size_t at = 0;
  while (bytes.size() - at >= kWordBytes) {
    const std::size_t end = at + std::min(kBlock, (bytes.size() - at) / kWordBytes * kWordBytes);
    std::uint64_t sums = 0;
    for (; at < end; at += kWordBytes) {
      std::uint64_t word = word_at(bytes, at);
      word -= word >> 1 & 0x55 * kOnes;
      word = (word & 0x33 * kOnes) + (word >> 2 & 0x33 * kOnes);
      sums += (word + (word >> 4)) & 0x0f * kOnes;
    }
    for (; sums != 0; sums >>= 8) count += static_cast<std::int64_t>(sums & 0xff);
  }
  for (; at < bytes.size(); ++at) count += std::popcount(static_cast<unsigned char>(bytes[at]));
  return count;
}

std::int64_t count_bits(std::string_view bytes, BitRange range) {
  std::int64_t count = 0;
  while (range.first <= range.last && range.first % 8 != 0) count += bit_at(bytes, range.first++);
  while (range.first <= range.last && range.last % 8 != 7) count += bit_at(bytes, range.last--);
  if (range.first > range.last) return count;
  const auto begin = static_cast<std::size_t>(range.first / 8);
  const auto size = static_cast<std::size_t>((range.last - range.first + 1) / 8);
  return count + count_all(bytes.substr(begin, size));
}

/// The first bit in `range` that is `wanted`, or -1.
std::int64_t find_bit(std::string_view bytes, BitRange range, bool wanted) {
  const std::uint64_t nothing = wanted ? 0 : ~std::uint64_t{0};
  constexpr std::int64_t kWordBits = 8 * kWordBytes;
  for (std::int64_t bit = range.first; bit <= range.last;) {
    const bool is_word = bit % 8 == 0 && range.last - bit >= kWordBits - 1;
    if (is_word && word_at(bytes, static_cast<std::size_t>(bit / 8)) == nothing) {
      bit += kWordBits;
      continue;
    }
    if (bit_at(bytes, bit) == wanted) return bit;
    ++bit;
  }
  return -1;
}

void bitcount(Context& c) {
  const auto* bytes = c.find_as<StringValue>(c.args[1]);
  if (c.failed) return;
  if (!bytes) return c.reply.integer(0);
  const auto size = static_cast<std::int64_t>(bytes->size());
  if (c.args.size() == 2) return c.reply.integer(count_bits(*bytes, {0, size * 8 - 1}));
  if (c.args.size() != 4 && c.args.size() != 5) return c.reply.error(errors::kSyntax);
  const auto start = parse_int64(c.args[2]);
  const auto end = start ? parse_int64(c.args[3]) : std::nullopt;
  if (!end) return c.reply.error(errors::kNotInteger);
  // Redis does not read the unit of a range that is seen to be empty.
  if (*start < 0 && *end < 0 && *start > *end) return c.reply.integer(0);
  const auto in_bits = c.args.size() == 5 ? read_unit(c, c.args[4]) : false;
  if (in_bits) c.reply.integer(count_bits(*bytes, resolve_range(size, *start, *end, *in_bits)));
}

void bitpos(Context& c) {
  const auto bit = parse_int64(c.args[2]);
  if (!bit) return c.reply.error(errors::kNotInteger);
  if (*bit != 0 && *bit != 1) return c.reply.error(errors::kBitArgument);
  const auto* bytes = c.find_as<StringValue>(c.args[1]);
  if (c.failed) return;
  if (!bytes) return c.reply.integer(*bit ? -1 : 0);
  if (c.args.size() > 6) return c.reply.error(errors::kSyntax);
  const auto start = c.args.size() > 3 ? parse_int64(c.args[3]) : 0;
  if (!start) return c.reply.error(errors::kNotInteger);
  const auto in_bits = c.args.size() == 6 ? read_unit(c, c.args[5]) : false;
  if (!in_bits) return;
  const bool has_end = c.args.size() > 4;
  const auto end = has_end ? parse_int64(c.args[4]) : -1;
  if (!end) return c.reply.error(errors::kNotInteger);
  const auto size = static_cast<std::int64_t>(bytes->size());
  const BitRange range = resolve_range(size, *start, *end, *in_bits);
  const std::int64_t found = find_bit(*bytes, range, *bit == 1);
  // Behind a string without an end of the range there are zeros.
  const bool runs_out = found < 0 && *bit == 0 && !has_end && range.first <= range.last;
  c.reply.integer(runs_out ? size * 8 : found);
}

enum class Operation : std::uint8_t { bit_and, bit_or, bit_xor, bit_not };

std::optional<Operation> read_operation(std::string_view word) {
  if (is_word(word, "and")) return Operation::bit_and;
  if (is_word(word, "or")) return Operation::bit_or;
  if (is_word(word, "xor")) return Operation::bit_xor;
  if (is_word(word, "not")) return Operation::bit_not;
  return std::nullopt;
}

/// `result` combined with a source; where it goes on and the source does not, with zeros.
template <class Combine>
void combine(StringValue& result, std::string_view source, Combine combine_bytes) {
  char* const bytes = result.data();
  for (std::size_t at = 0; at < source.size(); ++at)
    bytes[at] = static_cast<char>(combine_bytes(bytes[at], source[at]));
  for (std::size_t at = source.size(); at < result.size(); ++at)
    bytes[at] = static_cast<char>(combine_bytes(bytes[at], '\0'));
}

/// All sources combined byte by byte.
StringValue combine_all(Operation operation, const std::vector<StringValue>& sources) {
  std::size_t size = 0;
  for (const StringValue& source : sources) size = std::max(size, source.size());
  StringValue result = sources[0];
  result.resize(size);
  if (operation == Operation::bit_not) combine(result, {}, [](int a, int) { return ~a; });
  for (std::size_t i = 1; i < sources.size(); ++i) {
    if (operation == Operation::bit_and)
      combine(result, sources[i], [](int a, int b) { return a & b; });
    else if (operation == Operation::bit_or)
      combine(result, sources[i], [](int a, int b) { return a | b; });
    else
      combine(result, sources[i], [](int a, int b) { return a ^ b; });
  }
  return result;
}

void bitop(Context& c) {
  const auto operation = read_operation(c.args[1]);
  if (!operation) return c.reply.error(errors::kSyntax);
  if (*operation == Operation::bit_not && c.args.size() != 4)
    return c.reply.error(errors::kBitopNot);
  std::vector<StringValue> sources;
  for (const std::string_view key : c.args.subspan(3)) {
    const auto* source = c.read_as<StringValue>(key);
    if (c.failed) return;
    sources.push_back(source ? *source : StringValue{});
  }
  const StringValue result = combine_all(*operation, sources);
  if (result.empty()) {
    if (c.db().erase(c.args[2])) c.event(EventClass::generic, "del", c.args[2]);
  } else {
    c.about_to_overwrite(c.args[2]);
    c.db().put(c.args[2], result);
    c.db().set_form(c.args[2], Form::grown);
    c.event(EventClass::string, "set", c.args[2]);
  }
  c.reply.integer(static_cast<std::int64_t>(result.size()));
}

constexpr KeySpec kBitopKeys[] = {{.flags = "OW update", .first = 2},
                                  {.flags = "RO access", .first = 3, .last = -1}};

constexpr Command kBitmapsCommands[] = {
    {"setbit", 4, kWrite | kDenyOom, kAclBitmap, keys::kReadUpdate, "bitmap", "2.2.0", setbit},
    {"getbit", 3, kReadonly | kFast, kAclBitmap, keys::kRead, "bitmap", "2.2.0", getbit},
    {"bitcount", -2, kReadonly, kAclBitmap, keys::kRead, "bitmap", "2.6.0", bitcount},
    {"bitpos", -3, kReadonly, kAclBitmap, keys::kRead, "bitmap", "2.8.7", bitpos},
    {"bitop", -4, kWrite | kDenyOom, kAclBitmap, kBitopKeys, "bitmap", "2.6.0", bitop},
};

}  // namespace

std::span<const Command> commands::bitmaps() { return kBitmapsCommands; }

}  // namespace picklock
