// BITFIELD and BITFIELD_RO: integers of any width within a string.
#include <limits>
#include <vector>

#include "emulator/base/numbers.hpp"
#include "emulator/base/text.hpp"
#include "emulator/commands/bits.hpp"
#include "emulator/commands/errors.hpp"
#include "emulator/commands/groups.hpp"

namespace picklock {
namespace {

__extension__ using Wide = __int128;  // Holds every sum of two 64-bit integers.

enum class Overflow : std::uint8_t { wrap, saturate, fail };

struct FieldType {
  bool is_signed;
  int bits;

  std::int64_t max() const {
    const int value_bits = is_signed ? bits - 1 : bits;  // 0 to 63.
    return static_cast<std::int64_t>((std::uint64_t{1} << value_bits) - 1);
  }
  std::int64_t min() const { return is_signed ? -max() - 1 : 0; }
};

struct Step {
  enum class Kind : std::uint8_t { get, set, increment } kind;
  FieldType type;
  std::int64_t offset;
  std::int64_t operand;
  Overflow overflow;
};

/// i1 to i64 and u1 to u63; nullopt with the error answered for anything else.
std::optional<FieldType> read_type(Context& c, std::string_view word) {
  const std::string_view text = until_nul(word);
  const bool is_signed = text.starts_with('i');
  const auto bits = is_signed || text.starts_with('u') ? parse_int64(text.substr(1)) : std::nullopt;
  if (bits && *bits >= 1 && *bits <= (is_signed ? 64 : 63))
    return FieldType{is_signed, static_cast<int>(*bits)};
  c.reply.error(errors::kBitfieldType);
  return std::nullopt;
}

std::optional<Overflow> read_overflow(Context& c, std::string_view word) {
  if (is_word(word, "wrap")) return Overflow::wrap;
  if (is_word(word, "sat")) return Overflow::saturate;
  if (is_word(word, "fail")) return Overflow::fail;
  c.reply.error(errors::kBitfieldOverflow);
  return std::nullopt;
}

std::optional<Step::Kind> step_kind(std::string_view word, std::size_t operands) {
  if (is_word(word, "get") && operands >= 2) return Step::Kind::get;
  if (is_word(word, "set") && operands >= 3) return Step::Kind::set;
  if (is_word(word, "incrby") && operands >= 3) return Step::Kind::increment;
  return std::nullopt;
}

/// Reads the step at word `at` and moves `at` behind it; nullopt with an error answered.
std::optional<Step> read_step(Context& c, std::size_t& at, Overflow overflow) {
  const auto kind = step_kind(c.args[at], c.args.size() - at - 1);
  if (!kind) return c.reply.error(errors::kSyntax), std::nullopt;
  const auto type = read_type(c, c.args[at + 1]);
  if (!type) return std::nullopt;
  const auto offset = read_bit_offset(c, c.args[at + 2], type->bits);
  if (!offset) return std::nullopt;
  Step step{*kind, *type, *offset, 0, overflow};
  at += 3;
  if (*kind == Step::Kind::get) return step;
  const auto operand = parse_int64(c.args[at++]);
  if (!operand) return c.reply.error(errors::kNotInteger), std::nullopt;
  step.operand = *operand;
  return step;
}

/// All steps; nullopt with an error answered.
std::optional<std::vector<Step>> read_steps(Context& c) {
  std::vector<Step> steps;
  Overflow overflow = Overflow::wrap;
  for (std::size_t at = 2; at < c.args.size();) {
    if (is_word(c.args[at], "overflow") && at + 1 < c.args.size()) {
      const auto wanted = read_overflow(c, c.args[at + 1]);
      if (!wanted) return std::nullopt;
      overflow = *wanted;
      at += 2;
      continue;
    }
    const auto step = read_step(c, at, overflow);
    if (!step) return std::nullopt;
    steps.push_back(*step);
  }
  return steps;
}

/// The lowest bits of `value`, with its sign if the type has one.
std::int64_t truncate(std::uint64_t value, FieldType type) {
  const int unused = 64 - type.bits;
  if (type.is_signed) return static_cast<std::int64_t>(value << unused) >> unused;
  return static_cast<std::int64_t>(value << unused >> unused);
}

std::int64_t read_field(std::string_view bytes, const Step& step) {
  std::uint64_t value = 0;
  for (int i = 0; i < step.type.bits; ++i)
    value = value << 1 | (bit_at(bytes, step.offset + i) ? 1U : 0U);
  return truncate(value, step.type);
}

void write_field(StringValue& bytes, const Step& step, std::int64_t value) {
  for (int i = 0; i < step.type.bits; ++i)
    set_bit(bytes, step.offset + i,
            (static_cast<std::uint64_t>(value) >> (step.type.bits - 1 - i)) & 1);
}

/// What is written for `value`, or nullopt if it does not fit and OVERFLOW is FAIL.
std::optional<std::int64_t> fit(Wide value, const Step& step) {
  const std::int64_t max = step.type.max();
  const std::int64_t min = step.type.min();
  if (value >= min && value <= max) return static_cast<std::int64_t>(value);
  if (step.overflow == Overflow::fail) return std::nullopt;
  if (step.overflow == Overflow::wrap)
    return truncate(static_cast<std::uint64_t>(value), step.type);
  // Redis: checkSignedBitfieldOverflow; so far below that the distance wraps around, a value that
  // is set counts as too high.
  const bool wraps = step.kind == Step::Kind::set && step.type.is_signed && step.type.bits < 64 &&
                     max - value > std::numeric_limits<std::int64_t>::max();
  return value > max || wraps ? max : min;
}

/// Answers for a SET or INCRBY; true if it wrote something new, or anything into bytes that `grew`.
bool change_field(Context& c, StringValue& bytes, const Step& step, bool grew) {
  const std::int64_t old = read_field(bytes, step);
  Wide wanted = Wide{old} + step.operand;
  if (step.kind == Step::Kind::set)
    wanted =
        step.type.is_signed ? Wide{step.operand} : Wide{static_cast<std::uint64_t>(step.operand)};
  const auto value = fit(wanted, step);
  if (!value) return c.reply.null(), false;
  write_field(bytes, step, *value);
  c.reply.integer(step.kind == Step::Kind::set ? old : *value);
  return grew || *value != old;
}

void bitfield(Context& c) {
  const auto steps = read_steps(c);
  if (!steps) return;
  std::int64_t last_bit = -1;
  for (const Step& step : *steps)
    if (step.kind != Step::Kind::get)
      last_bit = std::max(last_bit, step.offset + step.type.bits - 1);
  if (last_bit < 0) {
    const auto* bytes = c.read_as<StringValue>(c.args[1]);
    if (c.failed) return;
    c.reply.array(steps->size());
    for (const Step& step : *steps)
      c.reply.integer(read_field(bytes ? std::string_view{*bytes} : std::string_view{}, step));
    return;
  }
  if (c.command->has(kReadonly)) return c.reply.error(errors::kBitfieldReadOnly);
  const auto [bytes, grew] = edit_bits(c, c.args[1], last_bit);
  if (!bytes) return;
  if (c.events) c.events->publish_notes();
  c.reply.array(steps->size());
  bool changed = false;
  for (const Step& step : *steps) {
    if (step.kind == Step::Kind::get)
      c.reply.integer(read_field(*bytes, step));
    else
      changed |= change_field(c, *bytes, step, grew);
  }
  if (!changed) return;
  c.edit(c.args[1]);
  c.event(EventClass::string, "setbit", c.args[1]);
}

constexpr KeySpec kBitfieldKeys[] = {
    {.flags = "RW access update variable_flags",
     .notes = "This command allows both access and modification of the key"}};

constexpr Command kBitfieldsCommands[] = {
    {"bitfield", -2, kWrite | kDenyOom, kAclBitmap, kBitfieldKeys, "bitmap", "3.2.0", bitfield},
    {"bitfield_ro", -2, kReadonly | kFast, kAclBitmap, keys::kRead, "bitmap", "6.0.0", bitfield},
};

}  // namespace

std::span<const Command> commands::bitfields() { return kBitfieldsCommands; }

}  // namespace picklock
